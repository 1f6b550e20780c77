// Where the unknowns of hybridizable DG live: polynomials on cells, and traces on faces, with the tables that both need
// at the points of a rule. Quadrature points belong to the face, in its own coordinates; a cell has one table for each
// of its faces and each way to lie on it, so nothing is ever flipped.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace::hdg {

/// Functions at points, twice: one for products from either side. All arrays are [second, first] with the first
/// fastest.
struct Table {
  int num_points = 0, num_modes = 0;
  std::vector<double> values;      // [modes, points]
  std::vector<double> transposed;  // [points, modes]
};

/// The largest order of a dimension.
constexpr int max_order(int dim) { return dim == 2 ? 6 : 4; }

/// Orders 1 to 6 in the plane (triangles), 1 to 4 in space (tets); cells may be curved.
class TraceSpace {
 public:
  /// The mesh must live longer than this. An Error names cells that are no simplices, mixed kinds, an order out of
  /// range and inverted cells. Two faces of periodic sides of the mesh have one trace, unless the sides are ignored;
  /// they must be the same but for a translation, and an Error names the first pair that is not, and by how much.
  TraceSpace(const Mesh& mesh, int order, PeriodicSides sides = PeriodicSides::glued);
  /// On the same mesh, for what is made of a solution.
  TraceSpace one_order_more() const { return {*mesh_, order_ + 1, order_ + 1, sides_}; }

  const Mesh& mesh() const { return *mesh_; }
  const Topology& topology() const { return topology_; }
  int dim() const { return mesh_->dim; }
  int order() const { return order_; }
  Index num_cells() const { return block_->num_cells(); }
  Index num_faces() const { return topology_.num_faces(); }
  int faces_per_cell() const { return dim() + 1; }

  int cell_modes() const { return cell_.num_modes; }
  int face_modes() const { return face_.num_modes; }
  int num_points() const { return cell_.num_points; }
  int num_face_points() const { return face_.num_points; }

  const Table& cell() const { return cell_; }                             // at the points of a cell
  std::span<const double> cell_grads() const { return grads_; }           // [dim, points, modes]: by reference ones
  std::span<const double> weights() const { return weights_; }            // [points]
  const Table& face() const { return face_; }                             // traces at the points of a face
  std::span<const double> face_weights() const { return face_weights_; }  // [face points]
  const Table& cell_on_face(int local_face, int code) const { return cell_on_face_[to_table(local_face, code)]; }
  const GeometryTable& geometry() const { return geometry_; }
  const GeometryTable& geometry_on_face(int local_face, int code) const {
    return geometry_on_face_[to_table(local_face, code)];
  }

  /// Traces are numbered by levels from the boundary group with the longest faces, so that incomplete factors end in
  /// the finest cells.
  Index trace(Index cell, int local_face) const { return trace_of_[static_cast<std::size_t>(face(cell, local_face))]; }
  Index trace_of(Index face) const { return trace_of_[static_cast<std::size_t>(face)]; }
  /// The number in the topology.
  Index face(Index cell, int local_face) const {
    return topology_.blocks[0].faces[static_cast<std::size_t>(cell * faces_per_cell() + local_face)];
  }
  int code(Index cell, int local_face) const {
    return topology_.blocks[0].face_orientations[static_cast<std::size_t>(cell * faces_per_cell() + local_face)];
  }
  std::span<const Index> nodes_of(Index cell) const { return block_->nodes_of(cell); }
  /// Cells in groups that share no face; each ascends. The traces of a group can be written to by all threads.
  const std::vector<std::vector<Index>>& colours() const { return colours_; }
  /// Traces that share a cell with a trace, itself among them: [num_faces, 2 dim + 1], ascending, then -1.
  const std::vector<Index>& neighbours() const { return neighbours_; }
  int max_neighbours() const { return 2 * dim() + 1; }

  /// The functions of cells of another order at the points of this space.
  Table tabulate_cell(int order) const;

 private:
  TraceSpace(const Mesh& mesh, int order, int max_order, PeriodicSides sides);
  std::size_t to_table(int local_face, int code) const {
    return static_cast<std::size_t>(local_face * (dim() == 2 ? 2 : 6) + code);
  }
  void number_traces();
  void colour_cells();
  void check_glued_faces() const;

  const Mesh* mesh_;
  const CellBlock* block_;
  int order_;
  PeriodicSides sides_;
  Topology topology_;
  std::vector<Point> points_;  // of the reference cell
  Table cell_, face_;
  std::vector<double> grads_, weights_, face_weights_;
  std::vector<Table> cell_on_face_;
  GeometryTable geometry_;
  std::vector<GeometryTable> geometry_on_face_;
  std::vector<Index> trace_of_, neighbours_;
  std::vector<std::vector<Index>> colours_;
};

}  // namespace millrace::hdg
