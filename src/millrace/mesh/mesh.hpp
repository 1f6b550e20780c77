// A mesh: points, cells of one or several kinds, and the boundary faces that carry a tag. Cells may be curved: a cell
// of order g has its nodes at the equispaced lattice of order g, numbered as shape.hpp says. All on the host.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"
#include "millrace/mesh/shape.hpp"

namespace millrace {

inline constexpr int max_geometry_order = 4;

/// A place in the plane or in space; the third coordinate of a plane place is 0.
using Point = std::array<double, 3>;

/// Cells of one shape and one order.
struct CellBlock {
  Cell cell = Cell::segment;
  int order = 1;
  Array<Index> nodes;       // [num_cells, num_nodes(cell, order)]: numbers of points
  Array<std::int32_t> tag;  // [num_cells]: physical group, or 0

  Index num_cells() const { return static_cast<Index>(tag.size()); }
  int nodes_per_cell() const { return num_nodes(cell, order); }
  std::span<const Index> nodes_of(Index c) const {
    return {nodes.data() + static_cast<Offset>(c) * nodes_per_cell(), static_cast<std::size_t>(nodes_per_cell())};
  }
  std::span<Index> nodes_of(Index c) {
    return {nodes.data() + static_cast<Offset>(c) * nodes_per_cell(), static_cast<std::size_t>(nodes_per_cell())};
  }
  CellBlock clone() const { return {cell, order, nodes.clone(), tag.clone()}; }
};
/// Faces of cells, as cells of one dimension less. Their points are those of the cells; their own direction is free.
using BoundaryBlock = CellBlock;

/// The name of the physical group `tag` of cells (dim of the mesh) or boundary faces (dim - 1).
struct GroupName {
  int dim = 0;
  std::int32_t tag = 0;
  std::string name;
};

/// A side of the mesh that continues at another one, its master, as gmsh's $Periodic has it. A boundary face whose
/// vertices are all here is one with the face of their partners, wherever a topology or a space is asked to glue sides.
/// A corner is in the pairs of several sides.
struct PeriodicSide {
  std::vector<std::array<Index, 2>> pairs;  // points: a vertex of this side, and its partner on the master
};

/// What becomes of sides that continue at others (PeriodicSide): they are two boundaries, or they are glued.
enum class PeriodicSides { ignored, glued };

/// Points and cells; faces and neighbours are made from it (topology.hpp).
struct Mesh {
  int dim = 0;                          // 2 or 3
  Array<double> points;                 // [num_points, dim]
  std::vector<CellBlock> blocks;        // one for each kind (and order) of cell
  std::vector<BoundaryBlock> boundary;  // may be part of the boundary only, and may hold faces between cells; a face
                                        // in several groups stands there once for each
  std::vector<PeriodicSide> periodic;   // their faces may also be in groups of the boundary
  std::vector<GroupName> names;
  std::vector<std::string> notes;  // what a reader left out, one sentence each

  Index num_points() const { return dim == 0 ? 0 : static_cast<Index>(points.size() / dim); }
  Index num_cells() const;
  Index num_boundary_faces() const;
  Point point(Index p) const {
    Point x{};
    for (int d = 0; d < dim; ++d) x[static_cast<std::size_t>(d)] = points.data()[static_cast<Offset>(p) * dim + d];
    return x;
  }
  void set_point(Index p, const Point& x) {
    for (int d = 0; d < dim; ++d) points.data()[static_cast<Offset>(p) * dim + d] = x[static_cast<std::size_t>(d)];
  }
  /// The block of a mesh with one kind of cell; an Error names the kinds where there are several.
  const CellBlock& only_block() const;
  /// "3 tets, 4 hexes of order 2", for reports and errors.
  std::string description() const;
  /// Empty when the group has no name.
  std::string_view name_of(int group_dim, std::int32_t tag) const;
  /// The tag of a named group; an Error lists the names there are.
  std::int32_t tag_of(int group_dim, std::string_view name) const;
  Mesh clone() const;
};

/// Throws an Error unless sizes fit, every node is a point and every coordinate is finite. For whoever made a mesh by
/// hand; generators and readers have done it.
void check(const Mesh& mesh);

}  // namespace millrace
