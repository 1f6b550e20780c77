// What surely holds a cell, curved or not: a box along the axes, and one along the cell's own directions, which stays
// thin where the cell is.
#pragma once

#include <vector>

#include "millrace/mesh/places/inverse_map.hpp"

namespace millrace::detail {

/// A box along the axes.
struct Bounds {
  Point lower{}, upper{};

  bool holds(const Point& x) const {
    return x[0] >= lower[0] && x[0] <= upper[0] && x[1] >= lower[1] && x[1] <= upper[1] && x[2] >= lower[2] &&
           x[2] <= upper[2];
  }
  /// The square of the distance of a place from the box.
  double distance_squared(const Point& x) const;
  void include(const Point& x);
  void include(const Bounds& other);
};

/// A cell's affine part: xi = middle of the reference cell + inverse (x - centre), and the bounds of the cell in these
/// coordinates. Where the cell has no such part, the inverse is zero and the bounds hold everything.
struct Frame {
  Point centre{};
  Jacobian inverse{};
  Bounds inside{};
  Point scale{};  // the largest coordinates of the cell

  Point reference(const Point& x, const Point& middle) const;
  /// How far Newton's method may go: a cell that is bent more than it is thick reaches far in these coordinates.
  Point reach() const;
};

/// Bounds of the cells of one shape and order. A polynomial lies in the hull of its Bernstein coefficients.
class CellBounds {
 public:
  CellBounds(Cell cell, int order);
  /// Of the cell with these nodes [num_nodes, dim]; both bounds hold what lies `tolerance` outside of the reference
  /// cell, too. `work` has num_nodes * dim numbers.
  void find(const double* nodes, double tolerance, double* work, Bounds& box, Frame& frame) const;
  const Point& middle() const { return middle_; }
  const InverseMap& map() const { return map_; }

 private:
  void to_bernstein(const double* nodes, double* result) const;

  Cell cell_;
  int order_, dim_, num_nodes_;
  std::vector<double> transform_;  // [rows, rows], by columns: of a line for tensor cells, of the cell for simplices
  Point middle_{};
  InverseMap map_;
};

}  // namespace millrace::detail
