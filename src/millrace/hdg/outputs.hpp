// What is made of a solution: a better approximation of u in every cell, and forces on the boundary.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "millrace/hdg/local_solver.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::hdg {

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
