// Meshes and errors for tests of hybridizable DG.
#pragma once

#include <cmath>
#include <vector>

#include "millrace/base/dense.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/equations.hpp"
#include "millrace/hdg/newton.hpp"
#include "millrace/hdg/outputs.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace::test {

/// The unit square or cube, n cells along each side, straight or curved inside; the boundary stays where it is.
inline Mesh unit_mesh(int dim, int n, int geometry_order = 1) {
  Mesh mesh = make_box(dim == 2 ? Cell::triangle : Cell::tet, {n, n, dim == 3 ? n : 1}, {}, geometry_order);
  if (geometry_order > 1)
    deform(mesh, [dim](const Point& x) {
      double bump = 0.05;
      for (int d = 0; d < dim; ++d) bump *= std::sin(M_PI * x[to_size(d)]);
      Point y = x;
      for (int d = 0; d < dim; ++d) y[to_size(d)] += d == 1 ? -bump : bump;
      return y;
    });
  return mesh;
}

/// One condition on all sides.
inline std::vector<hdg::BoundaryCondition> on_all_sides(int dim, const std::string& kind,
                                                        const hdg::PointFunction& data) {
  std::vector<hdg::BoundaryCondition> conditions;
  for (const char* name : {"x0", "x1", "y0", "y1", "z0", "z1"})
    if (std::ssize(conditions) < 2 * dim) conditions.push_back({name, kind, data});
  return conditions;
}

/// Root of the integrals of squared errors of u, and of q against `gradient` [comps, dim].
struct Errors {
  double u = 0, q = 0;
};
inline Errors errors_of(const hdg::LocalSolver& solver, const hdg::State& state, const hdg::PointFunction& exact,
                        const hdg::PointFunction& gradient) {
  const hdg::TraceSpace& space = solver.space();
  hdg::LocalWork work(space, solver.equation());
  const int comps = solver.comps(), dim = space.dim(), points = space.num_points();
  std::vector<double> u(to_size(comps)), q(to_size(comps * dim));
  Errors errors;
  for (Index cell = 0; cell < space.num_cells(); ++cell) {
    solver.evaluate(cell, state, work);
    for (int p = 0; p < points; ++p) {
      double x[3] = {};
      for (int d = 0; d < dim; ++d) x[d] = work.geometry.x[to_size(d * points + p)];
      const double weight = work.geometry.weights[to_size(p)];
      exact(x, u.data());
      for (int c = 0; c < comps; ++c) errors.u += weight * std::pow(work.u[to_size(c * points + p)] - u[to_size(c)], 2);
      if (!gradient) continue;
      gradient(x, q.data());
      for (int k = 0; k < comps * dim; ++k)
        errors.q += weight * std::pow(work.q[to_size(k * points + p)] - q[to_size(k)], 2);
    }
  }
  return {std::sqrt(errors.u), std::sqrt(errors.q)};
}

/// The same of the first component of u*.
inline double error_of_better(const hdg::LocalSolver& solver, const hdg::State& state,
                              const hdg::PointFunction& exact) {
  const hdg::TraceSpace space = solver.space().one_order_more();
  const std::vector<double> better = hdg::post_process(solver, state);
  hdg::CellGeometry geometry(space);
  const int comps = solver.comps(), modes = space.cell_modes(), points = space.num_points();
  std::vector<double> u(to_size(comps));
  double square = 0;
  for (Index cell = 0; cell < space.num_cells(); ++cell) {
    geometry.evaluate(cell);
    for (int p = 0; p < points; ++p) {
      double x[3] = {}, value = 0;
      for (int d = 0; d < space.dim(); ++d) x[d] = geometry.x[to_size(d * points + p)];
      for (int i = 0; i < modes; ++i)
        value += better[to_size(Offset{cell} * comps * modes + i)] * space.cell().values[to_size(i * points + p)];
      exact(x, u.data());
      square += geometry.weights[to_size(p)] * std::pow(value - u[0], 2);
    }
  }
  return std::sqrt(square);
}

}  // namespace millrace::test
