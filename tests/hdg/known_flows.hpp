// Flows whose solution is known, and how far a run is from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "case_tools.hpp"
#include "hdg_tools.hpp"

namespace millrace::test {

/// L2 errors of all components together, against the exact solution of the case or, where it depends on the mass,
/// `exact`.
inline double error_of_run(const hdg::Case& c, const std::function<hdg::PointFunction(double mass)>& exact) {
  const hdg::CaseResult result = solved(c);
  if (!exact) return whole_error(result);
  const hdg::TraceSpace space(c.mesh, c.order);
  const hdg::LocalSolver solver(space, c.problem);
  return errors_of(solver, result.state, exact(result.mass_end), {}).u;
}

/// Between walls of radius 1, which turns, and 2: v = A r + B / r, a temperature that friction makes, and a pressure
/// that balances the turning. Its factor is that of the mass. With a height: in space, the same at all z.
inline hdg::PointFunction taylor_couette(double mass, double height = 0) {
  constexpr double mach = 0.3, gamma = 1.4, prandtl = 0.72, a = 1.0 / 3, b = -4.0 / 3;
  constexpr double heat = (gamma - 1) * mach * mach * prandtl * b * b;
  constexpr int steps = 4000;  // of Simpson's rule, over radii of 1 to 2
  const auto velocity = [=](double r) { return a * r + b / r; };
  const auto temperature = [=](double r) { return 1 + heat - heat / (r * r) - 0.5 * heat * std::log(r); };
  const auto slope = [=](double r) { return gamma * mach * mach * velocity(r) * velocity(r) / (r * temperature(r)); };
  std::vector<double> log_pressure(1, 0.0);  // at 1, 1 + h, ...
  const double h = 1.0 / steps;
  for (int k = 0; k < steps; ++k) {
    const double r = 1 + k * h;
    log_pressure.push_back(log_pressure.back() + h / 6 * (slope(r) + 4 * slope(r + h / 2) + slope(r + h)));
  }
  // Between the points the cubic of values and slopes.
  const auto density = [=](double r) {
    const int k = std::clamp(static_cast<int>((r - 1) * steps), 0, steps - 1);
    const double r0 = 1 + k * h, t = (r - r0) / h, f0 = log_pressure[to_size(k)], f1 = log_pressure[to_size(k + 1)];
    const double d0 = h * slope(r0), d1 = h * slope(r0 + h);
    const double f = f0 + t * (d0 + t * (3 * (f1 - f0) - 2 * d0 - d1 + t * (2 * (f0 - f1) + d0 + d1)));
    return std::exp(f) / temperature(r);
  };
  double integral = 0;
  for (int k = 0; k < steps; ++k) {
    const double r = 1 + k * h;
    integral += h / 6 * 2 * M_PI * (r * density(r) + 4 * (r + h / 2) * density(r + h / 2) + (r + h) * density(r + h));
  }
  const double factor = mass / (integral * (height > 0 ? height : 1));
  return [=](const double* x, double* u) {
    const double r = std::hypot(x[0], x[1]), rho = factor * density(r), v = velocity(r);
    u[0] = rho;
    u[1] = -rho * v * x[1] / r;
    u[2] = rho * v * x[0] / r;
    if (height > 0) u[3] = 0;
    u[height > 0 ? 4 : 3] = rho * (temperature(r) / (gamma * (gamma - 1) * mach * mach) + 0.5 * v * v);
  };
}

}  // namespace millrace::test
