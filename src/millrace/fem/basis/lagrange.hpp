// Lagrange polynomials on given nodes of a line: l_i is 1 at node i and 0 at the others.
// In the first barycentric form, l_i(x) = w_i prod_(j != i) (x - x_j), without divisions, so nodes are no special case.
#pragma once

#include <span>
#include <vector>

namespace millrace {

struct Lagrange {
  std::vector<double> nodes;         // [P], distinct
  std::vector<long double> weights;  // [P]: w_i = 1 / prod_(j != i) (x_i - x_j)

  explicit Lagrange(std::span<const double> at);
  int size() const { return static_cast<int>(nodes.size()); }

  /// values[i] = l_i(x), derivatives[i] = l_i'(x); either may be empty. P operations each, times a constant.
  void evaluate(double x, std::span<double> values, std::span<double> derivatives = {}) const;
};

/// The order + 1 nodes i / order of the equispaced lattice (of geometry); the middle for order 0.
std::vector<double> equispaced(int order);

/// Of the Lagrange polynomials on `nodes`, at `points`: both [num points, num nodes].
struct LagrangeTable {
  std::vector<double> values, derivatives;
};
LagrangeTable tabulate_lagrange(std::span<const double> nodes, std::span<const double> points);

}  // namespace millrace
