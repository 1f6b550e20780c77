// What is made of a solution: a better approximation of u in every cell, and forces on the boundary.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/hdg/local_solver.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::hdg {

/// Calls f(x [3], weight, u [comps], q [comps, dim]) at all points of all cells, in their order: sums of
/// weight * something are integrals. q is empty where the equation has no gradient.
template <class F>
void for_each_point(const LocalSolver& solver, const State& state, F&& f) {
  const TraceSpace& space = solver.space();
  LocalWork work(space, solver.equation());
  const int points = space.num_points();
  const auto take = [&](const std::vector<double>& from, int p, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * to_size(points) + to_size(p)];
  };
  std::vector<double> x(to_size(space.dim())), u(to_size(solver.comps())),
      q(solver.equation().uses_gradient() ? to_size(solver.comps() * space.dim()) : 0);
  for (Index cell = 0; cell < space.num_cells(); ++cell) {
    solver.evaluate(cell, state, work);
    for (int p = 0; p < points; ++p) {
      take(work.geometry.x, p, x);
      take(work.u, p, u);
      take(work.q, p, q);
      const double place[3] = {x[0], x[1], space.dim() == 3 ? x[2] : 0};
      f(place, work.geometry.weights[to_size(p)], u.data(), q.data());
    }
  }
}

/// u* of one order more, with the gradient q and the mean of u in every cell: (grad u*, grad w) = (q, grad w) for all
/// w, and (u*, 1) = (u, 1). [cells, comps, modes of order + 1]. One order better than u where q is as good as u
/// (Poisson, convection and diffusion). The equation must use gradients.
std::vector<double> post_process(const LocalSolver& solver, const State& state);

/// The numerical flux out of the domain through a group of faces, stabilisation included: of mass, momentum and energy
/// for a gas, so that the momentum is the force on a wall, and the energy the heat into it.
struct BoundaryFlux {
  std::string group;
  double area = 0;
  std::vector<double> flux;        // [comps]
  std::array<double, 3> moment{};  // of the momentum about `about`; in the plane [2] alone
};
/// All groups, by name. Moments are of components 1 to dim, for equations that have as many.
std::vector<BoundaryFlux> boundary_fluxes(const LocalSolver& solver, const State& state, const Point& about = {});

/// The trace matrix of a state, the Jacobian with all cells eliminated: entry (face, component, mode) by the same. For
/// benchmarks of products and preconditioners.
Csr<double> trace_matrix(const LocalSolver& solver, const State& state);

}  // namespace millrace::hdg
