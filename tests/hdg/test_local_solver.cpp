// One cell: exact Jacobians, uniform flow on curved cells, conditions that do not fit the mesh.
#include "millrace/hdg/local_solver.hpp"

#include <gtest/gtest.h>

#include "hdg_tools.hpp"

namespace millrace::test {

// A smooth state that is possible for a gas, for any number of components.
hdg::PointFunction wavy_state(int comps, int dim) {
  return [=](const double* x, double* u) {
    const double z = dim == 3 ? x[2] : 0;
    u[0] = 1 + 0.2 * std::sin(2 * x[0] + x[1] - z);
    for (int i = 1; i + 1 < comps; ++i) u[i] = u[0] * (0.4 + 0.2 * std::cos(1.5 * x[0] - i * x[1] + z));
    if (comps > 1) u[comps - 1] = u[0] * (8 + 0.3 * std::cos(x[0] + 1.5 * x[1] + z));
  };
}

template <class P>
hdg::Problem problem_of(const P& physics, const std::string& kind, const hdg::PointFunction& data) {
  return {hdg::make_equation(physics), on_all_sides(P::dim, kind, data)};
}

// D | F and K | H against central differences of the residuals, in all unknowns of a cell and its traces.
void check_jacobian(const hdg::Problem& problem, const Mesh& mesh, int order, Index cell) {
  const hdg::TraceSpace space(mesh, order);
  const hdg::LocalSolver solver(space, problem);
  const int comps = solver.comps(), block = comps * space.face_modes();
  hdg::State state = hdg::project(space, comps, wavy_state(comps, mesh.dim));
  for (std::size_t i = 0; i < state.trace.size(); ++i) state.trace[i] += 0.01 * std::sin(static_cast<double>(7 * i));
  hdg::LocalWork exact(space, solver.equation()), low(space, solver.equation()), high(space, solver.equation());
  std::vector<double> old(to_size(exact.n), 0.5);
  const hdg::PseudoTime time{0.7, old.data()};
  solver.linearise(cell, state, time, exact);
  constexpr double h = 1e-5;
  double largest = 0, scale = 0;
  for (int k = 0; k < exact.n + exact.m; ++k) {
    double& unknown =
        k < exact.n
            ? state.u[to_size(Offset{cell} * exact.n + k)]
            : state.trace[to_size(Offset{space.trace(cell, (k - exact.n) / block)} * block + (k - exact.n) % block)];
    const double kept = unknown;
    unknown = kept + h;
    solver.residual(cell, state, time, high);
    unknown = kept - h;
    solver.residual(cell, state, time, low);
    unknown = kept;
    const auto compare = [&](double entry, double up, double down) {
      largest = std::max(largest, std::abs(entry - (up - down) / (2 * h)));
      scale = std::max(scale, std::abs(entry));
    };
    for (int i = 0; i < exact.n; ++i)
      compare(exact.inside[to_size(k * exact.n + i)], high.residual[to_size(i)], low.residual[to_size(i)]);
    for (int i = 0; i < exact.m; ++i)
      compare(exact.outside[to_size(k * exact.m + i)], high.trace_residual[to_size(i)], low.trace_residual[to_size(i)]);
  }
  EXPECT_LT(largest, 1e-6 * scale) << solver.equation().name() << ' ' << mesh.dim << ' ' << problem.conditions[0].kind;
}

TEST(LocalSolver, JacobiansAgreeWithCentralDifferences) {
  const Mesh plane = unit_mesh(2, 2, 2), space = unit_mesh(3, 1, 2);
  check_jacobian(problem_of(hdg::Poisson<2>{.conductivity = 0.7}, "dirichlet", {}), plane, 3, 0);
  check_jacobian(problem_of(hdg::ConvectionDiffusion<3>{.velocity = {1, 0.5, -0.3}}, "neumann", {}), space, 2, 1);
  for (const std::string_view kind : hdg::Euler<2>::kinds)
    check_jacobian(problem_of(hdg::Euler<2>{}, std::string(kind), wavy_state(4, 2)), plane, 2, 0);
  for (const std::string_view kind : hdg::NavierStokes<2>::kinds)
    check_jacobian(problem_of(hdg::NavierStokes<2>{}, std::string(kind), wavy_state(4, 2)), plane, 2, 1);
  hdg::NavierStokes<3> roe{};
  roe.gas.stabilisation = hdg::Stabilisation::roe;
  for (const char* kind : {"far-field", "symmetry", "subsonic-inflow"})
    check_jacobian(problem_of(roe, kind, wavy_state(5, 3)), space, 1, 0);
  for (const char* kind : {"symmetry", "adiabatic-wall", "neumann"})
    check_jacobian(problem_of(hdg::NavierStokes<2>{.reynolds = 2, .law = hdg::ViscosityLaw::sutherland}, kind, {}),
                   plane, 2, 1);
}

template <class P>
void check_uniform_flow(const P& physics, const double* state_there) {
  const Mesh mesh = unit_mesh(P::dim, 2, P::dim == 2 ? 4 : 3);
  const auto constant = [=](const double*, double* u) { std::copy_n(state_there, P::comps, u); };
  const hdg::Problem problem = problem_of(physics, "far-field", constant);
  for (const int order : {1, 3}) {
    const hdg::TraceSpace space(mesh, order);
    const hdg::LocalSolver solver(space, problem);
    const hdg::State state = hdg::project(space, P::comps, constant);
    hdg::LocalWork work(space, solver.equation());
    double largest = 0;
    for (Index cell = 0; cell < space.num_cells(); ++cell) {
      solver.residual(cell, state, {}, work);
      for (const double r : work.residual) largest = std::max(largest, std::abs(r));
    }
    EXPECT_LT(largest, 1e-11) << P::name << ' ' << P::dim << ' ' << order;
  }
}

TEST(LocalSolver, UniformFlowIsASolutionOnCurvedCells) {
  const double plane[] = {1, 0.8, 0.3, 4}, space[] = {1, 0.8, 0.3, -0.2, 4};
  check_uniform_flow(hdg::Euler<2>{}, plane);
  check_uniform_flow(hdg::NavierStokes<2>{}, plane);
  check_uniform_flow(hdg::Euler<3>{}, space);
  check_uniform_flow(hdg::NavierStokes<3>{}, space);
}

TEST(LocalSolver, ConditionsMustFitTheMesh) {
  const Mesh mesh = unit_mesh(2, 1);
  const hdg::TraceSpace space(mesh, 1);
  const auto text_of = [&](const hdg::Problem& problem) {
    try {
      hdg::LocalSolver solver(space, problem);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  hdg::Problem problem = problem_of(hdg::Poisson<2>{}, "dirichlet", {});
  EXPECT_EQ(text_of(problem), "");
  problem.conditions[1].group = "lid";
  EXPECT_EQ(text_of(problem),
            "hdg: boundary groups without a condition: x1; conditions without a group on the boundary: lid; the mesh "
            "has: x0, x1, y0, y1");
  problem.conditions[1].group = "x0";
  EXPECT_EQ(text_of(problem), "hdg: group 'x0' has two conditions; one is accepted");
  EXPECT_EQ(text_of(problem_of(hdg::Poisson<2>{}, "wall", {})),
            "unknown boundary condition 'wall' of poisson; there are: dirichlet neumann");
  EXPECT_EQ(text_of(problem_of(hdg::Poisson<3>{}, "dirichlet", {})), "hdg: poisson of 3 dimensions on a mesh of 2");
}

}  // namespace millrace::test
