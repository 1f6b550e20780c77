// Flow around an aerofoil from rest: drag, no lift on a symmetric mesh, few Newton steps with a quadratic end; and the
// start of one that sways behind a cylinder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "case_tools.hpp"

namespace millrace::test {

TEST(Flow, Naca0012OnACoarseMesh) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c =
      case_of(exchanged(text_of_example("naca0012.toml"), {{"around = 60", "around = 24"},
                                                           {"across = 24", "across = 12"},
                                                           {"wake = 30", "wake = 9"},
                                                           {"far = 100", "far = 50"},
                                                           {"wake_length = 100", "wake_length = 50"},
                                                           {"first_height = 0.004", "first_height = 0.012"}}),
              2);
  Queue queue;
  const hdg::CaseResult result = hdg::run_case(queue, c);
  EXPECT_TRUE(result.converged) << result.reason;
  const hdg::OrderResult& last = result.orders.back();
  EXPECT_NEAR(last.coefficients.drag, 0.055, 0.03 * 0.055);
  EXPECT_LT(std::abs(last.coefficients.lift), 1e-8);
  EXPECT_LT(last.residual, 1e-10);
  EXPECT_LE(result.steps.size(), 30U);
  const std::size_t end = result.steps.size();
  EXPECT_LT(result.steps[end - 1].newton.residual, 0.02 * result.steps[end - 2].newton.residual);
}

// It begins with eddies, so that there is a lift from the first step on, and no wait for one to grow from rounding.
TEST(Flow, TheWakeOfACylinderSwaysAtOnce) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c =
      case_of(exchanged(text_of_example("cylinder_vortices.toml"),
                        {{"around = 40", "around = 16"}, {"across = 20", "across = 8"}, {"end = 70", "end = 1.5"}}),
              2);
  const hdg::CaseResult result = solved(c);
  ASSERT_EQ(result.steps.size(), 5U);
  double largest = 0;
  for (const hdg::CaseStep& step : result.steps) largest = std::max(largest, std::abs(step.coefficients.lift));
  EXPECT_GT(largest, 0.2);
  EXPECT_NEAR(result.steps.back().coefficients.drag, 1.4, 0.4);
}

}  // namespace millrace::test
