// What plane meshes and cuts share: how finely a cell must be subdivided, tables of its map, and lines with few points.
#pragma once

#include <span>
#include <vector>

#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/patches.hpp"

namespace millrace::detail {

/// Checks what a caller asks for, and settles the tolerance.
double settled_tolerance(const Mesh& mesh, const Fineness& fineness);

/// The map of the cells of one block.
class BlockMap {
 public:
  BlockMap(const Mesh& mesh, const CellBlock& block) : mesh_(mesh), block_(block) {}

  /// Parts of each edge of the cell so that a piecewise linear map is about as good as the tolerance asks.
  int subdivisions(Index cell, double tolerance, int least, int most) const;
  /// The lattice of order n in the cell. [num_nodes(cell, n)]
  std::vector<Point> lattice_in(Index cell, int n) const;
  /// One point of the cell.
  Point at(Index cell, const Point& xi) const;

  const CellBlock& block() const { return block_; }

 private:
  const Mesh& mesh_;
  const CellBlock& block_;
};

/// Twice the signed area.
double doubled_area(const Place& a, const Place& b, const Place& c);
/// Makes the corners turn to the left.
void turn_left(Patch& patch);
/// Leaves out points that are nearer than `tolerance` to the line through the others (Douglas and Peucker 1973).
std::vector<Place> simplified(std::span<const Place> places, double tolerance);
/// Sets the box around the patches.
void set_box(PlaneFigure& figure);

}  // namespace millrace::detail
