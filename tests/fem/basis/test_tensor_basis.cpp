// Lagrange polynomials on a line and the tables of tensor bases of every order.
#include <cmath>

#include "expect.hpp"
#include "fem/basis/eps.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/fem/basis/lagrange.hpp"

namespace millrace::testing {
namespace {

/// A row times a vector, and the bound of its rounding errors: (n + 2) eps sum |a| |x|.
struct Sum {
  double value = 0, bound = 0;
};
template <class F>
Sum sum_of(const std::vector<double>& table, int row, int n, F&& x) {
  Sum sum;
  for (int i = 0; i < n; ++i) {
    const double a = table[static_cast<std::size_t>(row * n + i)];
    sum.value += a * x(i);
    sum.bound += (n + 2) * eps * std::abs(a * x(i));
  }
  return sum;
}

std::vector<Quadrature> rules_for(int order) {
  return {gauss(order + 1), gauss(order + 2), gauss(order + 4), gauss_lobatto(order + 1), gauss_lobatto(order + 3)};
}

TEST(Lagrange, OneAtItsNodeAndExactOnPolynomials) {
  for (int order = 0; order <= 8; ++order) {
    const std::vector<double> nodes = equispaced(order);
    const LagrangeTable at_nodes = tabulate_lagrange(nodes, nodes);
    for (int i = 0; i <= order; ++i)
      for (int j = 0; j <= order; ++j)
        EXPECT_EQ(at_nodes.values[static_cast<std::size_t>(i * (order + 1) + j)], i == j ? 1 : 0);
    const double x = 0.371;
    const LagrangeTable table = tabulate_lagrange(nodes, std::vector{x});
    const auto power = [&](int i) { return std::pow(nodes[static_cast<std::size_t>(i)], order); };
    const Sum value = sum_of(table.values, 0, order + 1, power), slope = sum_of(table.derivatives, 0, order + 1, power);
    EXPECT_NEAR(value.value, std::pow(x, order), value.bound);
    EXPECT_NEAR(slope.value, order == 0 ? 0 : order * std::pow(x, order - 1), slope.bound);
  }
}

TEST(Lagrange, NodesMustBeDistinct) {
  EXPECT_EQ(error_of([] {
              Lagrange(std::vector{0.0, 0.5, 0.5});
            }),
            "lagrange: node 1, at 0.5, was given twice; nodes must be distinct");
}

TEST(TensorBasis, PartitionOfUnityAndPolynomials) {
  for (int order = 1; order <= 16; ++order)
    for (const Quadrature& rule : rules_for(order)) {
      const TensorBasis basis = make_tensor_basis(order, rule);
      ASSERT_EQ(basis.num_nodes(), order + 1);
      ASSERT_EQ(basis.num_points, rule.size());
      for (int q = 0; q < basis.num_points; ++q)
        for (int k = 0; k <= order; ++k) {  // k = 0: the sum of the shape functions is one, its slope zero
          const double x = basis.points[static_cast<std::size_t>(q)];
          const auto power = [&](int i) { return std::pow(basis.nodes[static_cast<std::size_t>(i)], k); };
          const Sum value = sum_of(basis.interp, q, order + 1, power), slope = sum_of(basis.grad, q, order + 1, power);
          // Points are rounded: x (1 + eps / 2) moves x^k by k eps / 2.
          EXPECT_NEAR(value.value, std::pow(x, k), value.bound + k * eps) << order << ", x^" << k;
          EXPECT_NEAR(slope.value, k == 0 ? 0 : k * std::pow(x, k - 1), slope.bound + k * k * eps) << order;
        }
    }
}

TEST(TensorBasis, GradIsCollocatedTimesInterp) {
  for (int order = 1; order <= 16; ++order)
    for (const Quadrature& rule : rules_for(order)) {
      const TensorBasis basis = make_tensor_basis(order, rule);
      const int p = order + 1, n = basis.num_points;
      for (int q = 0; q < n; ++q)
        for (int i = 0; i < p; ++i) {
          const Sum sum =
              sum_of(basis.collocated, q, n, [&](int r) { return basis.interp[static_cast<std::size_t>(r * p + i)]; });
          EXPECT_NEAR(sum.value, basis.grad[static_cast<std::size_t>(q * p + i)], sum.bound)
              << order << ": " << q << " " << i;
        }
    }
}

TEST(TensorBasis, SymmetricToTheLastBit) {
  for (int order = 1; order <= 16; ++order)
    for (const Quadrature& rule : rules_for(order)) {
      const TensorBasis basis = make_tensor_basis(order, rule);
      const auto expect_mirror = [](const std::vector<double>& table, double sign) {
        for (std::size_t i = 0, j = table.size(); i < j--; ++i) ASSERT_EQ(table[i], sign * table[j]);
      };
      expect_mirror(basis.interp, 1);
      expect_mirror(basis.grad, -1);
      expect_mirror(basis.collocated, -1);
    }
}

TEST(TensorBasis, OnItsNodes) {
  for (int order = 1; order <= 16; ++order) {
    const TensorBasis basis = make_tensor_basis(order, gauss_lobatto(order + 1));
    EXPECT_TRUE(basis.on_nodes);
    EXPECT_FALSE(make_tensor_basis(order, gauss_lobatto(order + 2)).on_nodes);
    EXPECT_EQ(basis.grad, basis.collocated);
    for (int q = 0; q <= order; ++q)
      for (int i = 0; i <= order; ++i)
        EXPECT_EQ(basis.interp[static_cast<std::size_t>(q * (order + 1) + i)], q == i ? 1 : 0);
  }
}

TEST(TensorBasis, WhatIsNotPossible) {
  EXPECT_EQ(error_of([] { make_tensor_basis(17, gauss(20)); }),
            "make_tensor_basis: order 17 was asked for; 1 to 16 are possible");
  EXPECT_EQ(
      error_of([] { make_tensor_basis(4, gauss(4)); }),
      "make_tensor_basis: order 4 needs a rule of dimension 1 with 5 points or more; this one has dimension 1 and 4 "
      "points");
}

}  // namespace
}  // namespace millrace::testing
