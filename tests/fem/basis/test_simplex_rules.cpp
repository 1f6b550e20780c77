// Rules on simplices: every monomial of the degree to rounding, positive weights, points inside, few of them.
#include <algorithm>
#include <cmath>

#include "expect.hpp"
#include "fem/basis/eps.hpp"
#include "millrace/fem/basis/orbit_rules.hpp"
#include "millrace/fem/quadrature.hpp"

namespace millrace::testing {
namespace {

/// x^a y^b z^c over the unit simplex: a! b! c! / (a + b + c + dim)!
double exact(int dim, int a, int b, int c) {
  double value = 1;  // by quotients that stay small: j / (1 + 2 + ..)
  int below = 0;
  for (const int exponent : {a, b, c})
    for (int j = 1; j <= exponent; ++j) value *= static_cast<double>(j) / ++below;
  for (int j = 1; j <= dim; ++j) value /= ++below;
  return value;
}

/// All monomials up to the degree against their exact integrals, each within its bound.
void expect_exact(const Quadrature& rule, int degree) {
  const auto num = static_cast<std::size_t>(degree) + 1, size = static_cast<std::size_t>(rule.size());
  std::vector<double> power(3 * size * num, 1);  // [dim, point, exponent]; 1 for coordinates that are not there
  for (std::size_t q = 0; q < size; ++q)
    for (std::size_t d = 0; d < static_cast<std::size_t>(rule.dim); ++d)
      for (std::size_t k = 1; k < num; ++k)
        power[(d * size + q) * num + k] = power[(d * size + q) * num + k - 1] * rule.point(static_cast<int>(q))[d];
  for (int c = 0; c <= (rule.dim > 2 ? degree : 0); ++c)
    for (int b = 0; b <= (rule.dim > 1 ? degree - c : 0); ++b)
      for (int a = 0; a <= degree - b - c; ++a) {
        long double sum = 0;
        double bound = 0;
        for (std::size_t q = 0; q < size; ++q) {
          const double *x = &power[q * num], *y = &power[(size + q) * num], *z = &power[(2 * size + q) * num];
          const double w = rule.weights[q], product = w * x[a] * y[b] * z[c];
          sum += product;
          // Rounding of the products; weights and coordinates that are themselves rounded, the latter by eps / 2 of
          // one, and in the last coordinate of an orbit up to three of those add up.
          bound += eps * (a + b + c + 4) * product;
          bound += 2 * eps * w * (a > 0 ? a * x[a - 1] * y[b] * z[c] : 0);
          bound += 2 * eps * w * (b > 0 ? b * x[a] * y[b - 1] * z[c] : 0);
          bound += 2 * eps * w * (c > 0 ? c * x[a] * y[b] * z[c - 1] : 0);
        }
        ASSERT_NEAR(static_cast<double>(sum), exact(rule.dim, a, b, c), bound)
            << "dimension " << rule.dim << ", degree " << degree << ", " << a << " " << b << " " << c;
      }
}

void expect_positive_and_inside(const Quadrature& rule) {
  for (int q = 0; q < rule.size(); ++q) {
    double sum = 0;
    for (int d = 0; d < rule.dim; ++d) {
      ASSERT_GT(rule.point(q)[d], 0);
      sum += rule.point(q)[d];
    }
    ASSERT_LT(sum, 1);
    ASSERT_GT(rule.weights[static_cast<std::size_t>(q)], 0);
  }
}

TEST(SimplexRule, ExactPositiveInside) {
  for (int dim = 1; dim <= 3; ++dim)
    for (int degree = 0; degree <= 20; ++degree) {
      const Quadrature rule = simplex_rule(dim, degree), collapsed = collapsed_rule(dim, degree);
      EXPECT_EQ(rule.dim, dim);
      EXPECT_GE(rule.degree, degree);
      EXPECT_LE(rule.size(), std::max(collapsed.size(), 6));  // degree 3 on a triangle: 4, but not symmetric
      expect_positive_and_inside(rule);
      expect_exact(rule, rule.degree);
      if (degree % 4 > 0) continue;
      expect_positive_and_inside(collapsed);
      expect_exact(collapsed, degree);
    }
}

TEST(SimplexRule, StoredRulesAreSymmetricAndGrow) {
  for (int dim = 2; dim <= 3; ++dim) {
    int last_degree = 0, last_size = 0;
    for (const OrbitRule& stored : dim == 2 ? triangle_rules() : tet_rules()) {
      const Quadrature rule = simplex_rule(dim, stored.degree);
      EXPECT_EQ(rule.degree, stored.degree);
      EXPECT_GT(rule.degree, last_degree);
      EXPECT_GT(rule.size(), last_size);
      last_degree = rule.degree;
      last_size = rule.size();
      std::vector<std::vector<double>> points, turned;  // x and y exchanged give the same set of points
      for (int q = 0; q < rule.size(); ++q) {
        points.emplace_back(rule.point(q), rule.point(q) + dim);
        turned.push_back(points.back());
        std::swap(turned.back()[0], turned.back()[1]);
      }
      std::sort(points.begin(), points.end());
      std::sort(turned.begin(), turned.end());
      EXPECT_EQ(points, turned) << dim << ", degree " << rule.degree;
      EXPECT_EQ(std::adjacent_find(points.begin(), points.end()), points.end()) << "a point twice";
    }
  }
}

// What our search found, degree 1, 2, ..: a new table may be smaller, never larger.
TEST(SimplexRule, FewPoints) {
  const std::vector<int> triangle = {1, 3, 6, 6, 7, 12, 15, 16, 19, 25, 30, 33, 37, 42, 49, 55, 60, 67, 75, 79},
                         tet = {1, 4, 8, 14, 14, 24, 35, 46, 61, 84, 103, 128, 156, 182, 236, 288, 406, 686, 701, 701};
  for (int degree = 1; degree <= 20; ++degree) {
    EXPECT_LE(simplex_rule(2, degree).size(), triangle[static_cast<std::size_t>(degree - 1)]) << degree;
    EXPECT_LE(simplex_rule(3, degree).size(), tet[static_cast<std::size_t>(degree - 1)]) << degree;
  }
}

TEST(SimplexRule, WhatIsNotPossible) {
  EXPECT_EQ(error_of([] { simplex_rule(3, 21); }),
            "simplex_rule: dimension 3 and degree 21 were asked for; 1 to 3 and 0 to 20 are possible");
  EXPECT_EQ(error_of([] { collapsed_rule(4, 2); }),
            "collapsed_rule: dimension 4 and degree 2 were asked for; 1 to 3 and 0 to 20 are possible");
}

}  // namespace
}  // namespace millrace::testing
