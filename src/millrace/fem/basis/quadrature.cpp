// Gauss and Gauss-Lobatto rules on [0,1], and their products on squares and cubes.
#include "millrace/fem/quadrature.hpp"

#include "millrace/base/error.hpp"
#include "millrace/fem/basis/jacobi_polynomials.hpp"

namespace millrace {
namespace {

constexpr int max_points = 24;

void add(Quadrature& rule, LongReal t, LongReal weight) {  // from [-1,1] to [0,1]
  rule.points.push_back(static_cast<double>((1 + t) / 2));
  rule.weights.push_back(static_cast<double>(weight / 2));
}

}  // namespace

Quadrature gauss(int n) {
  require(1 <= n && n <= max_points, "gauss: ", n, " points were asked for; 1 to ", max_points, " are possible");
  Quadrature rule{1, 2 * n - 1, {}, {}};
  for (const LongReal t : jacobi_zeros(n, 0, 0)) {
    const LongReal slope = jacobi(n, 0, 0, t).derivative;
    add(rule, t, 2 / ((1 - t * t) * slope * slope));
  }
  return rule;
}

Quadrature gauss_lobatto(int n) {
  require(2 <= n && n <= max_points, "gauss_lobatto: ", n, " points were asked for; 2 to ", max_points,
          " are possible");
  const auto weight = [&](LongReal t) {
    const LongReal value = jacobi(n - 1, 0, 0, t).value;
    return 2 / (n * static_cast<LongReal>(n - 1) * value * value);
  };
  Quadrature rule{1, 2 * n - 3, {}, {}};
  add(rule, -1, weight(-1));
  for (const LongReal t : jacobi_zeros(n - 2, 1, 1)) add(rule, t, weight(t));  // the extrema of P_(n-1)
  add(rule, 1, weight(1));
  return rule;
}

Quadrature tensor(const Quadrature& rule, int dim) {
  require(rule.dim == 1 && 1 <= dim && dim <= 3, "tensor: a rule of dimension ", rule.dim, " was given for dimension ",
          dim, "; it takes a rule of dimension 1, for 1, 2 or 3");
  const int n = rule.size();
  Quadrature product{dim, rule.degree, {}, {}};
  for (int k = 0; k < (dim > 2 ? n : 1); ++k)
    for (int j = 0; j < (dim > 1 ? n : 1); ++j)
      for (int i = 0; i < n; ++i) {
        double weight = 1;
        const int at[3] = {i, j, k};
        for (int d = 0; d < dim; ++d) {
          product.points.push_back(rule.points[static_cast<std::size_t>(at[d])]);
          weight *= rule.weights[static_cast<std::size_t>(at[d])];
        }
        product.weights.push_back(weight);
      }
  return product;
}

}  // namespace millrace
