// Rules of integrals, and their sums.
#include "millrace/fem/integral/rules.hpp"

#include <algorithm>

#include "millrace/base/part_sums.hpp"

namespace millrace::detail {

void check_integral(const Queue& queue, int num, bool has_function, std::string_view what) {
  require<Unsupported>(queue.device().on_host(), what, ": integrals are computed on the host; the queue is of a GPU");
  require(num >= 1, what, ": ", num, " functionals were asked for; 1 or more are right");
  require(has_function, what, ": the functional is empty");
}

Points integral_points(Cell cell, int order, const Points& asked) {
  Points points = asked;
  constexpr int highest_degree = 20;  // of simplex_rule
  if (is_tensor(cell) && points.num == 0) points.num = order + 3;
  if (!is_tensor(cell) && points.degree < 0) points.degree = std::min(2 * order + 4, highest_degree);
  return points;
}

std::vector<double> tree_sum(std::vector<double>& sums, int num) {
  if (sums.empty()) return std::vector<double>(to_size(num));
  add_neighbours(sums.data(), std::ssize(sums) / num, num);
  return {sums.begin(), sums.begin() + num};
}

void to_space(const Jacobian& back, int dim, const double* slopes, double* gradient) {
  for (int d = 0; d < dim; ++d) {
    gradient[d] = 0;
    for (int j = 0; j < dim; ++j) gradient[d] += slopes[j] * back[to_size(j)][to_size(d)];
  }
}

Jacobian jacobian_at(const ElementPoints& points, int dim, int q) {
  Jacobian j{};
  for (int a = 0; a < dim; ++a)
    for (int b = 0; b < dim; ++b)
      j[to_size(a)][to_size(b)] = points.jacobians[std::ptrdiff_t{a * dim + b} * points.num_points + q];
  return j;
}

}  // namespace millrace::detail
