// The arithmetic of Lanczos' recurrence and of MINRES on one entry, and the scalars.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

/// Vectors v_j and z_j = M v_j are kept unscaled: <v_j, z_j> = gamma_j^2. All scalars are in double.
template <class A>
struct MinresScalars {
  Progress progress{};
  A zq{};  // <z, A z>
  A vz{};  // <v, M v> of the newest v
  double gamma_before = 1, gamma = 0, gamma_next = 0;
  double delta = 0;  // <z, A z> / gamma^2
  double c_before = 1, c = 1, s_before = 0, s = 0;
  double c_next = 1, s_next = 0;
  double eta = 0;                 // the residual in M's norm, with a sign
  double a1 = 1, a2 = 0, a3 = 0;  // the new column of the triangular factor
  double matrix_norm = 0;         // of the tridiagonal matrix so far
  double step = 0;                // that x still has to go along the newest direction: x is one step behind
  int num_steps = 0;              // since the start
  static constexpr int bad_preconditioner = 1, singular = 2;

  /// gamma_next from the square of it; ends the solver where there is no root.
  MILLRACE_HD void take_gamma(double square) {
    if (square < 0)
      progress.end(SolveEnd::indefinite, bad_preconditioner);
    else if (!(square <= Progress::max_number))
      progress.end(SolveEnd::not_a_number);
    else
      gamma_next = std::sqrt(square);
  }
  /// The next rotation.
  MILLRACE_HD void rotate() {
    if (!progress.active()) return;
    const double a0 = c * delta - c_before * s * gamma;
    a1 = std::hypot(a0, gamma_next);
    a2 = s * delta + c_before * c * gamma;
    a3 = s_before * gamma;
    const double above = matrix_norm > 0 ? gamma : 0;  // the first column has nothing above its diagonal
    const double column = std::sqrt(above * above + delta * delta + gamma_next * gamma_next);
    if (column > matrix_norm) matrix_norm = column;
    if (std::hypot(a0, c * gamma_next) <= 8 * double{epsilon<A>} * matrix_norm)  // |A r| is nothing: no progress left
      return progress.end(SolveEnd::stagnation, singular);
    c_next = a0 / a1;
    s_next = gamma_next / a1;
  }
  /// The new numbers take the places of the old ones.
  MILLRACE_HD void shift() {
    step = c_next * eta;
    ++num_steps;
    eta *= -s_next;
    c_before = c, c = c_next;
    s_before = s, s = s_next;
    gamma_before = gamma, gamma = gamma_next;
  }
};

/// v_next = A z / gamma - delta / gamma v - gamma / gamma_before v_before, over v_before, and its norm. 4 vectors.
template <class A>
struct LanczosStep {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 1;
  struct Entry {
    A q, v, before;
  };
  struct Coefficients {
    Sum q, v, before;
  };
  const A* q;
  const A* v;
  A* before;
  MinresScalars<A>* s;
  bool preconditioned;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD double delta() const { return double{real_part(s->zq)} / (s->gamma * s->gamma); }
  MILLRACE_HD Coefficients coefficients() const {
    return {static_cast<Sum>(1 / s->gamma), static_cast<Sum>(-delta() / s->gamma),
            static_cast<Sum>(-s->gamma / s->gamma_before)};
  }
  MILLRACE_HD Entry load(std::int64_t i) const { return {q[i], v[i], before[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum* sums) const {
    const A value = c.q * e.q + c.v * e.v + c.before * e.before;
    before[i] = value;
    sums[0] += norm_square(value);
  }
  MILLRACE_HD void finish(const Sum* sums) const {
    s->delta = delta();
    if (preconditioned) return;  // gamma_next comes from M
    s->take_gamma(double{sums[0]});
    s->rotate();
  }
};

/// gamma of the newest v from <v, M v>, and what comes after it: no vectors at all.
template <class A>
struct LanczosGamma : PlainStep {
  enum class Then { start, rotate, shift };  // MINRES begins, MINRES goes on, Lanczos' method alone goes on
  static constexpr int num_sums = 1;
  MinresScalars<A>* s;
  Then then;
  LanczosGamma(MinresScalars<A>* s, Then then) : s(s), then(then) {}

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Nothing load(std::int64_t) const { return {}; }
  MILLRACE_HD void store(std::int64_t, Nothing, Nothing, double*) const {}
  MILLRACE_HD void finish(const double*) const {
    s->take_gamma(double{real_part(s->vz)});
    if (then == Then::rotate) return s->rotate();
    s->gamma_before = then == Then::start ? 1 : s->gamma;
    s->gamma = s->eta = s->gamma_next;
    s->matrix_norm = 0;
    s->step = 0, s->num_steps = 0;
    s->c_before = s->c = 1;
    s->s_before = s->s = 0;
    if (s->progress.active() && s->gamma == 0) s->progress.end(SolveEnd::breakdown, s->bad_preconditioner);
  }
};

/// w_next = (z / gamma - a3 w_before - a2 w) / a1, over w_before, and its norm; x += step w, which the iteration before
/// has found. 6 vectors. With M also r = s^2 r + c eta / gamma v and its norm: 3 more.
template <class A>
struct MinresUpdate {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 2;
  struct Entry {
    A z, w, before, x, r, v;
  };
  struct Coefficients {
    Sum z, w, before, x, r, v;
  };
  const A* z;
  const A* w;
  A* before;
  A* x;
  A* r;        // null without M: then |r| is |eta|
  const A* v;  // the newest Lanczos vector
  MinresScalars<A>* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Coefficients coefficients() const {
    const double below = s->gamma_next > 0 ? s->gamma_next : 1;
    return {static_cast<Sum>(1 / (s->gamma * s->a1)), static_cast<Sum>(-s->a2 / s->a1),
            static_cast<Sum>(-s->a3 / s->a1),         static_cast<Sum>(s->step),
            static_cast<Sum>(s->s_next * s->s_next),  static_cast<Sum>(-s->s_next * s->eta * s->c_next / below)};
  }
  MILLRACE_HD Entry load(std::int64_t i) const { return {z[i], w[i], before[i], x[i], r ? r[i] : A{}, r ? v[i] : A{}}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum* sums) const {
    const A direction = c.z * e.z + c.w * e.w + c.before * e.before;
    before[i] = direction;
    x[i] = e.x + c.x * e.w;
    sums[1] += norm_square(direction);
    if (!r) return;
    const A residual = c.r * e.r + c.v * e.v;
    r[i] = residual;
    sums[0] += norm_square(residual);
  }
  MILLRACE_HD void finish(const Sum* sums) const {
    s->shift();
    Progress& progress = s->progress;
    const double eta = s->eta < 0 ? -s->eta : s->eta;
    progress.advance(r ? std::sqrt(double{sums[0]}) : eta);
    // A step so long that the rounding errors of A x spoil a residual far from the aim: A is singular. It is not taken.
    const double length = (s->step < 0 ? -s->step : s->step) * std::sqrt(double{sums[1]});
    const double noise = double{epsilon<A>} * s->matrix_norm * length;
    if (!r && progress.active() && progress.residual > 20 * progress.target && noise > progress.residual / 100) {
      s->step = 0;
      progress.end(SolveEnd::stagnation, s->singular);
    }
  }
};

}  // namespace millrace::detail
