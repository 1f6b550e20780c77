// Derivatives by dual numbers against formulas, and against central differences.
#include "millrace/base/dual.hpp"

#include <gtest/gtest.h>

#include <array>

namespace millrace::testing {
namespace {

using D = Dual<double, 2>;

// f(x, y) with everything that duals can do.
template <class N>
N everything(const N& x, const N& y) {
  using std::cos, std::exp, std::log, std::pow, std::sin, std::sqrt;
  N r = (x * y - 2.0) / (1.0 + x * x) + sqrt(x + 3.0) * exp(-y) - log(2.0 * x) / y;
  r += sin(x) * cos(y) * 0.5;
  r -= pow(x, 1.7) / 3.0;
  r *= 1.25;
  return smooth_abs(r, 0.05) + (1.0 - y) - 1.0 / x + (-x);
}

TEST(Dual, AgreesWithCentralDifferences) {
  for (const auto& [x, y] : {std::array{0.7, 1.3}, {2.1, 0.4}, {1.0, 3.0}}) {
    const D r = everything(D::variable(x, 0), D::variable(y, 1));
    constexpr double h = 1e-6;
    EXPECT_DOUBLE_EQ(r.value, everything(x, y));  // but for where products are fused
    EXPECT_NEAR(r.slope[0], (everything(x + h, y) - everything(x - h, y)) / (2 * h), 1e-8);
    EXPECT_NEAR(r.slope[1], (everything(x, y + h) - everything(x, y - h)) / (2 * h), 1e-8);
  }
}

TEST(Dual, RulesOfDerivativesHoldExactly) {
  const D x = D::variable(3, 0), y = D::variable(2, 1);
  EXPECT_EQ((x * y).slope[0], 2);
  EXPECT_EQ((x * y).slope[1], 3);
  EXPECT_EQ((x / y).slope[1], -0.75);
  EXPECT_EQ((6.0 / y).slope[1], -1.5);
  EXPECT_EQ((x - x).slope[0], 0);
  EXPECT_EQ(D(5).slope[1], 0);  // a constant
  EXPECT_TRUE(y < x && x > y && !(x < y));
  EXPECT_TRUE(y <= x && x >= y && x <= x && !(x <= y));
  EXPECT_EQ(value_of(x), 3);
  D z = x;
  z *= y;
  EXPECT_EQ(z.slope[1], 3);
  z /= y;
  EXPECT_EQ(z.value, 3);
  EXPECT_EQ(z.slope[0], 1);
  EXPECT_EQ(z.slope[1], 0);
  const D t = tanh(y);
  EXPECT_EQ(t.value, std::tanh(2.0));
  EXPECT_NEAR(t.slope[1], 1 / (std::cosh(2.0) * std::cosh(2.0)), 1e-15);
}

TEST(Dual, SmoothAbsHasNoKink) {
  const Dual<double, 1> zero = Dual<double, 1>::variable(0, 0), r = smooth_abs(zero, 0.05);
  EXPECT_DOUBLE_EQ(r.value, 0.05);
  EXPECT_EQ(r.slope[0], 0);
  EXPECT_NEAR(smooth_abs(-3.0, 1e-3), 3, 1e-6);
}

}  // namespace
}  // namespace millrace::testing
