// Cases with a table [time]: formulas of t, the report of every step, errors of the file; and orders in space of a
// vortex that travels (slow).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "expect.hpp"
#include "order_tools.hpp"

namespace millrace::test {

using testing::error_of;

// Diffusion of a wave that fades; t in a condition, in the solution and in a constant.
const std::string fading_wave = R"toml([constants]
rate = "exp(-t)"
[mesh]
generator = "box"
cells = [2, 2]
[equation]
name = "convection-diffusion"
velocity = [1, 0]
[space]
order = 2
[time]
scheme = "dirk3"
step = 0.05
start = 0.5
end = 1
[exact]
value = "rate * (1 + t * 0)"
[start]
value = "exp(-t)"
[boundary.x0]
kind = "dirichlet"
[boundary.x1]
kind = "neumann"
flux = "rate"
[boundary.y0]
kind = "neumann"
flux = 0
[boundary.y1]
kind = "neumann"
flux = 0
)toml";

// An isentropic vortex that the stream carries across the square, exact for the Euler equations.
const std::string moving_vortex = R"toml([constants]
R = 0.2
strength = 1
a = "(x - 0.4 - 0.5 * t) / R"
b = "(y - 0.45 - 0.3 * t) / R"
turn = "strength / (2 * pi) * exp((1 - a^2 - b^2) / 2)"
T = "1 - 0.4 / 2.8 * turn^2"
[mesh]
generator = "box"
cells = [8, 8]
[equation]
name = "euler"
[space]
order = 1
[time]
scheme = "dirk3"
step = 0.025
end = 0.2
[exact]
density = "T^2.5"
velocity = ["0.5 - turn * b", "0.3 + turn * a"]
pressure = "T^3.5"
[start]
kind = "exact"
[boundary.x0]
kind = "dirichlet"
[boundary.x1]
kind = "dirichlet"
[boundary.y0]
kind = "dirichlet"
[boundary.y1]
kind = "dirichlet"
)toml";

TEST(CaseTime, AVortexTravels) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c = case_of(moving_vortex, 2);
  ASSERT_TRUE(c.time.has_value());
  EXPECT_EQ(c.time->scheme, hdg::TimeScheme::dirk3);
  const hdg::CaseResult result = solved(c);
  ASSERT_EQ(result.steps.size(), 8U);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(result.steps[k].time->time, 0.025 * static_cast<double>(k + 1), 1e-14);
    EXPECT_EQ(result.steps[k].fluxes.size(), 4U);
  }
  EXPECT_NE(result.reason.find("the time is 0.2 after 8 steps"), std::string::npos) << result.reason;
  // Of a vortex that stayed where it was the error would be near 0.1.
  EXPECT_LT(whole_error(result), 5e-3);
}

TEST(CaseTime, FormulasOfTime) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c = case_of(fading_wave);
  EXPECT_EQ(c.time_start, 0.5);
  const double here[3] = {};
  double value = 0;
  c.start(here, &value);
  EXPECT_DOUBLE_EQ(value, std::exp(-0.5));
  c.exact(here, &value);
  EXPECT_DOUBLE_EQ(value, std::exp(-1));
  for (const hdg::BoundaryCondition& condition : c.problem.conditions) {
    const bool changes = condition.group == "x0" || condition.group == "x1";
    ASSERT_EQ(static_cast<bool>(condition.data_in_time), changes) << condition.group;
    if (!changes) continue;
    condition.data_in_time(here, 0.75, &value);
    EXPECT_DOUBLE_EQ(value, std::exp(-0.75));
  }
  // What flows through the sides, summed over the steps, is what the inside loses.
  const hdg::CaseResult result = solved(case_of(exchanged(fading_wave, {{"step = 0.05", "step = 0.01"}})));
  EXPECT_EQ(result.steps.size(), 50U);
  double lost = 0;
  for (const hdg::CaseStep& step : result.steps)
    for (const hdg::BoundaryFlux& flux : step.fluxes) lost += step.time->step * flux.flux[0];
  EXPECT_GT(std::abs(lost), 0.02);
  EXPECT_NEAR(lost, result.mass_start - result.mass_end, 3e-3);  // half a step times the change of the flux
}

TEST(CaseTime, SaysWhatIsWrong) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto refused = [&](const Exchanges& pieces, const std::string& wanted) {
    const std::string text = error_of([&] { case_of(exchanged(fading_wave, pieces)); });
    EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nwanted: " << wanted;
  };
  refused({{"step = 0.05", "step = 0"}}, "case.toml:13:8: 'time.step' is 0; a positive number is accepted");
  refused({{"step = 0.05", "step = -1"}}, "case.toml:13:8: 'time.step' is -1; a positive number is accepted");
  refused({{"dirk3", "rk4"}}, "case.toml:12:10: 'time.scheme' is 'rk4'; accepted are: dirk2, dirk3, bdf2");
  refused({{"end = 1", "end = 0.5"}},
          "case.toml:15:7: 'time.end' is 0.5, and the start 0.5; an end after the start is accepted");
  refused({{"end = 1", "end = 1\ntolerance = 0"}}, "case.toml:16:13: 'time.tolerance' is 0; a positive number is ");
  refused({{"end = 1", "end = 1\nmax_step = 1"}}, "case.toml:16:12: 'time.max_step' is of use only where ");
  refused({{"end = 1", "end = 1\nsteps = 3"}},
          "'time.steps' is no key here, and 'step' is the nearest; accepted are: end, ");
  refused({{"step = 0.05\n", ""}}, "case.toml:11:1: [time] needs 'step', a number");
  refused({{"rate = ", "t = 1\nrate = "}}, "'constants.t' has a meaning in formulas already, the time");
  refused({{"[exact]", "[exact]\nsource = true"}}, "'exact.source' of a solution that changes with time");
  // Without the table there is no time.
  refused({{"[time]\nscheme = \"dirk3\"\nstep = 0.05\nstart = 0.5\nend = 1\n", ""}}, "'t' is unknown; ");
}

// Time steps so small that errors of space remain.
TEST(SlowHdg, AMovingVortex) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (int p = 1; p <= 3; ++p) {
    double errors[2];
    int k = 0;
    for (const int n : {8, 16})
      errors[k++] = whole_error(
          solved(case_of(exchanged(moving_vortex, {{"[8, 8]", join("[", n, ", ", n, "]")},
                                                   {"step = 0.025", p < 3 ? "step = 0.02" : "step = 0.01"}}),
                         p)));
    const double order = std::log2(errors[0] / errors[1]);
    fmt::print("vortex in time, p = {}: errors {:.3e} {:.3e}, order {:.2f}\n", p, errors[0], errors[1], order);
    EXPECT_GE(order, p + 0.6) << p;
  }
}

// And errors of time alone, against steps that are far smaller. Even the largest resolves the fastest waves that the
// space can hold: with longer ones DIRK 3 has an order between 2 and 3.
TEST(SlowHdg, AMovingVortexInTime) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto state_with = [](const char* scheme, double step) {
    const Exchanges pieces{{"dirk3", scheme},
                           {"[8, 8]", "[4, 4]"},
                           {"end = 0.2", "end = 0.1"},
                           {"step = 0.025", join("step = ", step)},
                           {"[start]", "[solver]\ntolerance = 1e-10\n[start]"}};
    return solved(case_of(exchanged(moving_vortex, pieces), 2)).state;
  };
  const hdg::State fine = state_with("dirk3", 0.0005);
  for (const auto& [scheme, least] : {std::pair{"dirk2", 1.9}, {"dirk3", 2.9}, {"bdf2", 1.9}}) {
    const auto errors =
        errors_of_steps(fine.u, {0.005, 0.0025}, [&](double step) { return state_with(scheme, step).u; });
    const double order = std::log2(errors[0] / errors[1]);
    fmt::print("vortex in time, {}: errors {:.3e} {:.3e}, order {:.2f}\n", scheme, errors[0], errors[1], order);
    EXPECT_GE(order, least) << scheme;
  }
}

}  // namespace millrace::test
