// The map of an element, straight or curved, at the points of a rule: places and Jacobians.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/quadrature.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// The map of one element at its points.
struct ElementPoints {
  int num_points = 0;
  const double* places = nullptr;     // [dim, points]
  const double* jacobians = nullptr;  // [dim, dim, points]: d x_i / d xi_j
  const double* weights = nullptr;    // [points]
  Index element = 0;                  // its number
  std::int32_t group = 0;             // its physical group, or 0
};

/// Tables of the geometry's functions at the points of a rule, for all elements of a block.
class ElementMap {
 public:
  ElementMap() = default;
  ElementMap(Cell cell, int order, const Quadrature& rule);

  int dim() const { return dim_; }
  int num_nodes() const { return num_nodes_; }
  int num_points() const { return num_points_; }
  std::span<const double> values() const { return values_; }  // [num_nodes, points]
  std::span<const double> grads() const { return grads_; }    // [dim, num_nodes, points]
  std::span<const double> weights() const { return weights_; }

  /// Numbers that evaluate() needs to work on.
  std::int64_t work_size() const { return std::int64_t{dim_ + dim_ * dim_} * num_points_; }
  /// The map of the element with these nodes among `points` [num_points, dim]. The result lives in `work`.
  ElementPoints evaluate(const double* points, std::span<const Index> nodes, double* work) const;

 private:
  int dim_ = 0, num_nodes_ = 0, num_points_ = 0;
  std::vector<double> values_, grads_, weights_;
};

/// An Error unless first_bad, the first element whose map is degenerate or inverted at a point, is the maximum of
/// Index.
void check_geometry(Cell cell, Index first_bad);

}  // namespace millrace
