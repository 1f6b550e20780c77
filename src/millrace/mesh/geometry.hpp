// The map from the reference cell to a cell of the mesh: its Lagrange functions on the equispaced lattice, Jacobians,
// volumes and outward areas.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// The functions of the nodes of a cell at some points of the reference cell.
struct GeometryTable {
  int dim = 0, num_points = 0, num_nodes = 0;
  std::vector<double> values;  // [num_points, num_nodes]
  std::vector<double> grads;   // [dim, num_points, num_nodes]
};
GeometryTable tabulate_geometry(Cell cell, int order, std::span<const Point> points);

/// Points and weights that integrate over the cells of a mesh.
struct VolumeRule {
  std::vector<Point> points;
  std::vector<double> weights;
};
/// Gauss points, n a direction, on the reference cell; on simplices collapsed towards a vertex (exact to 2 n - dim).
VolumeRule make_volume_rule(Cell cell, int n);

/// The equispaced lattice of an order as points of the reference cell.
std::vector<Point> lattice_points(Cell cell, int order);

/// dx_i / dxi_j at row [i], column [j]; a face in space has 3 x 2, in the plane 2 x 1.
using Jacobian = std::array<Point, 3>;
Jacobian jacobian(const Mesh& mesh, std::span<const Index> nodes, const GeometryTable& table, int point);
double determinant(const Jacobian& j, int dim);
/// Where a tabulated point lies in a cell with these nodes.
Point map_point(const Mesh& mesh, std::span<const Index> nodes, const GeometryTable& table, int point);

/// Sizes and worst places of the cells of a mesh.
struct Measure {
  double volume = 0;          // area in the plane
  double smallest_cell = 0;   // signed volume
  double worst_jacobian = 1;  // smallest of det J / mean det J of the cell, at corners, lattice and Gauss points
  std::int32_t worst_block = -1;
  Index worst_cell = -1;   // where that is
  Index num_inverted = 0;  // cells with a determinant <= 0 at one of these points
};
Measure measure(const Mesh& mesh);
/// Throws an Error with the worst cell unless every determinant that measure looks at is positive.
void check_jacobians(const Mesh& mesh);
/// The signed volume of one cell.
double cell_volume(const Mesh& mesh, const CellBlock& block, Index cell);

/// The integral of the outward unit normal over a face of a cell, or of the normal of a face's own coordinates.
Point outward_area(const Mesh& mesh, const CellBlock& block, Index cell, int face);
Point own_area(const Mesh& mesh, Cell face, int order, std::span<const Index> nodes);

/// Mirrors cells of negative volume (first and second coordinate change places) and says how many there were.
Index turn_inverted_cells(Mesh& mesh);

}  // namespace millrace
