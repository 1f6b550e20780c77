// Whole solves: polynomials reproduced, orders of convergence, conservation, the same bits for any number of threads.
#include "millrace/hdg/newton.hpp"

#include <gtest/gtest.h>

#include "hdg_tools.hpp"

namespace millrace::test {

// A polynomial of total degree p, its gradient and its Laplacian.
double power(double x, int p) { return p < 0 ? 0 : std::pow(x, p); }

TEST(Newton, PoissonReproducesPolynomialsOnStraightCells) {
  for (const auto& [dim, p] : {std::pair{2, 1}, {2, 3}, {2, 6}, {3, 2}}) {
    const auto exact = [=](const double* x, double* u) { u[0] = power(x[0] + 2 * x[1] + (dim == 3 ? x[2] : 0), p); };
    const auto gradient = [=](const double* x, double* q) {
      const double slope = p * power(x[0] + 2 * x[1] + (dim == 3 ? x[2] : 0), p - 1);
      q[0] = slope;
      q[1] = 2 * slope;
      if (dim == 3) q[2] = slope;
    };
    const auto source = [=](const double* x, double* s) {
      s[0] = -(dim == 3 ? 6 : 5) * p * (p - 1) * power(x[0] + 2 * x[1] + (dim == 3 ? x[2] : 0), p - 2);
    };
    const Mesh mesh = unit_mesh(dim, 2);
    const hdg::TraceSpace space(mesh, p);
    const hdg::Problem problem{dim == 2 ? hdg::make_equation(hdg::Poisson<2>{}) : hdg::make_equation(hdg::Poisson<3>{}),
                               on_all_sides(dim, "dirichlet", exact), source};
    const hdg::LocalSolver solver(space, problem);
    hdg::State state = hdg::project(space, 1, [](const double*, double* u) { u[0] = 0; });
    Queue queue;
    const hdg::NewtonReport report = newton(queue, solver, state, {.tolerance = 1e-9, .linear_tolerance = 1e-13});
    ASSERT_TRUE(report.converged) << report.reason;
    const Errors errors = errors_of(solver, state, exact, gradient);
    const double scale = std::pow(3, p);
    EXPECT_LT(errors.u, 1e-11 * scale) << dim << ' ' << p;
    EXPECT_LT(errors.q, 1e-10 * scale) << dim << ' ' << p;
  }
}

struct Orders {
  double u, q, better;
};
// Errors on two meshes, and the orders between them.
Orders orders_of(const std::shared_ptr<const hdg::Equation>& equation, int p, int geometry_order, int coarse, int fine,
                 const hdg::PointFunction& exact, const hdg::PointFunction& gradient,
                 const hdg::PointFunction& source) {
  Errors found[2];
  double better[2] = {};
  int k = 0;
  for (const int n : {coarse, fine}) {
    const Mesh mesh = unit_mesh(equation->dim(), n, geometry_order);
    const hdg::TraceSpace space(mesh, p);
    const hdg::Problem problem{equation, on_all_sides(equation->dim(), "dirichlet", exact), source};
    const hdg::LocalSolver solver(space, problem);
    hdg::State state = hdg::project(space, equation->comps(), [](const double*, double* u) { u[0] = 0; });
    Queue queue;
    const hdg::NewtonReport report = newton(queue, solver, state, {.tolerance = 1e-10, .linear_tolerance = 1e-12});
    EXPECT_TRUE(report.converged) << report.reason;
    found[k] = errors_of(solver, state, exact, gradient);
    better[k++] = error_of_better(solver, state, exact);
  }
  const double ratio = std::log2(static_cast<double>(fine) / coarse);
  return {std::log2(found[0].u / found[1].u) / ratio, std::log2(found[0].q / found[1].q) / ratio,
          std::log2(better[0] / better[1]) / ratio};
}

TEST(ConvergenceHdg, PoissonAndConvectionDiffusion) {
  const double pi = M_PI;
  for (const int dim : {2, 3}) {
    const auto exact = [=](const double* x, double* u) {
      u[0] = 1;
      for (int d = 0; d < dim; ++d) u[0] *= std::sin(pi * x[d]);
    };
    const auto gradient = [=](const double* x, double* q) {
      for (int k = 0; k < dim; ++k) {
        q[k] = pi;
        for (int d = 0; d < dim; ++d) q[k] *= d == k ? std::cos(pi * x[d]) : std::sin(pi * x[d]);
      }
    };
    for (int p = 1; p <= (dim == 2 ? 4 : 2); ++p)
      for (const int geometry_order : {1, std::min(p + 1, 4)}) {
        const int coarse = dim == 2 && p <= 2 ? 8 : 4, fine = 2 * coarse;
        const auto laplace = [=](const double* x, double* s) {
          exact(x, s);
          s[0] *= dim * pi * pi;
        };
        const auto poisson = dim == 2 ? hdg::make_equation(hdg::Poisson<2>{}) : hdg::make_equation(hdg::Poisson<3>{});
        const Orders first = orders_of(poisson, p, geometry_order, coarse, fine, exact, gradient, laplace);
        EXPECT_GE(first.u, p + 0.9) << dim << ' ' << p << ' ' << geometry_order;
        EXPECT_GE(first.q, p + 0.9) << dim << ' ' << p << ' ' << geometry_order;
        EXPECT_GE(first.better, p + 1.9) << dim << ' ' << p << ' ' << geometry_order;
        if (dim == 3) continue;
        const auto blown = [=](const double* x, double* s) {
          double q[2];
          gradient(x, q);
          laplace(x, s);
          s[0] += 2 * q[0] + q[1];
        };
        const Orders second = orders_of(hdg::make_equation(hdg::ConvectionDiffusion<2>{.velocity = {2, 1}}), p,
                                        geometry_order, coarse, fine, exact, gradient, blown);
        EXPECT_GE(second.u, p + 0.9) << p << ' ' << geometry_order;
        EXPECT_GE(second.q, p + 0.9) << p << ' ' << geometry_order;
        EXPECT_GE(second.better, p + 1.9) << p << ' ' << geometry_order;
      }
  }
}

TEST(ConvergenceHdg, NavierStokes) {
  const Made flow = made_up_flow({.reynolds = 1});
  const hdg::PointFunction exact = flow.exact(), source = flow.source();
  for (const int p : {1, 2, 3}) {
    Errors found[2];
    int k = 0;
    for (const int n : {8, 16}) {
      const Mesh mesh = unit_mesh(2, n);
      const hdg::TraceSpace space(mesh, p);
      const hdg::Problem problem = flow.problem();
      const hdg::LocalSolver solver(space, problem);
      hdg::State state = hdg::project(space, 4, [&](const double*, double* u) {
        const double middle[] = {0.5, 0.5, 0};
        exact(middle, u);
      });
      Queue queue;
      const hdg::NewtonReport report = newton(queue, solver, state, {.tolerance = 1e-9});
      ASSERT_TRUE(report.converged) << report.reason;
      found[k++] = errors_of(solver, state, exact, flow.gradient());
      // What flows out through the boundary is what the source brings.
      std::vector<double> out(4), brought(4);
      for (const hdg::BoundaryFlux& group : hdg::boundary_fluxes(solver, state))
        for (std::size_t c = 0; c < 4; ++c) out[c] += group.flux[c];
      hdg::for_each_point(solver, state, [&](const double* x, double weight, const double*, const double*) {
        double s[4];
        source(x, s);
        for (int c = 0; c < 4; ++c) brought[to_size(c)] += weight * s[c];
      });
      for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(out[c], brought[c], 1e-8);
    }
    EXPECT_GE(std::log2(found[0].u / found[1].u), p + 0.6) << p;
    EXPECT_GE(std::log2(found[0].q / found[1].q), p - 0.1) << p;
  }
}

TEST(Newton, ARaisedStateIsTheSameFunction) {
  for (const int dim : {2, 3}) {
    const Mesh mesh = unit_mesh(dim, 2);
    const hdg::TraceSpace low(mesh, 2), high(mesh, 4);
    const auto poisson = dim == 2 ? hdg::make_equation(hdg::Poisson<2>{}) : hdg::make_equation(hdg::Poisson<3>{});
    const hdg::Problem problem{poisson, on_all_sides(dim, "dirichlet", {})};
    const hdg::LocalSolver solver(high, problem);
    const auto exact = [=](const double* x, double* u) { u[0] = x[0] * x[0] - 3 * x[0] * x[1] + x[dim - 1]; };
    const auto gradient = [=](const double* x, double* q) {
      q[0] = 2 * x[0] - 3 * x[1], q[1] = -3 * x[0];
      q[dim - 1] += 1;
      if (dim == 3) q[2] = 1;
    };
    const hdg::State state = hdg::raise(low, hdg::project(low, 1, exact), high);
    const Errors errors = errors_of(solver, state, exact, gradient);  // that of q sees the traces, too
    EXPECT_LT(errors.u, 1e-13);
    EXPECT_LT(errors.q, 1e-12);
    EXPECT_THROW(hdg::raise(high, state, low), Error);
  }
}

TEST(Newton, TheSameBitsForAnyNumberOfThreadsAndWithoutKeptSolutions) {
  const Mesh mesh = unit_mesh(2, 4, 2);
  const hdg::TraceSpace space(mesh, 2);
  const double stream[] = {1, 1, 0, 4};
  const auto there = [&](const double* x, double* u) {
    std::copy_n(stream, 4, u);
    u[2] += 0.1 * std::sin(3 * x[0]);
  };
  const hdg::Problem problem{hdg::make_equation(hdg::NavierStokes<2>{}), on_all_sides(2, "dirichlet", there)};
  const hdg::LocalSolver solver(space, problem);
  std::vector<hdg::State> results;
  for (const auto& [threads, keep] : {std::pair{1, true}, {3, true}, {2, false}}) {
    Queue queue(Device::host(), threads);
    hdg::State state = hdg::project(space, 4, [&](const double*, double* u) { std::copy_n(stream, 4, u); });
    const hdg::NewtonReport report = newton(queue, solver, state, {.tolerance = 1e-10, .keep_solutions = keep});
    ASSERT_TRUE(report.converged) << report.reason;
    ASSERT_GE(report.steps.size(), 3u);
    EXPECT_LT(report.residual, 1e-10);
    results.push_back(std::move(state));
  }
  EXPECT_EQ(results[0].u, results[1].u);
  EXPECT_EQ(results[0].trace, results[1].trace);
  EXPECT_EQ(results[0].u, results[2].u);
}

TEST(Newton, RefusesImpossibleStartsAndSaysWhyItEnds) {
  const Mesh mesh = unit_mesh(2, 2);
  const hdg::TraceSpace space(mesh, 1);
  const auto there = [](const double*, double* u) { u[0] = 1, u[1] = 0.5, u[2] = 0, u[3] = 3; };
  const hdg::Problem problem{hdg::make_equation(hdg::Euler<2>{}), on_all_sides(2, "far-field", there)};
  const hdg::LocalSolver solver(space, problem);
  hdg::State vacuum = hdg::project(space, 4, [](const double*, double* u) { u[0] = -1, u[1] = u[2] = 0, u[3] = 1; });
  Queue queue;
  EXPECT_THROW(newton(queue, solver, vacuum), Error);
  hdg::State start = hdg::project(
      space, 4, [](const double* x, double* u) { u[0] = 1 + 0.1 * x[0], u[1] = 0.4, u[2] = 0.1, u[3] = 3; });
  const hdg::NewtonReport report = newton(queue, solver, start, {.max_steps = 1});
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.reason.find("after 1 steps, the most that were allowed"), std::string::npos) << report.reason;
  EXPECT_THROW(newton(queue, solver, start, {.tolerance = 0}), Error);
}

}  // namespace millrace::test
