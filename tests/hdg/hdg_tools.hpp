// Meshes and errors for tests of hybridizable DG.
#pragma once

#include <cmath>
#include <vector>

#include "millrace/base/dense.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/case/conditions.hpp"
#include "millrace/hdg/equations.hpp"
#include "millrace/hdg/newton.hpp"
#include "millrace/hdg/outputs.hpp"
#include "millrace/io/expression.hpp"
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

/// A solution as formulas, and the source that makes it one.
struct Made {
  std::shared_ptr<const hdg::Equation> equation;
  std::vector<Expression> values;

  hdg::PointFunction exact() const { return hdg::point_function(values); }
  hdg::PointFunction source() const { return hdg::manufactured_source(equation, values); }
  /// With its values on all sides of the unit square or cube.
  hdg::Problem problem() const { return {equation, on_all_sides(equation->dim(), "dirichlet", exact()), source()}; }
  hdg::PointFunction gradient() const {
    return [*this](const double* x, double* q) {
      const int dim = equation->dim();
      for (std::size_t c = 0; c < values.size(); ++c) {
        const Jet jet = values[c].jet_at({x[0], x[1], x[2]});
        for (int d = 0; d < dim; ++d) q[static_cast<int>(c) * dim + d] = jet.first[d];
      }
    };
  }
};

/// Density, velocity and p / rho of a made-up flow, as conserved quantities.
inline std::vector<Expression> made_up_gas(const std::vector<const char*>& velocity, const char* density,
                                           const char* ratio) {
  const Expression rho = Expression::parse(density);
  std::vector<Expression> u{rho};
  Expression square = 0;
  for (const char* text : velocity) {
    const Expression v = Expression::parse(text);
    u.push_back(rho * v);
    square = square + v * v;
  }
  u.push_back(rho * (Expression::parse(ratio) / 0.4 + Expression(0.5) * square));
  return u;
}

/// Waves of density, velocity and p / rho in the plane.
inline Made made_up_flow(const hdg::NavierStokes<2>& gas) {
  return {hdg::make_equation(gas), made_up_gas({"0.6 + 0.2*cos(1.5*x - y)", "0.3 + 0.2*sin(x + 2*y)"},
                                               "1 + 0.2*sin(2*x + y)", "1/(1.4*0.25) + 0.3*cos(x + 1.5*y)")};
}

/// Root of the integrals of squared errors of u, and of q against `gradient` [comps, dim].
struct Errors {
  double u = 0, q = 0;
};
inline Errors errors_of(const hdg::LocalSolver& solver, const hdg::State& state, const hdg::PointFunction& exact,
                        const hdg::PointFunction& gradient) {
  const auto comps = to_size(solver.comps()), slopes = comps * to_size(solver.space().dim());
  std::vector<double> u0(comps), q0(slopes);
  Errors errors;
  hdg::for_each_point(solver, state, [&](const double* x, double weight, const double* u, const double* q) {
    exact(x, u0.data());
    for (std::size_t c = 0; c < comps; ++c) errors.u += weight * std::pow(u[c] - u0[c], 2);
    if (!gradient) return;
    gradient(x, q0.data());
    for (std::size_t k = 0; k < slopes; ++k) errors.q += weight * std::pow(q[k] - q0[k], 2);
  });
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
