// An isentropic vortex that the stream carries across the corner of a periodic square: orders in space and in time, and
// what is kept.
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "order_tools.hpp"

namespace millrace::test {

// Exact for the Euler equations in the plane, and on this square but for the tails of its images: 6 radii away the
// vortex has 1e-8 of its speed left. a and b are the distances from the image that is nearest.
const std::string periodic_vortex = R"toml([constants]
L = 12
right = "x + 0.3 - 0.5 * t"
up = "y - 0.2 - 0.3 * t"
a = "right - L * floor(right / L + 0.5)"
b = "up - L * floor(up / L + 0.5)"
turn = "exp((1 - a^2 - b^2) / 2) / (2 * pi)"
T = "1 - 0.4 / 2.8 * turn^2"
[mesh]
generator = "box"
cells = [12, 12]
upper = [12, 12]
[equation]
name = "euler"
[space]
order = 1
[time]
scheme = "dirk3"
step = 0.25
end = 0.5
[exact]
density = "T^2.5"
velocity = ["0.5 - turn * b", "0.3 + turn * a"]
pressure = "T^3.5"
[start]
kind = "exact"
[periodic.x1]
partner = "x0"
[periodic.y1]
partner = "y0"
)toml";

hdg::Case vortex_case(int n, int p, const Exchanges& pieces = {}) {
  const std::string text = exchanged(periodic_vortex, {{"cells = [12, 12]", join("cells = [", n, ", ", n, "]")}});
  return case_of(exchanged(text, pieces), p);
}

TEST(PeriodicVortex, CrossesTheCornerOfTheSquare) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c = vortex_case(12, 2);
  EXPECT_EQ(c.mesh.periodic.size(), 2U);
  const hdg::CaseResult coarse = solved(c), fine = solved(vortex_case(24, 2));
  EXPECT_TRUE(coarse.fluxes.empty());
  EXPECT_GE(std::log2(whole_error(coarse) / whole_error(fine)), 2.6);
  EXPECT_NEAR(coarse.mass_end, coarse.mass_start, 1e-7 * coarse.mass_start);
}

// Time steps so small that errors of space remain; the vortex moves by half its radius.
TEST(SlowHdg, PeriodicVortexInSpace) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (int p = 1; p <= 3; ++p) {
    const std::vector<int> meshes{12, 24, 36};
    std::vector<double> errors;
    for (const int n : meshes)
      errors.push_back(whole_error(solved(
          vortex_case(n, p, {{"step = 0.25", p < 3 ? "step = 0.1" : "step = 0.05"}, {"end = 0.5", "end = 1"}}))));
    for (std::size_t k = 1; k < meshes.size(); ++k)
      report_orders("vortex, 2D, periodic", p, 1, fmt::format("{} to {}", meshes[k - 1], meshes[k]),
                    k + 1 == meshes.size(),
                    {{"u", std::log(errors[k - 1] / errors[k]) / std::log(1.0 * meshes[k] / meshes[k - 1]), p + 0.6}});
  }
}

// Errors of time alone, against steps that are far smaller. Even the largest resolves the fastest waves that the space
// can hold: with longer ones DIRK 3 has an order between 2 and 3.
TEST(SlowHdg, PeriodicVortexInTime) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto state_with = [](const char* scheme, double step) {
    return solved(vortex_case(12, 2,
                              {{"dirk3", scheme},
                               {"step = 0.25", join("step = ", step)},
                               {"[start]", "[solver]\ntolerance = 1e-10\n[start]"}}))
        .state;
  };
  const hdg::State fine = state_with("dirk3", 0.002);
  for (const auto& [scheme, least] : {std::pair{"dirk2", 1.9}, {"dirk3", 2.9}, {"bdf2", 1.9}}) {
    const auto errors = errors_of_steps(fine.u, {0.02, 0.01}, [&](double step) { return state_with(scheme, step).u; });
    report_orders(join("vortex, 2D, periodic, ", scheme, " in time"), 2, 1, "steps of 0.02 and 0.01", true,
                  {{"u", std::log2(errors[0] / errors[1]), least}});
  }
}

}  // namespace millrace::test
