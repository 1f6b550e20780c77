// All orders of convergence, on three meshes each, straight and curved, in the plane and in space; and the drag of the
// aerofoil. Minutes, so not in continuous integration: ctest -R SlowHdg.
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "hdg_tools.hpp"

namespace millrace::test {

// Errors in L2: u and q of all components, viscous stresses, flow of heat, and u* of the first component.
struct AllErrors {
  double u = 0, q = 0, stress = 0, heat = 0, better = 0;
};

template <int Dim>
void add_viscous_errors(const hdg::NavierStokes<Dim>& gas, const hdg::LocalSolver& solver, const hdg::State& state,
                        const Made& made, AllErrors& errors) {
  using Viscous = typename hdg::NavierStokes<Dim>::template Viscous<double>;
  const hdg::PointFunction exact = made.exact(), gradient = made.gradient();
  hdg::for_each_point(solver, state, [&](const double* x, double weight, const double* u, const double* q) {
    double u0[to_size(Dim + 2)], q0[to_size((Dim + 2) * Dim)];
    exact(x, u0);
    gradient(x, q0);
    const Viscous found(gas, u, q), wanted(gas, u0, q0);
    for (int i = 0; i < Dim; ++i) {
      errors.heat += weight * std::pow(found.heat[i] - wanted.heat[i], 2);
      for (int j = 0; j < Dim; ++j) errors.stress += weight * std::pow(found.stress[i][j] - wanted.stress[i][j], 2);
    }
  });
  errors.heat = std::sqrt(errors.heat);
  errors.stress = std::sqrt(errors.stress);
}

template <int Dim>
AllErrors errors_on(const Made& made, const hdg::NavierStokes<Dim>* gas, int p, int geometry_order, int n) {
  const Mesh mesh = unit_mesh(Dim, n, geometry_order);
  const hdg::TraceSpace space(mesh, p);
  const hdg::Problem problem = made.problem();
  const hdg::LocalSolver solver(space, problem);
  hdg::State state = hdg::project(space, solver.comps(), [&](const double*, double* u) {
    const double middle[] = {0.5, 0.5, 0.5};
    made.exact()(middle, u);
  });
  Queue queue;
  const hdg::NewtonReport report = newton(queue, solver, state, {.linear_tolerance = 1e-12});
  EXPECT_LT(report.residual, 1e-8) << report.reason;  // on the finest meshes gradients leave no smaller one
  const Errors plain = errors_of(solver, state, made.exact(), made.gradient());
  AllErrors errors{.u = plain.u, .q = plain.q, .better = error_of_better(solver, state, made.exact())};
  if (gas) add_viscous_errors(*gas, solver, state, made, errors);
  return errors;
}

// The orders between each mesh and the next; the last pair must reach what is wanted.
template <int Dim>
void expect_orders(const Made& made, const hdg::NavierStokes<Dim>* gas, int p, int geometry_order,
                   const std::vector<int>& meshes, double u, double q, double better, double viscous) {
  std::vector<AllErrors> found;
  for (const int n : meshes) found.push_back(errors_on<Dim>(made, gas, p, geometry_order, n));
  for (std::size_t k = 1; k < meshes.size(); ++k) {
    const double finer = std::log(static_cast<double>(meshes[k]) / meshes[k - 1]);
    const auto order = [&](double AllErrors::*error) {
      return std::log(found[k - 1].*error / found[k].*error) / finer;
    };
    std::printf("%s %dD p %d geometry %d, %d to %d: u %.2f q %.2f u* %.2f", std::string(made.equation->name()).c_str(),
                Dim, p, geometry_order, meshes[k - 1], meshes[k], order(&AllErrors::u), order(&AllErrors::q),
                order(&AllErrors::better));
    if (gas) std::printf(" stress %.2f heat %.2f", order(&AllErrors::stress), order(&AllErrors::heat));
    std::printf("\n");
    if (k + 1 < meshes.size()) continue;
    SCOPED_TRACE(join(made.equation->name(), " ", Dim, "D, order ", p, ", geometry ", geometry_order));
    EXPECT_GE(order(&AllErrors::u), u);
    EXPECT_GE(order(&AllErrors::q), q);
    EXPECT_GE(order(&AllErrors::better), better);
    if (!gas) continue;
    EXPECT_GE(order(&AllErrors::stress), viscous);
    EXPECT_GE(order(&AllErrors::heat), viscous);
  }
}

TEST(SlowHdg, ScalarEquationsInThePlane) {
  const std::vector<Expression> wave{Expression::parse("sin(pi*x) * sin(pi*y)")};
  for (int p = 1; p <= 4; ++p)
    for (const int geometry_order : {1, std::min(p + 1, 4)})
      for (const auto& equation :
           {hdg::make_equation(hdg::Poisson<2>{}), hdg::make_equation(hdg::ConvectionDiffusion<2>{.velocity = {2, 1}})})
        expect_orders<2>({equation, wave}, nullptr, p, geometry_order, {4, 8, 16}, p + 0.9, p + 0.9, p + 1.9, 0);
}

TEST(SlowHdg, ScalarEquationsInSpace) {
  const std::vector<Expression> wave{Expression::parse("sin(pi*x) * sin(pi*y) * sin(pi*z)")};
  for (int p = 1; p <= 3; ++p)
    for (const int geometry_order : {1, std::min(p + 1, 4)})
      for (const auto& equation : {hdg::make_equation(hdg::Poisson<3>{}),
                                   hdg::make_equation(hdg::ConvectionDiffusion<3>{.velocity = {2, 1, 1}})})
        expect_orders<3>({equation, wave}, nullptr, p, geometry_order, {2, 4, 8}, p + 0.9, p + 0.9, p + 1.9, 0);
}

TEST(SlowHdg, NavierStokesInThePlane) {
  const hdg::NavierStokes<2> gas{.reynolds = 1};
  const Made made = made_up_flow(gas);
  for (int p = 1; p <= 4; ++p)
    for (const int geometry_order : {1, std::min(p + 1, 4)})
      expect_orders<2>(made, &gas, p, geometry_order, p <= 2 ? std::vector{8, 16, 32} : std::vector{16, 32, 48},
                       p + 0.6, p - 0.1, 0, p + 0.7);
}

// The bounds of the plane. Order 2 misses those of u (2.59) and q (1.82) here: on 8 cells along a side orders still
// rise, as they do in the plane up to 32.
TEST(SlowHdg, NavierStokesInSpace) {
  const hdg::NavierStokes<3> gas{.reynolds = 1};
  const Made made{hdg::make_equation(gas),
                  made_up_gas({"0.6 + 0.2*cos(1.5*x - y)", "0.3 + 0.2*sin(x + 2*z)", "0.2*cos(y + z)"},
                              "1 + 0.2*sin(2*x + y + z)", "1/(1.4*0.25) + 0.3*cos(x + 1.5*y - z)")};
  for (int p = 1; p <= 3; ++p)
    for (const int geometry_order : {1, std::min(p + 1, 4)})
      expect_orders<3>(made, &gas, p, geometry_order, p <= 2 ? std::vector{4, 6, 8} : std::vector{2, 4, 6}, p + 0.6,
                       p - 0.1, 0, p + 0.7);
}

TEST(SlowHdg, DragAndLiftOfTheAerofoil) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  Queue queue;
  for (const bool turned : {false, true}) {
    const hdg::Case c =
        case_of(exchanged(text_of_example("naca0012.toml"), {{"angle = 0 ", turned ? "angle = 1 " : "angle = 0 "}}));
    EXPECT_LE(c.mesh.num_cells(), 6000);
    const hdg::CaseResult result = hdg::run_case(queue, c);
    ASSERT_TRUE(result.converged) << result.reason;
    const hdg::Coefficients found = result.orders.back().coefficients;
    EXPECT_NEAR(found.drag, turned ? 0.05532 : 0.05500, 1e-3 * 0.055);
    EXPECT_NEAR(found.lift, turned ? 0.01826 : 0, turned ? 0.01 * 0.01826 : 1e-8);
    EXPECT_LE(result.steps.size(), 45U);
    EXPECT_LT(result.orders.back().residual, 1e-10);
  }
}

}  // namespace millrace::test
