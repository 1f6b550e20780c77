// Trace systems of a flow: one solution whatever the settings, fewer iterations with two levels, and the ladder of
// safer settings.
#include "millrace/hdg/trace_solver.hpp"

#include <gtest/gtest.h>

#include "hdg_tools.hpp"
#include "millrace/hdg/trace_system.hpp"

namespace millrace::test {
namespace {

/// The linearised system of a made-up flow at its projection.
struct FlowSystem {
  Made made = made_up_flow({.mach = 0.5, .reynolds = 100});
  Mesh mesh;
  hdg::TraceSpace space;
  hdg::Problem problem = made.problem();
  hdg::LocalSolver solver{space, problem};
  hdg::TraceSystem system{space, 4};
  Queue queue{Device::host(), 2};

  FlowSystem(int n, int order) : mesh(unit_mesh(2, n)), space(mesh, order) {
    const hdg::State state = hdg::project(space, 4, made.exact());
    hdg::LocalWork work(space, solver.equation());
    for (Index cell = 0; cell < space.num_cells(); ++cell) {
      solver.eliminate(cell, state, {}, work);
      system.add(cell, work.trace_matrix(), work.trace_rhs.data());
    }
  }
  std::vector<double> start() const { return std::vector<double>(system.rhs().size(), 7.0); }
};

TEST(TraceSolver, FindsOneSolutionWhateverTheSettings) {
  FlowSystem flow(6, 3);
  std::vector<double> first;
  for (const hdg::TraceSolverOptions& options :
       {hdg::TraceSolverOptions{}, hdg::TraceSolverOptions{.minimum_fill = false},
        hdg::TraceSolverOptions{.coarse_order = -1}, hdg::TraceSolverOptions{.coarse_order = 0},
        hdg::TraceSolverOptions{.coarse_order = 0, .coarse = CoarseSolver::stationary},
        hdg::TraceSolverOptions{.coarse_order = 9},
        hdg::TraceSolverOptions{.coarse_order = -1, .precision = Precision::full}}) {
    hdg::TraceSolver solver(flow.space, 4, options);
    std::vector<double> x = flow.start();
    const hdg::TraceSolve made = solver.solve(flow.queue, flow.system.matrix(), flow.system.rhs(), x, 1e-12);
    EXPECT_TRUE(made.converged);
    EXPECT_EQ(made.changes, "");
    EXPECT_EQ(solver.order().empty(), !options.minimum_fill);
    if (first.empty()) first = x;
    double largest = 0;
    for (const double v : first) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], first[i], 1e-9 * largest);
  }
}

TEST(TraceSolver, TwoLevelsTakeFewerIterations) {
  FlowSystem flow(12, 3);
  const auto iterations = [&](const hdg::TraceSolverOptions& options) {
    std::vector<double> x = flow.start();
    const hdg::TraceSolve made =
        hdg::TraceSolver(flow.space, 4, options).solve(flow.queue, flow.system.matrix(), flow.system.rhs(), x, 1e-6);
    EXPECT_TRUE(made.converged);
    return made.iterations;
  };
  const int natural = iterations({.minimum_fill = false, .coarse_order = -1}),
            ordered = iterations({.coarse_order = -1}), zero = iterations({.coarse_order = 0}), one = iterations({});
  EXPECT_LE(ordered, natural);
  EXPECT_LT(zero, ordered);
  EXPECT_LT(one, zero);
  EXPECT_LE(iterations({.precision = Precision::bfloat16}), one + 3);
}

TEST(TraceSolver, ClimbsTheLadderAndSaysSo) {
  FlowSystem flow(8, 2);
  hdg::TraceSolver solver(flow.space, 4, {.precision = Precision::bfloat16, .cycle = 1});
  std::vector<double> x = flow.start();
  const hdg::TraceSolve made = solver.solve(flow.queue, flow.system.matrix(), flow.system.rhs(), x, 1e-10);
  EXPECT_TRUE(made.converged);
  EXPECT_EQ(made.changes,
            "a coarse system of order 0; factors in double; 16 steps for the coarse system; cycles of 200");
  EXPECT_EQ(solver.options().cycle, 200);
  // The order is no longer new: a new one comes first. Here nothing helps, for no tolerance is reached.
  std::vector<double> rhs(flow.system.rhs().begin(), flow.system.rhs().end());
  rhs[0] = std::nan("");
  const hdg::TraceSolve failed = solver.solve(flow.queue, flow.system.matrix(), rhs, x, 1e-10);
  EXPECT_FALSE(failed.converged);
  EXPECT_EQ(failed.changes, "a new order of elimination");
}

TEST(TraceSolver, NewValuesKeepTheOrder) {
  FlowSystem flow(6, 2);
  hdg::TraceSolver solver(flow.space, 4);
  std::vector<double> x = flow.start(), y = flow.start();
  solver.solve(flow.queue, flow.system.matrix(), flow.system.rhs(), x, 1e-10);
  const std::vector<Index> order(solver.order().begin(), solver.order().end());
  EXPECT_EQ(std::ssize(order), flow.space.num_faces());
  const std::vector<double> rhs(flow.system.rhs().begin(), flow.system.rhs().end());
  hdg::LocalWork work(flow.space, flow.solver.equation());
  flow.system.clear();
  const hdg::State state = hdg::project(flow.space, 4, flow.made.exact());
  for (int time = 0; time < 2; ++time)  // the matrix becomes twice as large
    for (Index cell = 0; cell < flow.space.num_cells(); ++cell) {
      flow.solver.eliminate(cell, state, {}, work);
      flow.system.add(cell, work.trace_matrix(), work.trace_rhs.data());
    }
  EXPECT_TRUE(solver.solve(flow.queue, flow.system.matrix(), rhs, y, 1e-10).converged);
  EXPECT_TRUE(std::ranges::equal(order, solver.order()));
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(2 * y[i], x[i], 1e-7 * largest);
}

TEST(TraceSolver, InSpace) {
  const Mesh mesh = unit_mesh(3, 2);
  const hdg::TraceSpace space(mesh, 3);
  const auto exact = [](const double* x, double* u) { u[0] = x[0] * x[0] * x[1] - x[2]; };
  const hdg::Problem problem{hdg::make_equation(hdg::Poisson<3>{}), on_all_sides(3, "dirichlet", exact),
                             [](const double* x, double* s) { s[0] = -2 * x[1]; }};
  const hdg::LocalSolver solver(space, problem);
  Queue queue;
  for (const int coarse : {-1, 0, 1, 2}) {
    hdg::State state = hdg::project(space, 1, [](const double*, double* u) { u[0] = 0; });
    const hdg::NewtonReport report = newton(
        queue, solver, state, {.tolerance = 1e-10, .linear_tolerance = 1e-12, .linear = {.coarse_order = coarse}});
    EXPECT_TRUE(report.converged) << report.reason;
    EXPECT_LT(errors_of(solver, state, exact, {}).u, 1e-11);
  }
}

TEST(TraceSolver, Refusals) {
  const Mesh mesh = unit_mesh(2, 1);
  const hdg::TraceSpace space(mesh, 1);
  try {
    hdg::TraceSolver(space, 4, {.coarse_order = -2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a coarse system of order -2, 8 steps for it and cycles of 100"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace millrace::test
