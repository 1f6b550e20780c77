// The plot of residuals: an axis, and no failure whatever the numbers are.
#include "terminal/residual_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace millrace::command {

TEST(ResidualView, PlotsHaveAnAxisAndNeverFail) {
  const Style style;
  const std::vector<double> falling{1, 1e-2, 1e-4, 1e-9}, odd{0, NAN, INFINITY, 1e-300, 1e300};
  const std::string plot = residual_plot(falling, 1e-8, 6, style);
  EXPECT_EQ(std::count(plot.begin(), plot.end(), '\n'), 7);
  EXPECT_NE(plot.find("3 iterations"), std::string::npos);
  EXPECT_EQ(residual_plot(odd, 1e-8, 6, style).empty(), false);
  EXPECT_EQ(residual_plot({}, 1e-8, 6, style), "");
}

}  // namespace millrace::command
