// Steps in time: order conditions, orders where space has no error, conservation, steps by the estimate, resuming.
#include "millrace/hdg/time_steps.hpp"

#include <gtest/gtest.h>

#include "expect.hpp"
#include "hdg_tools.hpp"

namespace millrace::test {

using hdg::TimeScheme;
using testing::error_of;

TEST(TimeSteps, TablesMeetTheOrderConditions) {
  for (const TimeScheme scheme : {TimeScheme::dirk2, TimeScheme::dirk3}) {
    const hdg::DirkTable& t = hdg::dirk_table(scheme);
    const auto stages = to_size(t.num_stages);
    const auto& b = t.a[stages - 1];
    double sum = 0, first = 0, square = 0, twice = 0, low_sum = 0, low_first = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      double row = 0, row_c = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        row += t.a[i][j];
        row_c += t.a[i][j] * t.c[j];
      }
      EXPECT_NEAR(row, t.c[i], 1e-15);
      EXPECT_EQ(t.a[i][i], t.a[0][0]);
      sum += b[i];
      first += b[i] * t.c[i];
      square += b[i] * t.c[i] * t.c[i];
      twice += b[i] * row_c;
      low_sum += t.embedded[i];
      low_first += t.embedded[i] * t.c[i];
    }
    EXPECT_EQ(t.c[stages - 1], 1);
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_NEAR(first, 0.5, 1e-15);
    EXPECT_NEAR(low_sum, 1, 1e-15);
    if (t.order < 3) continue;
    EXPECT_NEAR(square, 1.0 / 3, 1e-15);
    EXPECT_NEAR(twice, 1.0 / 6, 1e-15);
    EXPECT_NEAR(low_first, 0.5, 1e-15);
  }
}

// Values that the space has exactly, times a function of time: all errors are of time. Not stiff: with conditions that
// change with time, Runge-Kutta methods reach their order where the step resolves all that the space can hold.
struct Swing {
  hdg::ConvectionDiffusion<2> physics{.velocity = {0.2, 0.1}, .conductivity = 0.005, .tau = 0.05};
  Mesh mesh = unit_mesh(2, 1);
  hdg::TraceSpace space{mesh, 2};

  static double shape(const double* x) { return 1 + x[0] - 0.5 * x[1] + x[0] * x[1] - x[1] * x[1]; }
  static double in_time(double t) { return std::sin(2 * t) + std::exp(-t); }
  static void exact(const double* x, double t, double* u) { u[0] = shape(x) * in_time(t); }

  hdg::Problem problem() const {
    hdg::Problem made{hdg::make_equation(physics), on_all_sides(2, "dirichlet", {})};
    for (hdg::BoundaryCondition& condition : made.conditions) condition.data_in_time = exact;
    made.source_in_time = [p = physics](const double* x, double t, double* s) {
      const double flow = p.velocity[0] * (1 + x[1]) + p.velocity[1] * (-0.5 + x[0] - 2 * x[1]);
      s[0] = shape(x) * (2 * std::cos(2 * t) - std::exp(-t)) + (flow + 2 * p.conductivity) * in_time(t);
    };
    return made;
  }
  hdg::TimeState start() const { return {.state = hdg::project(space, 1, hdg::at_time(exact, 0))}; }
  static hdg::TimeOptions options(TimeScheme scheme, double step, double tolerance = 0) {
    return {.scheme = scheme,
            .step = step,
            .end = 1,
            .tolerance = tolerance,
            .newton = {.tolerance = 1e-11, .linear_tolerance = 1e-10}};
  }
  double error(const hdg::LocalSolver& solver, const hdg::TimeState& now) const {
    return errors_of(solver, now.state, hdg::at_time(exact, now.time), {}).u;
  }
};

TEST(TimeSteps, OrdersWhereSpaceHasNoError) {
  const Swing swing;
  const hdg::Problem problem = swing.problem();
  Queue queue;
  for (const auto& [scheme, order] :
       {std::pair{TimeScheme::dirk2, 1.9}, {TimeScheme::dirk3, 2.9}, {TimeScheme::bdf2, 1.9}}) {
    std::vector<double> errors;
    for (const int steps : {40, 80}) {
      hdg::LocalSolver solver(swing.space, problem);
      hdg::TimeState now = swing.start();
      int called = 0;
      hdg::TimeOptions options = Swing::options(scheme, 1.0 / steps);
      options.monitor = [&](const hdg::TimeStep& made) {
        EXPECT_EQ(made.number, ++called);
        EXPECT_EQ(made.time, now.time);
        EXPECT_NEAR(made.step, 1.0 / steps, 1e-12);
        EXPECT_GT(made.iterations, 0);
        return true;
      };
      const hdg::TimeReport report = integrate(queue, solver, now, options);
      ASSERT_TRUE(report.finished) << report.reason;
      EXPECT_EQ(called, steps);
      EXPECT_EQ(now.time, 1);
      errors.push_back(swing.error(solver, now));
    }
    const double found = std::log2(errors[0] / errors[1]);
    EXPECT_GE(found, order) << hdg::time_scheme_names()[to_size(static_cast<int>(scheme))] << ' ' << errors[0];
    RecordProperty(hdg::time_scheme_names()[to_size(static_cast<int>(scheme))], std::to_string(found));
  }
}

// A smaller tolerance gives a smaller error with more steps, and the sum of what was allowed bounds it.
TEST(TimeSteps, StepsByTheEstimateReachATolerance) {
  const Swing swing;
  const hdg::Problem problem = swing.problem();
  Queue queue;
  for (const TimeScheme scheme : {TimeScheme::dirk2, TimeScheme::dirk3, TimeScheme::bdf2}) {
    double last_error = 1;
    std::size_t last_steps = 0;
    for (const double tolerance : {1e-3, 1e-4}) {
      hdg::LocalSolver solver(swing.space, problem);
      hdg::TimeState now = swing.start();
      // A first step that is far too long.
      const hdg::TimeReport report = integrate(queue, solver, now, Swing::options(scheme, 0.8, tolerance));
      ASSERT_TRUE(report.finished) << report.reason;
      EXPECT_EQ(now.time, 1);
      const double error = swing.error(solver, now);
      // Every step adds its own error, over the norm of |u| + 1, and nothing in the problem makes it grow.
      EXPECT_LT(error, 4 * tolerance * static_cast<double>(report.steps.size()));
      EXPECT_LT(error, 0.5 * last_error);
      EXPECT_GT(report.steps.size(), last_steps);
      EXPECT_GT(report.steps[0].num_rejected, 0);
      for (const hdg::TimeStep& step : report.steps) EXPECT_LE(step.error, tolerance);
      last_error = error;
      last_steps = report.steps.size();
    }
  }
}

TEST(TimeSteps, AResumedRunTakesTheSameSteps) {
  const Swing swing;
  const hdg::Problem problem = swing.problem();
  Queue queue;
  for (const double tolerance : {0.0, 1e-3}) {
    hdg::TimeOptions options = Swing::options(TimeScheme::bdf2, 0.125, tolerance);
    hdg::LocalSolver solver(swing.space, problem);
    hdg::TimeState whole = swing.start(), parts = swing.start();
    ASSERT_TRUE(integrate(queue, solver, whole, options).finished);
    options.monitor = [](const hdg::TimeStep&) { return false; };
    int stops = 0;
    while (parts.time < 1) {
      hdg::LocalSolver another(swing.space, problem);
      const hdg::TimeReport report = integrate(queue, another, parts, options);
      EXPECT_EQ(report.steps.size(), 1U);
      EXPECT_EQ(report.reason, "stopped by the caller");
      ASSERT_LE(++stops, whole.number);
    }
    EXPECT_EQ(parts.number, whole.number);
    EXPECT_EQ(parts.state.u, whole.state.u);
    EXPECT_EQ(parts.state.trace, whole.state.trace);
  }
}

// Sound in a closed box: nothing flows through the walls, so mass and energy stay, while pressures change.
TEST(TimeSteps, AGasInAClosedBoxKeepsMassAndEnergy) {
  const Mesh mesh = unit_mesh(2, 3);
  const hdg::TraceSpace space(mesh, 2);
  const hdg::Problem problem{hdg::make_equation(hdg::Euler<2>{}), on_all_sides(2, "slip-wall", {})};
  const auto start = [](const double* x, double* u) {
    const double bump = 0.2 * std::exp(-10 * (std::pow(x[0] - 0.4, 2) + std::pow(x[1] - 0.5, 2)));
    u[0] = 1 + bump;
    u[1] = u[2] = 0;
    u[3] = (1 / 1.4 + bump) / 0.4;
  };
  Queue queue;
  for (const TimeScheme scheme : {TimeScheme::dirk2, TimeScheme::dirk3, TimeScheme::bdf2}) {
    hdg::LocalSolver solver(space, problem);
    hdg::TimeState now{.state = hdg::project(space, 4, start)};
    const auto integrals = [&] {
      std::array<double, 3> sums{};  // mass, energy, density squared
      hdg::for_each_point(solver, now.state, [&](const double*, double weight, const double* u, const double*) {
        sums[0] += weight * u[0];
        sums[1] += weight * u[3];
        sums[2] += weight * u[0] * u[0];
      });
      return sums;
    };
    const auto before = integrals();
    const hdg::TimeReport report =
        integrate(queue, solver, now, {.scheme = scheme, .step = 0.05, .end = 0.3, .newton = {.tolerance = 1e-12}});
    ASSERT_TRUE(report.finished) << report.reason;
    const auto after = integrals();
    EXPECT_NEAR(after[0], before[0], 1e-12);
    EXPECT_NEAR(after[1], before[1], 1e-11);
    EXPECT_GT(std::abs(after[2] - before[2]), 1e-4);
  }
}

TEST(TimeSteps, AStepThatFailsIsSaidAndIsNoError) {
  const Swing swing;
  const hdg::Problem problem = swing.problem();
  Queue queue;
  hdg::LocalSolver solver(swing.space, problem);
  hdg::TimeState now = swing.start();
  hdg::TimeOptions options = Swing::options(TimeScheme::dirk2, 0.1);
  options.newton.max_steps = 0;
  const hdg::TimeReport report = integrate(queue, solver, now, options);
  EXPECT_FALSE(report.finished);
  EXPECT_EQ(now.time, 0);
  EXPECT_NE(report.reason.find("the step of 0.1 from time 0 failed: the residual is "), std::string::npos);
  EXPECT_NE(report.reason.find("; a smaller step might help"), std::string::npos) << report.reason;
  options.tolerance = 1e-3;
  EXPECT_NE(integrate(queue, solver, now, options).reason.find("smaller ones did not help"), std::string::npos);
  options = Swing::options(TimeScheme::dirk2, 0.1);
  options.max_steps = 2;
  EXPECT_NE(integrate(queue, solver, now, options).reason.find("after 2 steps, the most allowed"), std::string::npos);
}

TEST(TimeSteps, RefusesWhatMakesNoSense) {
  const Swing swing;
  const hdg::Problem problem = swing.problem();
  Queue queue;
  hdg::LocalSolver solver(swing.space, problem);
  hdg::TimeState now = swing.start();
  const auto refused = [&](const hdg::TimeOptions& options, const std::string& wanted) {
    const std::string text = error_of([&] { integrate(queue, solver, now, options); });
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
  };
  refused({.step = 0, .end = 1}, "the time step is 0; a positive one is accepted");
  refused({.step = -0.1, .end = 1}, "the time step is -0.1; a positive one is accepted");
  refused({.step = 0.1, .end = -1}, "the time ends at -1, and begins at 0; ");
  refused({.step = 0.1, .end = 1, .tolerance = -1}, "steps in time have tolerance -1, ");
  now.earlier = {{-0.1, {1, 2}}};
  refused({.step = 0.1, .end = 1}, "an earlier level of time -0.1 with 2 numbers");
  // Pseudo-time has no place in a stage.
  const std::string mixed = error_of([&] { newton(queue, solver, now.state, {.cfl = 1, .time = {1, now.state.u}}); });
  EXPECT_NE(mixed.find("with neither pseudo-time nor a kept mass"), std::string::npos) << mixed;
}

}  // namespace millrace::test
