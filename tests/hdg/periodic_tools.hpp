// Periodic boxes, and equations that have one steady solution on them: a source takes u away.
#pragma once

#include "hdg_tools.hpp"

namespace millrace::test {

/// The unit square or cube, all sides periodic.
inline Mesh periodic_mesh(int dim, int n, int geometry_order = 1) {
  return make_box(dim == 2 ? Cell::triangle : Cell::tet, {n, n, dim == 3 ? n : 1},
                  {{0, 0, 0}, {1, 1, 1}, {true, true, dim == 3}}, geometry_order);
}

/// div F = s - u: constants are no solutions any more.
template <class Physics>
struct Fading : Physics {
  template <class N>
  void source(const double*, const N* u, N* s) const {
    for (int i = 0; i < Physics::comps; ++i) s[i] = -u[i];
  }
};

inline Made periodic_wave(int dim) {
  if (dim == 2)
    return {hdg::make_equation(Fading<hdg::ConvectionDiffusion<2>>{{.velocity = {2, 1}}}),
            {Expression::parse("sin(2*pi*x) * cos(2*pi*y) + 0.5*cos(2*pi*x)")}};
  return {hdg::make_equation(Fading<hdg::ConvectionDiffusion<3>>{{.velocity = {2, 1, -1}}}),
          {Expression::parse("sin(2*pi*x) * cos(2*pi*y) * sin(2*pi*z) + 0.5*cos(2*pi*x)")}};
}

/// At lower Reynolds numbers even orders lose half an order, as with values on the boundary.
inline Made periodic_flow(int dim) {
  if (dim == 2)
    return {hdg::make_equation(Fading<hdg::NavierStokes<2>>{{.reynolds = 20}}),
            made_up_gas({"0.6 + 0.2*cos(2*pi*(x - y))", "0.3 + 0.2*sin(2*pi*x)"}, "1 + 0.2*sin(2*pi*(x + y))",
                        "1/(1.4*0.25) + 0.3*cos(2*pi*y)")};
  return {hdg::make_equation(Fading<hdg::NavierStokes<3>>{{.reynolds = 20}}),
          made_up_gas({"0.6 + 0.2*cos(2*pi*(x - y))", "0.3 + 0.2*sin(2*pi*z)", "0.2*cos(2*pi*x)"},
                      "1 + 0.2*sin(2*pi*(x + y))", "1/(1.4*0.25) + 0.3*cos(2*pi*z)")};
}

/// L2 errors of a made-up solution on a periodic box, from the state in its middle.
inline Errors periodic_errors(const Made& made, const Mesh& mesh, int p) {
  const hdg::TraceSpace space(mesh, p);
  const hdg::Problem problem{made.equation, {}, made.source()};
  const hdg::LocalSolver solver(space, problem);
  hdg::State state = hdg::project(space, solver.comps(), [&](const double*, double* u) {
    const double middle[] = {0.5, 0.5, 0.5};
    made.exact()(middle, u);
  });
  Queue queue;
  const hdg::NewtonReport report = newton(queue, solver, state, {.tolerance = 1e-9, .linear_tolerance = 1e-10});
  if (!report.converged) throw Error(report.reason);
  return errors_of(solver, state, made.exact(), made.gradient());
}

}  // namespace millrace::test
