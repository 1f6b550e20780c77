// Integrals of functionals of a field over cells and over the boundary, all or by physical groups.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "millrace/fem/basis/element_basis.hpp"
#include "millrace/fem/field_view.hpp"
#include "millrace/fem/groups.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {

/// What a functional sees: the field at one point of a cell or of a face.
struct FieldPoint {
  Point x{};
  std::span<const double> value{};     // [comps]; empty in integrals without a field
  std::span<const double> gradient{};  // [comps, dim]: in space; empty in integrals without a field
  Point normal{};                      // outwards, of length 1; zero inside cells
  Index cell = -1;                     // counted over all blocks of the mesh, one after another
  std::int32_t tag = 0;                // physical group of the cell

  double grad(int comp, int d) const {
    const std::size_t dim = gradient.size() / value.size();
    return gradient[static_cast<std::size_t>(comp) * dim + static_cast<std::size_t>(d)];
  }
};

/// What is integrated; it may be called on several threads at once.
using Functional = std::function<double(const FieldPoint&)>;
/// Several at once: `density` comes as zeros.
using Functionals = std::function<void(const FieldPoint&, std::span<double> density)>;

/// Where and how is integrated.
struct IntegralOptions {
  Groups groups{};  // of cells, or of boundary faces, by name or tag; none: all cells, the whole boundary
  /// Points per direction, or degree on triangles and tets; by default order + 3, or 2 order + 4, of the field. Without
  /// a field the order counts as 4.
  Points points{};
  /// For many integrals over a boundary: make_topology(mesh, space.sides), of a mesh alone make_topology(mesh). Null:
  /// it is made.
  const Topology* topology = nullptr;
};

// All run on the threads of a queue of the host. Sums over cells are added as a tree of neighbours: the same bits for
// any number of threads. The mesh may have several blocks of cells, such as triangles and quads.

/// The integral over the cells.
double integrate(Queue& queue, const FieldView& field, const Functional& f, const IntegralOptions& options = {});
double integrate(Queue& queue, const Mesh& mesh, const Functional& f, const IntegralOptions& options = {});
/// `num` integrals at once.
std::vector<double> integrate(Queue& queue, const FieldView& field, int num, const Functionals& f,
                              const IntegralOptions& options = {});

/// The integral over boundary faces. Each face counts once, also where it is in several of the groups; a face between
/// two cells, if a group has such ones, is seen from the cell with the lower number. Periodic sides that the space of
/// the field glues are no boundary; groups that name one of them integrate over it, from the cells that it bounds. Of a
/// mesh alone they are boundaries.
double integrate_boundary(Queue& queue, const FieldView& field, const Functional& f,
                          const IntegralOptions& options = {});
double integrate_boundary(Queue& queue, const Mesh& mesh, const Functional& f, const IntegralOptions& options = {});
/// `num` integrals at once.
std::vector<double> integrate_boundary(Queue& queue, const FieldView& field, int num, const Functionals& f,
                                       const IntegralOptions& options = {});

}  // namespace millrace
