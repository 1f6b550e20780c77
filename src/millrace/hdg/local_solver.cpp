// Everything at points is a product with a table; derivatives through q are combined at the points first, so that each
// component of the residual needs one product for all columns of D, F, K and H.
#include "millrace/hdg/local_solver.hpp"

#include <algorithm>

#include "millrace/base/dense.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::hdg {
namespace {

using dense::Block;
using Input = Block<const double>;

// to[p] += a[p] b[p]
void add_products(int num, const double* a, const double* b, double* to) {
  for (int p = 0; p < num; ++p) to[p] += a[p] * b[p];
}

bool any(const std::vector<double>& v) {
  return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
}

}  // namespace

LocalWork::LocalWork(const TraceSpace& space, const Equation& equation)
    : n(equation.comps() * space.cell_modes()),
      m(equation.comps() * space.faces_per_cell() * space.face_modes()),
      geometry(space) {
  const int comps = equation.comps(), dim = space.dim(), points = space.num_points(),
            faces = geometry.num_face_points(), gradients = equation.uses_gradient() ? comps * dim : 0;
  u.resize(to_size(comps * points));
  q.resize(to_size(gradients * points));
  flux.resize(to_size(comps * dim * points));
  flux_u.resize(to_size(comps * dim * comps * points));
  flux_q.resize(to_size(comps * dim * gradients * points));
  source.resize(to_size(comps * points));
  source_u.resize(to_size(comps * comps * points));
  face_u.resize(to_size(comps * faces));
  face_q.resize(to_size(gradients * faces));
  face_uh.resize(to_size(comps * faces));
  face_flux.resize(to_size(comps * faces));
  face_flux_d.resize(to_size(comps * equation.inputs() * faces));
  condition.resize(face_flux.size());
  condition_d.resize(face_flux_d.size());
  trace.resize(to_size(m));
  trace_by_comp.resize(to_size(m));
  inside.resize(to_size(Offset{n} * (n + m + 1)));
  outside.resize(to_size(Offset{m} * (n + m)));
  residual.resize(to_size(n));
  trace_residual.resize(to_size(m));
  slopes.resize(to_size(Offset{std::max(dim * points, faces)} * (n + m)));
  weighted.resize(to_size(std::max(points, faces) * std::max(space.cell_modes(), dim * comps)));
  pivots.resize(to_size(n));
  trace_rhs.resize(to_size(m));
}

LocalSolver::LocalSolver(const TraceSpace& space, const Problem& problem)
    : space_(space), problem_(problem), boundary_(space, problem) {
  sample_source(0);
}

void LocalSolver::set_time(double time) {
  boundary_.set_time(space_, problem_, time);
  if (problem_.source_in_time) sample_source(time);
}

void LocalSolver::sample_source(double time) {
  const int points = space_.num_points();
  source_.clear();
  if (!problem_.source && !problem_.source_in_time) return;
  source_.assign(to_size(Offset{space_.num_cells()} * comps() * points), 0.0);
  CellGeometry geometry(space_);
  for (Index cell = 0; cell < space_.num_cells(); ++cell) {
    geometry.evaluate(cell);
    double* const to = source_.data() + Offset{cell} * comps() * points;
    for (const PointFunction& function : {problem_.source, at_time(problem_.source_in_time, time)}) {
      if (!function) continue;
      const std::vector<double> values = sample(function, space_.dim(), comps(), geometry.x.data(), points, points);
      for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
    }
  }
}

void LocalSolver::evaluate(Index cell, const State& state, LocalWork& w) const {
  CellGeometry& g = w.geometry;
  g.evaluate(cell);
  if (equation().uses_gradient()) g.make_gradients();
  const int c = comps(), dim = space_.dim(), points = space_.num_points(), modes = space_.cell_modes(),
            all = g.num_face_points(), fm = space_.face_modes(), faces = space_.faces_per_cell(),
            per_face = space_.num_face_points(), traces = g.num_traces();
  for (int f = 0; f < faces; ++f) {
    const double* from = state.trace.data() + Offset{space_.trace(cell, f)} * c * fm;
    std::copy_n(from, c * fm, w.trace.data() + f * c * fm);
    for (int i = 0; i < c; ++i) std::copy_n(from + i * fm, fm, w.trace_by_comp.data() + i * traces + f * fm);
  }
  const Input u(state.u.data() + Offset{cell} * w.n, modes, c), uh(w.trace_by_comp.data(), traces, c);
  const auto product = [](const Input& a, const Input& b, const Block<double>& to) {
    for (Index j = 0; j < to.cols; ++j) std::fill_n(to.column(j), to.rows, 0.0);
    dense::add_product<double>(a, b, to);
  };
  product({space_.cell().values.data(), points, modes}, u, {w.u.data(), points, c});
  product({g.on_faces.data(), all, modes}, u, {w.face_u.data(), all, c});
  for (int f = 0; f < faces; ++f)
    product({space_.face().values.data(), per_face, fm}, {w.trace.data() + f * c * fm, fm, c},
            {w.face_uh.data() + f * per_face, per_face, c, all});
  if (!equation().uses_gradient()) return;
  for (int j = 0; j < dim; ++j) {
    const Block<double> q(w.q.data() + j * points, points, c, Offset{dim} * points);
    const Block<double> face_q(w.face_q.data() + j * all, all, c, Offset{dim} * all);
    product({g.point_u.data() + j * modes * points, points, modes}, u, q);
    dense::add_product<double>({g.point_trace.data() + j * traces * points, points, traces}, uh, q);
    product({g.face_point_u.data() + j * modes * all, all, modes}, u, face_q);
    dense::add_product<double>({g.face_point_trace.data() + j * traces * all, all, traces}, uh, face_q);
  }
}

void LocalSolver::gradient_modes(Index cell, const State& state, const LocalWork& w, double* modes) const {
  const CellGeometry& g = w.geometry;
  const int c = comps(), dim = space_.dim(), low = space_.cell_modes(), traces = g.num_traces();
  std::fill_n(modes, c * dim * low, 0.0);
  for (int j = 0; j < dim; ++j) {
    const Block<double> to(modes + j * low, low, c, Offset{dim} * low);
    dense::add_product<double>({g.from_u.data() + j * low * low, low, low},
                               {state.u.data() + Offset{cell} * w.n, low, c}, to);
    dense::add_product<double>({g.from_trace.data() + j * low * traces, low, traces},
                               {w.trace_by_comp.data(), traces, c}, to);
  }
}

void LocalSolver::at_points(bool derivatives, LocalWork& w) const {
  equation().at_points({.num = space_.num_points(),
                        .x = w.geometry.x.data(),
                        .u = w.u.data(),
                        .q = w.q.data(),
                        .flux = w.flux.data(),
                        .flux_u = derivatives ? w.flux_u.data() : nullptr,
                        .flux_q = derivatives ? w.flux_q.data() : nullptr,
                        .source = w.source.data(),
                        .source_u = derivatives ? w.source_u.data() : nullptr});
}

void LocalSolver::at_faces(Index cell, bool derivatives, LocalWork& w) const {
  const int per_face = space_.num_face_points();
  for (int f = 0; f < space_.faces_per_cell(); ++f) {
    const Index face = space_.face(cell, f);
    const int kind = boundary_.kind[to_size(face)], at = f * per_face;
    equation().at_face({.num = per_face,
                        .stride = w.geometry.num_face_points(),
                        .kind = kind,
                        .x = w.geometry.face_x.data() + at,
                        .normal = w.geometry.normals.data() + at,
                        .data = kind < 0 ? nullptr : boundary_.data.data() + boundary_.first[to_size(face)],
                        .u = w.face_u.data() + at,
                        .q = w.face_q.data() + at,
                        .uh = w.face_uh.data() + at,
                        .flux = w.face_flux.data() + at,
                        .flux_d = derivatives ? w.face_flux_d.data() + at : nullptr,
                        .condition = w.condition.data() + at,
                        .condition_d = w.condition_d.data() + at});
  }
}

void LocalSolver::add_residuals(Index cell, const State& state, const PseudoTime& time, LocalWork& w) const {
  const CellGeometry& g = w.geometry;
  const int c = comps(), dim = space_.dim(), points = space_.num_points(), modes = space_.cell_modes(),
            all = g.num_face_points(), fm = space_.face_modes(), per_face = space_.num_face_points();
  const Block<double> residual(w.residual.data(), modes, c);
  std::fill(w.residual.begin(), w.residual.end(), 0.0);
  std::fill(w.trace_residual.begin(), w.trace_residual.end(), 0.0);
  dense::add_product<double>({g.grads.data(), modes, dim * points}, {w.flux.data(), dim * points, c}, residual, -1.0);
  for (int i = 0; i < c; ++i) {
    double* const weighted = w.weighted.data() + i * points;
    const double* given = source_.empty() ? nullptr : source_.data() + (Offset{cell} * c + i) * points;
    for (int p = 0; p < points; ++p)
      weighted[p] = g.weights[to_size(p)] * (w.source[to_size(i * points + p)] + (given ? given[p] : 0));
  }
  dense::add_product<double>({space_.cell().transposed.data(), modes, points}, {w.weighted.data(), points, c}, residual,
                             -1.0);
  for (int i = 0; i < c; ++i)
    for (int p = 0; p < all; ++p)
      w.weighted[to_size(i * all + p)] = g.areas[to_size(p)] * w.face_flux[to_size(i * all + p)];
  dense::add_product<double>({g.on_faces_transposed.data(), modes, all}, {w.weighted.data(), all, c}, residual);
  for (int f = 0; f < space_.faces_per_cell(); ++f) {
    const bool inner = boundary_.kind[to_size(space_.face(cell, f))] < 0;
    const std::vector<double>& from = inner ? w.face_flux : w.condition;
    for (int i = 0; i < c; ++i)
      for (int p = 0; p < per_face; ++p)
        w.weighted[to_size(i * per_face + p)] =
            g.areas[to_size(f * per_face + p)] * from[to_size(i * all + f * per_face + p)];
    dense::add_product<double>({space_.face().transposed.data(), fm, per_face}, {w.weighted.data(), per_face, c},
                               Block<double>(w.trace_residual.data() + f * c * fm, fm, c));
  }
  if (time.inverse_step == 0) return;
  for (int i = 0; i < w.n; ++i)
    w.weighted[to_size(i)] = time.inverse_step * (state.u[to_size(Offset{cell} * w.n + i)] - time.old[i]);
  dense::add_product<double>({g.mass.data(), modes, modes}, {w.weighted.data(), modes, c}, residual);
}

void LocalSolver::residual(Index cell, const State& state, const PseudoTime& time, LocalWork& w) const {
  evaluate(cell, state, w);
  at_points(false, w);
  at_faces(cell, false, w);
  add_residuals(cell, state, time, w);
}

// D and F -= grads^T d flux, for each component of the flux.
void LocalSolver::add_volume(const PseudoTime& time, LocalWork& w) const {
  const CellGeometry& g = w.geometry;
  const int c = comps(), dim = space_.dim(), points = space_.num_points(), modes = space_.cell_modes(),
            fm = space_.face_modes(), traces = g.num_traces(), columns = w.n + w.m,
            gradients = equation().uses_gradient() ? c * dim : 0, rows = dim * points;
  const Block<double> inside(w.inside.data(), w.n, columns);
  for (int i = 0; i < c; ++i) {
    std::fill_n(w.slopes.data(), Offset{rows} * columns, 0.0);
    for (int d = 0; d < dim; ++d)
      for (int k = 0; k < c; ++k) {
        const double* by_u = w.flux_u.data() + ((i * dim + d) * c + k) * points;
        const double* by_q = w.flux_q.data() + ((i * dim + d) * gradients + k * dim) * points;
        for (int a = 0; a < modes; ++a) {
          double* const to = w.slopes.data() + Offset{k * modes + a} * rows + d * points;
          add_products(points, by_u, space_.cell().values.data() + a * points, to);
          for (int j = 0; j < dim && gradients > 0; ++j)
            add_products(points, by_q + j * points, g.point_u.data() + (j * modes + a) * points, to);
        }
        for (int t = 0; t < traces && gradients > 0; ++t) {
          double* const to = w.slopes.data() + Offset{w.n + (t / fm * c + k) * fm + t % fm} * rows + d * points;
          for (int j = 0; j < dim; ++j)
            add_products(points, by_q + j * points, g.point_trace.data() + (j * traces + t) * points, to);
        }
      }
    dense::add_product<double>({g.grads.data(), modes, rows}, {w.slopes.data(), rows, columns},
                               inside.part(i * modes, 0, modes, columns), -1.0);
    for (int k = 0; k < modes && time.inverse_step != 0; ++k)
      for (int a = 0; a < modes; ++a)
        inside(i * modes + a, i * modes + k) += time.inverse_step * g.mass[to_size(k * modes + a)];
  }
  if (!any(w.source_u)) return;
  for (int i = 0; i < c; ++i)
    for (int k = 0; k < c; ++k) {
      std::fill_n(w.slopes.data(), points * modes, 0.0);
      for (int p = 0; p < points; ++p)
        w.weighted[to_size(p)] = g.weights[to_size(p)] * w.source_u[to_size((i * c + k) * points + p)];
      for (int a = 0; a < modes; ++a)
        add_products(points, w.weighted.data(), space_.cell().values.data() + a * points, w.slopes.data() + a * points);
      dense::add_product<double>({space_.cell().transposed.data(), modes, points}, {w.slopes.data(), points, modes},
                                 inside.part(i * modes, k * modes, modes, modes), -1.0);
    }
}

// The derivatives of one component on faces, times areas, for points [first, first + count) of all face points.
void LocalSolver::fill_slopes(const double* by, int comp, int first, int count, LocalWork& w) const {
  const CellGeometry& g = w.geometry;
  const int c = comps(), dim = space_.dim(), modes = space_.cell_modes(), all = g.num_face_points(),
            fm = space_.face_modes(), per_face = space_.num_face_points(), traces = g.num_traces(),
            inputs = equation().inputs(), columns = w.n + w.m;
  const bool gradients = equation().uses_gradient();
  const double* mine = by + Offset{comp} * inputs * all + first;
  std::fill_n(w.slopes.data(), Offset{count} * columns, 0.0);
  for (int k = 0; k < c; ++k) {
    const double *by_u = mine + k * all, *by_uh = mine + (c + k) * all, *by_q = mine + (2 * c + k * dim) * all;
    for (int a = 0; a < modes; ++a) {
      double* const to = w.slopes.data() + Offset{k * modes + a} * count;
      add_products(count, by_u, g.on_faces.data() + a * all + first, to);
      for (int j = 0; j < dim && gradients; ++j)
        add_products(count, by_q + j * all, g.face_point_u.data() + (j * modes + a) * all + first, to);
    }
    for (int t = 0; t < traces; ++t) {
      const int face = t / fm;
      double* const to = w.slopes.data() + Offset{w.n + (face * c + k) * fm + t % fm} * count;
      for (int j = 0; j < dim && gradients; ++j)
        add_products(count, by_q + j * all, g.face_point_trace.data() + (j * traces + t) * all + first, to);
      const int at = face * per_face - first;  // where the face's own points are, if they are among these
      if (at < 0 || at + per_face > count) continue;
      add_products(per_face, by_uh + at, space_.face().values.data() + t % fm * per_face, to + at);
    }
  }
  for (int column = 0; column < columns; ++column)
    for (int p = 0; p < count; ++p) w.slopes[to_size(Offset{column} * count + p)] *= g.areas[to_size(first + p)];
}

void LocalSolver::add_faces(Index cell, LocalWork& w) const {
  const CellGeometry& g = w.geometry;
  const int c = comps(), modes = space_.cell_modes(), all = g.num_face_points(), fm = space_.face_modes(),
            per_face = space_.num_face_points(), columns = w.n + w.m;
  const Block<double> inside(w.inside.data(), w.n, columns), outside(w.outside.data(), w.m, columns);
  const auto test_face = [&](int f, int i, const Input& slopes) {
    dense::add_product<double>({space_.face().transposed.data(), fm, per_face}, slopes,
                               outside.part((f * c + i) * fm, 0, fm, columns));
  };
  for (int i = 0; i < c; ++i) {
    fill_slopes(w.face_flux_d.data(), i, 0, all, w);
    const Input slopes(w.slopes.data(), all, columns);
    dense::add_product<double>({g.on_faces_transposed.data(), modes, all}, slopes,
                               inside.part(i * modes, 0, modes, columns));
    for (int f = 0; f < space_.faces_per_cell(); ++f)
      if (boundary_.kind[to_size(space_.face(cell, f))] < 0)
        test_face(f, i, slopes.part(f * per_face, 0, per_face, columns));
    for (int f = 0; f < space_.faces_per_cell(); ++f) {
      if (boundary_.kind[to_size(space_.face(cell, f))] < 0) continue;
      fill_slopes(w.condition_d.data(), i, f * per_face, per_face, w);
      test_face(f, i, {w.slopes.data(), per_face, columns});
    }
  }
}

void LocalSolver::linearise(Index cell, const State& state, const PseudoTime& time, LocalWork& w) const {
  evaluate(cell, state, w);
  at_points(true, w);
  at_faces(cell, true, w);
  add_residuals(cell, state, time, w);
  std::fill(w.inside.begin(), w.inside.end(), 0.0);
  std::fill(w.outside.begin(), w.outside.end(), 0.0);
  add_volume(time, w);
  add_faces(cell, w);
}

void LocalSolver::eliminate(Index cell, const State& state, const PseudoTime& time, LocalWork& w) const {
  linearise(cell, state, time, w);
  const Block<double> inside(w.inside.data(), w.n, w.n + w.m + 1), outside(w.outside.data(), w.m, w.n + w.m);
  std::copy(w.residual.begin(), w.residual.end(), inside.column(w.n + w.m));
  const Block<double> d = inside.part(0, 0, w.n, w.n), solution = inside.part(0, w.n, w.n, w.m + 1);
  require(dense::factorise(d, w.pivots.data()) == 0, "hdg: the system inside cell ", cell,
          " is singular; is the state far from physical, or the cell nearly flat?");
  dense::solve<double>(d, w.pivots.data(), solution);
  const Block<double> k = outside.part(0, 0, w.m, w.n), h = outside.part(0, w.n, w.m, w.m);
  dense::add_product<double>(k, inside.part(0, w.n, w.n, w.m), h, -1.0);
  for (int i = 0; i < w.m; ++i) w.trace_rhs[to_size(i)] = -w.trace_residual[to_size(i)];
  dense::add_product<double>(k, inside.part(0, w.n + w.m, w.n, 1), Block<double>(w.trace_rhs.data(), w.m, 1));
}

bool LocalSolver::admissible(const LocalWork& w) const {
  const int points = space_.num_points(), all = w.geometry.num_face_points();
  return equation().first_inadmissible(points, w.u.data()) == points &&
         equation().first_inadmissible(all, w.face_u.data()) == all &&
         equation().first_inadmissible(all, w.face_uh.data()) == all;
}

}  // namespace millrace::hdg
