// One pass over the cells each.
#include "millrace/hdg/outputs.hpp"

#include <algorithm>
#include <map>

#include "millrace/base/dense.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/hdg/trace_system.hpp"

namespace millrace::hdg {

std::vector<double> post_process(const LocalSolver& solver, const State& state) {
  const TraceSpace& space = solver.space();
  const Equation& equation = solver.equation();
  require(equation.uses_gradient(), "hdg: ", equation.name(), " has no gradient, from which u could be improved");
  const TraceSpace above = space.one_order_more();
  LocalWork work(space, equation);
  CellGeometry geometry(above);
  const int comps = equation.comps(), dim = space.dim(), modes = above.cell_modes(), points = above.num_points(),
            low = space.cell_modes();
  std::vector<double> result(to_size(Offset{space.num_cells()} * comps * modes));
  std::vector<double> matrix(to_size(modes * modes)), rhs(to_size(modes * comps)), q(to_size(comps * dim * points)),
      u(to_size(comps * points)), plain_grads(to_size(points * dim * modes)), coefficients(to_size(low * comps * dim));
  std::vector<Index> pivots(to_size(modes));
  const Table cell = above.tabulate_cell(space.order());
  for (Index c = 0; c < space.num_cells(); ++c) {
    solver.evaluate(c, state, work);
    geometry.evaluate(c);
    // u and q at the new points
    solver.gradient_modes(c, state, work, coefficients.data());
    std::fill(q.begin(), q.end(), 0.0);
    std::fill(u.begin(), u.end(), 0.0);
    dense::add_product<double>({cell.values.data(), points, low}, {coefficients.data(), low, comps * dim},
                               dense::Block<double>(q.data(), points, comps * dim));
    dense::add_product<double>({cell.values.data(), points, low}, {state.u.data() + Offset{c} * work.n, low, comps},
                               dense::Block<double>(u.data(), points, comps));
    // Gradients are stored with their weights; the matrix needs one of the two without.
    for (int d = 0; d < dim; ++d)
      for (int p = 0; p < points; ++p)
        for (int i = 0; i < modes; ++i)
          plain_grads[to_size((Offset{i} * dim + d) * points + p)] =
              geometry.grads[to_size((d * points + p) * modes + i)] / geometry.weights[to_size(p)];
    std::fill(matrix.begin(), matrix.end(), 0.0);
    std::fill(rhs.begin(), rhs.end(), 0.0);
    const dense::Block<double> a(matrix.data(), modes, modes), b(rhs.data(), modes, comps);
    dense::add_product<double>({geometry.grads.data(), modes, dim * points}, {plain_grads.data(), dim * points, modes},
                               a);
    dense::add_product<double>({geometry.grads.data(), modes, dim * points}, {q.data(), dim * points, comps}, b);
    // The first function is constant, and its row says nothing: the mean takes its place.
    for (int i = 0; i < modes; ++i) {
      a(0, i) = 0;
      for (int p = 0; p < points; ++p)
        a(0, i) += geometry.weights[to_size(p)] * above.cell().values[to_size(i * points + p)];
    }
    for (int k = 0; k < comps; ++k) {
      b(0, k) = 0;
      for (int p = 0; p < points; ++p) b(0, k) += geometry.weights[to_size(p)] * u[to_size(k * points + p)];
    }
    require(dense::factorise(a, pivots.data()) == 0, "hdg: cell ", c, " is degenerate");
    dense::solve<double>(a, pivots.data(), b);
    std::copy(rhs.begin(), rhs.end(), result.begin() + Offset{c} * comps * modes);
  }
  return result;
}

Csr<double> trace_matrix(const LocalSolver& solver, const State& state) {
  TraceSystem system(solver.space(), solver.comps());
  LocalWork work(solver.space(), solver.equation());
  for (Index cell = 0; cell < solver.space().num_cells(); ++cell) {
    solver.eliminate(cell, state, {}, work);
    system.add(cell, work.trace_matrix(), work.trace_rhs.data());
  }
  return system.matrix().to_csr();
}

std::vector<BoundaryFlux> boundary_fluxes(const LocalSolver& solver, const State& state, const Point& about) {
  const TraceSpace& space = solver.space();
  const Topology& topology = space.topology();
  const int comps = solver.comps(), dim = space.dim(), per_face = space.num_face_points();
  LocalWork work(space, solver.equation());
  std::map<std::string, BoundaryFlux> found;
  for (const Index face : topology.boundary_faces) {
    const FaceSide side = topology.face_sides[to_size(face)][0];
    const std::string group = group_name(space.mesh(), topology.face_tags[to_size(face)]);
    BoundaryFlux& sum = found[group];
    sum.group = group;
    sum.flux.resize(to_size(comps));
    solver.residual(side.cell, state, {}, work);
    const int all = work.geometry.num_face_points();
    for (int p = 0; p < per_face; ++p) {
      const int at = side.face * per_face + p;
      const double weight = work.geometry.areas[to_size(at)];
      sum.area += weight;
      double force[3] = {}, arm[3] = {};
      for (int c = 0; c < comps; ++c) sum.flux[to_size(c)] += weight * work.face_flux[to_size(c * all + at)];
      for (int d = 0; d < dim && comps > dim; ++d) {
        force[d] = weight * work.face_flux[to_size((1 + d) * all + at)];
        arm[d] = work.geometry.face_x[to_size(d * all + at)] - about[to_size(d)];
      }
      for (int d = 0; d < 3; ++d)
        sum.moment[to_size(d)] += arm[(d + 1) % 3] * force[(d + 2) % 3] - arm[(d + 2) % 3] * force[(d + 1) % 3];
    }
  }
  std::vector<BoundaryFlux> fluxes;
  for (auto& [name, flux] : found) fluxes.push_back(std::move(flux));
  return fluxes;
}

}  // namespace millrace::hdg
