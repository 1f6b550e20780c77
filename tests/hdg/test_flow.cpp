// Flow around an aerofoil from rest: drag, no lift on a symmetric mesh, few Newton steps with a quadratic end.
#include <gtest/gtest.h>

#include "hdg_tools.hpp"

namespace millrace::test {

struct FlowResult {
  double drag = 0, lift = 0, residual = 0;
  int steps = 0;
  std::vector<hdg::NewtonStep> last{};  // of the highest order
};

// NACA0012, Mach 0.5, Reynolds number 5000, by orders 1 to `order`.
FlowResult flow_around_naca0012(const AroundOptions& options, int order, double degrees) {
  const Profile naca = make_naca(12);
  const Mesh mesh = make_c_mesh(Cell::triangle, naca, options, 4);
  const double angle = degrees * M_PI / 180;
  const hdg::NavierStokes<2> gas{.mach = 0.5, .reynolds = 5000, .prandtl = 0.72};
  double far[4];
  gas.free_stream(angle, far);
  const auto outside = [&](const double*, double* u) { std::copy_n(far, 4, u); };
  std::vector<Point> wall;
  for (int i = 0; i < 500; ++i) wall.push_back(naca.at(i / 500.0));
  const auto damped = [&](const double* x, double* u) {  // at rest at the wall
    double square = 1e9;
    for (const Point& at : wall) square = std::min(square, std::pow(x[0] - at[0], 2) + std::pow(x[1] - at[1], 2));
    const double distance = std::sqrt(square);
    const double factor = 1 - std::exp(-distance / 0.1);
    outside(x, u);
    u[1] *= factor;
    u[2] *= factor;
    u[3] += 0.5 * (u[1] * u[1] + u[2] * u[2]) - 0.5;
  };
  const hdg::Problem problem{
      hdg::make_equation(gas),
      {{"wall", "adiabatic-wall"}, {"far", "far-field", outside}, {"outflow", "far-field", outside}}};
  FlowResult result;
  Queue queue;
  hdg::State state;
  std::unique_ptr<hdg::TraceSpace> below;
  for (int p = 1; p <= order; ++p) {
    auto space = std::make_unique<hdg::TraceSpace>(mesh, p);
    const hdg::LocalSolver solver(*space, problem);
    state = p == 1 ? hdg::project(*space, 4, damped) : hdg::raise(*below, state, *space);
    const hdg::NewtonReport report =
        newton(queue, solver, state, {.cfl = p == 1 ? 5.0 : 30.0, .cfl_growth = p == 1 ? 2.0 : 4.0});
    EXPECT_TRUE(report.converged) << p << ": " << report.reason;
    result.steps += static_cast<int>(report.steps.size());
    result.residual = report.residual;
    result.last = report.steps;
    for (const hdg::BoundaryFlux& group : hdg::boundary_fluxes(solver, state))
      if (group.group == "wall") {
        result.drag = 2 * (group.flux[1] * std::cos(angle) + group.flux[2] * std::sin(angle));
        result.lift = 2 * (group.flux[2] * std::cos(angle) - group.flux[1] * std::sin(angle));
      }
    below = std::move(space);
  }
  return result;
}

TEST(Flow, Naca0012OnACoarseMesh) {
  const FlowResult result = flow_around_naca0012(
      {.around = 24, .across = 12, .wake = 9, .far = 50, .wake_length = 50, .first_height = 0.012, .mirrored = true}, 2,
      0);
  EXPECT_NEAR(result.drag, 0.055, 0.03 * 0.055);
  EXPECT_LT(std::abs(result.lift), 1e-8);
  EXPECT_LT(result.residual, 1e-10);
  EXPECT_LE(result.steps, 30);
  const std::size_t end = result.last.size();
  EXPECT_LT(result.last[end - 1].residual, 0.02 * result.last[end - 2].residual);
}

}  // namespace millrace::test
