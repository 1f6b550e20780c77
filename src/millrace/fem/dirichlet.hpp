// Given values u = g: which unknowns they hold, by groups, components or nodes, and what they do to a right-hand side
// and to an assembled matrix.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/groups.hpp"
#include "millrace/fem/place_function.hpp"
#include "millrace/fem/space.hpp"
#include "millrace/solve/constrained_operator.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// Constrained unknowns of a space and their values. Where two conditions meet at a node, as at the edge of two groups,
/// the one that was set later holds, component by component. Mesh and space must live longer than this.
class Dirichlet {
 public:
  Dirichlet(const Mesh& mesh, const Space& space) : mesh_(&mesh), space_(&space) {}
  Dirichlet(const Mesh&& mesh, const Space& space) = delete;
  Dirichlet(const Mesh& mesh, const Space&& space) = delete;
  Dirichlet(const Mesh&& mesh, const Space&& space) = delete;

  /// u = g at the nodes on the faces of these groups: by name or tag, one or several; 0: faces of the boundary in no
  /// group; faces between two cells are accepted. `components`: those that are held, in ascending order; none: all. g
  /// has as many components as are held, or one for all of them, and is interpolated at the nodes.
  Dirichlet& set(const Groups& groups, const PlaceFunction& g, const std::vector<int>& components = {});
  /// The same at all nodes of the boundary.
  Dirichlet& set_boundary(const PlaceFunction& g, const std::vector<int>& components = {});
  /// The same at these nodes of the space.
  Dirichlet& set_nodes(std::span<const Index> nodes, const PlaceFunction& g, const std::vector<int>& components = {});

  /// The constrained unknowns, ascending: for ConstrainedOperator and eliminate.
  const std::vector<Index>& entries() const { return entries_; }
  /// Their values, in the same order.
  const std::vector<double>& values() const { return values_; }
  /// Nodes that are held in all components, ascending: for ElementOptions::constrained, which is faster where it does.
  std::vector<Index> whole_nodes() const;

 private:
  const Mesh* mesh_;
  const Space* space_;
  std::vector<Index> entries_;
  std::vector<double> values_;
};

/// b = b - A g at the free unknowns, b = g at the constrained ones. A is the operator without constraints, on host or
/// GPU, where queue and b are. Solve with ConstrainedOperator<T>(a, g.entries()).
template <class T>
void lift(Queue& queue, const Operator<T>& a, const Dirichlet& g, std::type_identity_t<Vectors<T>> b);

/// The matrix with the rows and columns of these entries replaced by those of the identity; others keep their bits. On
/// the host. The right-hand side is that of `lift`, with the matrix as it was.
template <class T>
Csr<T> eliminate(const Csr<T>& a, std::span<const Index> entries);

}  // namespace millrace
