// From a place to reference coordinates, in one cell, straight or curved: Newton's method, and the nearest point of the
// cell for places that are not in it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "millrace/mesh/geometry.hpp"

namespace millrace::detail {

/// d xi_i / d x_j at [i][j]; nothing where the map is degenerate.
std::optional<Jacobian> inverse(const Jacobian& jacobian, int dim);

/// A corner, edge, face or the inside of a reference cell: origin + sum of t_m directions[m].
struct ReferencePart {
  int num_directions = 0;
  Point origin{};
  std::array<Point, 3> directions{};
};

/// How far a reference point may lie outside of its cell: what is asked for, and what rounding makes of each
/// coordinate.
struct Slack {
  double tolerance = 0;
  Point rounding{};
};

/// The cells of one shape and order; a cell is given by the coordinates of its nodes [num_nodes, dim].
class InverseMap {
 public:
  InverseMap(Cell cell, int order);

  /// Place and derivatives at a reference point: d x_i / d xi_j at [i][j].
  struct Here {
    Point x{};
    Jacobian jacobian{};
  };
  Here at(const double* nodes, const Point& xi) const;

  /// Newton's method from xi, which becomes the result; does it end at a point of the cell? Rounding of coordinates as
  /// large as `scale` [dim] is allowed for, so that places on faces belong to both cells. A step is at most as long as
  /// `reach` [dim]: a thin bent cell is left by far on the way to a point of it.
  bool invert(const double* nodes, const Point& place, const Point& scale, double tolerance, const Point& reach,
              Point& xi) const;

  /// The point of the cell nearest to a place, by Gauss-Newton steps that stay in the cell, from the nearest node.
  /// Gives the distance.
  double nearest(const double* nodes, const Point& place, const Point& scale, Point& xi) const;
  /// Is the place within the tolerance of this point of the cell?
  bool is_close(const double* nodes, const Point& place, const Point& scale, double tolerance, const Point& xi) const;

  int num_nodes() const { return num_nodes_; }

 private:
  bool is_inside(const Point& xi, const Slack& slack) const;
  double distance_outside(const Point& xi) const;
  /// The best change of xi inside the cell if the map were linear, and what remains of the squared distance.
  Point best_step(const Here& here, const Point& missing, const Point& xi, double& remains) const;

  Cell cell_;
  int order_, dim_, num_nodes_;
  std::vector<ReferencePart> parts_;
  std::vector<Point> lattice_;  // [num_nodes]: the nodes in the reference cell
};

}  // namespace millrace::detail
