// Quadrature on lines and cubes: exact to the promised degree and no further, symmetric, positive, inside.
#include "millrace/fem/quadrature.hpp"

#include <cmath>

#include "expect.hpp"
#include "fem/basis/eps.hpp"

namespace millrace::testing {
namespace {

/// The error of the integral of t^k, t = 2 x - 1, over [0,1]; at most `size` terms of 1 each.
double error_of_power(const Quadrature& rule, int k) {
  long double sum = 0;
  for (int q = 0; q < rule.size(); ++q)
    sum += rule.weights[static_cast<std::size_t>(q)] * std::pow(2 * static_cast<long double>(*rule.point(q)) - 1, k);
  return static_cast<double>(std::abs(sum - (k % 2 == 0 ? 1.0L / (k + 1) : 0)));
}

void expect_good(const Quadrature& rule, int n) {
  ASSERT_EQ(rule.dim, 1);
  ASSERT_EQ(rule.size(), n);
  double sum = 0;
  for (int q = 0; q < n; ++q) {
    const auto i = static_cast<std::size_t>(q), j = static_cast<std::size_t>(n - 1 - q);
    EXPECT_GT(rule.weights[i], 0);
    EXPECT_GE(rule.points[i], 0);
    EXPECT_LE(rule.points[i], 1);
    if (q > 0) {
      EXPECT_LT(rule.points[i - 1], rule.points[i]);
    }
    EXPECT_NEAR(rule.points[i] + rule.points[j], 1, eps);
    EXPECT_EQ(rule.weights[i], rule.weights[j]);
    sum += rule.weights[i];
  }
  EXPECT_NEAR(sum, 1, n * eps);
  // A point off by eps / 2 moves t^k by k eps, and a weight is off by eps / 2.
  for (int k = 0; k <= rule.degree; ++k) EXPECT_LE(error_of_power(rule, k), (k + 1) * eps) << n << " points, t^" << k;
  if (n <= 12) {
    EXPECT_GT(error_of_power(rule, rule.degree + 1), 1e3 * eps) << n << " points promise too little";
  }
}

TEST(Quadrature, Gauss) {
  for (int n = 1; n <= 24; ++n) {
    const Quadrature rule = gauss(n);
    EXPECT_EQ(rule.degree, 2 * n - 1);
    expect_good(rule, n);
  }
  EXPECT_DOUBLE_EQ(gauss(2).points[0], 0.5 - std::sqrt(1.0 / 12));
  EXPECT_DOUBLE_EQ(gauss(3).weights[1], 4.0 / 9);
}

TEST(Quadrature, GaussLobatto) {
  for (int n = 2; n <= 24; ++n) {
    const Quadrature rule = gauss_lobatto(n);
    EXPECT_EQ(rule.degree, 2 * n - 3);
    EXPECT_EQ(rule.points.front(), 0);
    EXPECT_EQ(rule.points.back(), 1);
    expect_good(rule, n);
  }
  EXPECT_DOUBLE_EQ(gauss_lobatto(4).points[1], 0.5 - std::sqrt(0.05));
  EXPECT_DOUBLE_EQ(gauss_lobatto(3).weights[1], 2.0 / 3);
}

TEST(Quadrature, ProductOnACube) {
  const Quadrature line = gauss(3), cube = tensor(line, 3);
  ASSERT_EQ(cube.size(), 27);
  EXPECT_EQ(cube.dim, 3);
  EXPECT_EQ(cube.degree, 5);
  const double* p = cube.point(1 + 3 * (2 + 3 * 0));  // x fastest
  EXPECT_EQ(p[0], line.points[1]);
  EXPECT_EQ(p[1], line.points[2]);
  EXPECT_EQ(p[2], line.points[0]);
  double sum = 0;
  for (int q = 0; q < cube.size(); ++q)
    sum += cube.weights[static_cast<std::size_t>(q)] * std::pow(cube.point(q)[0], 5) * std::pow(cube.point(q)[1], 4) *
           std::pow(cube.point(q)[2], 3);
  EXPECT_NEAR(sum, 1.0 / 120, 8 * eps / 120);
}

TEST(Quadrature, WhatIsNotPossible) {
  EXPECT_EQ(error_of([] { gauss(25); }), "gauss: 25 points were asked for; 1 to 24 are possible");
  EXPECT_EQ(error_of([] { gauss_lobatto(1); }), "gauss_lobatto: 1 points were asked for; 2 to 24 are possible");
  EXPECT_EQ(error_of([] { tensor(tensor(gauss(2), 2), 2); }),
            "tensor: a rule of dimension 2 was given for dimension 2; it takes a rule of dimension 1, for 1, 2 or 3");
}

}  // namespace
}  // namespace millrace::testing
