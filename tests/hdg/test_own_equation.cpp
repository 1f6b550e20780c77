// An equation of a user's: Burgers, div(u u / 2 (1, 1) - k grad u) = s, in one struct.
#include <gtest/gtest.h>

#include "hdg_tools.hpp"

namespace millrace::test {

struct Burgers {
  static constexpr std::string_view name = "burgers";
  static constexpr int dim = 2, comps = 1;
  static constexpr bool uses_gradient = true;
  static constexpr std::array<std::string_view, 1> kinds{"dirichlet"}, fields{"u"};
  double viscosity = 0.1;

  template <class N>
  void flux(const double*, const N* u, const N* q, N* f) const {
    for (int j = 0; j < 2; ++j) f[j] = 0.5 * u[0] * u[0] - viscosity * q[j];
  }
  template <class N>
  void source(const double*, const N*, N* s) const {
    s[0] = N(0);
  }
  template <class N>
  void stabilise(const double*, const double* n, const N* uh, const N* jump, N* out) const {
    out[0] = (smooth_abs(uh[0] * (n[0] + n[1]), 0.05) + viscosity) * jump[0];
  }
  template <class N>
  void boundary(int, const double* g, const double*, const double*, const N*, const N*, const N* uh, const N*,
                N* b) const {
    b[0] = uh[0] - g[0];
  }
  bool admissible(const double*) const { return true; }
  double speed(const double* u) const { return std::abs(u[0]) + viscosity; }
  double field(int, const double* u, const double*) const { return u[0]; }
};

TEST(OwnEquation, BurgersConvergesWithFullOrder) {
  const auto exact = [](const double* x, double* u) { u[0] = 1 + 0.5 * std::sin(x[0] + 2 * x[1]); };
  const auto gradient = [](const double* x, double* q) {
    q[0] = 0.5 * std::cos(x[0] + 2 * x[1]);
    q[1] = 2 * q[0];
  };
  const Burgers burgers;
  const auto source = [&](const double* x, double* s) {
    double u[1], q[2];
    exact(x, u);
    gradient(x, q);
    s[0] = u[0] * (q[0] + q[1]) + burgers.viscosity * 5 * (u[0] - 1);
  };
  Errors found[2];
  int k = 0;
  for (const int n : {8, 16}) {
    const Mesh mesh = unit_mesh(2, n);
    const hdg::TraceSpace space(mesh, 2);
    const hdg::Problem problem{hdg::make_equation(burgers), on_all_sides(2, "dirichlet", exact), source};
    const hdg::LocalSolver solver(space, problem);
    hdg::State state = hdg::project(space, 1, [](const double*, double* u) { u[0] = 1; });
    Queue queue;
    const hdg::NewtonReport report = newton(queue, solver, state);
    ASSERT_TRUE(report.converged) << report.reason;
    EXPECT_LE(report.steps.size(), 7u);
    found[k++] = errors_of(solver, state, exact, gradient);
  }
  EXPECT_GE(std::log2(found[0].u / found[1].u), 2.9);
  EXPECT_GE(std::log2(found[0].q / found[1].q), 2.8);
}

}  // namespace millrace::test
