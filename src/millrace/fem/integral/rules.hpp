// What integrals over cells and over faces share: rules, checks, gradients in space, and the sum of all parts.
#pragma once

#include <string_view>
#include <vector>

#include "millrace/fem/basis/geometry.hpp"
#include "millrace/fem/integrals.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::detail {

inline constexpr int order_without_field = 4;

/// An Error unless an integral can be computed.
void check_integral(const Queue& queue, int num, bool has_function, std::string_view what);

/// The points asked for, or enough for a field of that order.
Points integral_points(Cell cell, int order, const Points& asked);

/// The sums of all parts [parts, num], added as a tree of neighbours; they are lost on the way.
std::vector<double> tree_sum(std::vector<double>& sums, int num);

/// gradient [dim] in space from derivatives [dim] along the reference coordinates; back: d xi_i / d x_j at [i][j].
void to_space(const Jacobian& back, int dim, const double* slopes, double* gradient);

/// d x_i / d xi_j at point q of a cell.
Jacobian jacobian_at(const ElementPoints& points, int dim, int q);

/// Where in a list something was wrong first, whichever thread met it.
class FirstBad {
 public:
  explicit FirstBad(int num_threads) : found_(static_cast<std::size_t>(num_threads), -1) {}
  void set(int thread, std::int64_t position) { found_[static_cast<std::size_t>(thread)] = position; }
  /// -1: nothing was wrong. Threads take parts of the list in their order, and end at what they find.
  std::int64_t position() const {
    for (const std::int64_t at : found_)
      if (at >= 0) return at;
    return -1;
  }

 private:
  std::vector<std::int64_t> found_;  // [threads]
};

inline Functionals as_functionals(const Functional& f) {
  return [&f](const FieldPoint& point, std::span<double> density) { density[0] = f(point); };
}

}  // namespace millrace::detail
