// The arithmetic of BiCGStab on one entry, and its scalars. Names as in van der Vorst's paper; s is kept in r's memory.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

template <class A>
struct BicgstabScalars {
  Progress progress{};
  A rho{}, alpha{}, omega{}, beta{};
  double shadow = 0;      // |shadow|
  double half = 0;        // |s|
  double norm_scale = 1;  // |b| / |M b| with M on the left
  int omega_failed = 0;   // the second half of this iteration is left out; the first still counts
  static constexpr int orthogonal = 1, no_alpha = 2, no_omega = 3;  // details of breakdown

  /// Is <u, v> = product nothing but rounding? A NaN is not.
  MILLRACE_HD static bool vanishes(A product, double u, double v) {
    return double{magnitude(product)} <= double{epsilon<A>} * u * v;
  }
};

/// The start: shadow = p = r, rho = |r|^2. 3 vectors.
template <class A>
struct BicgstabStart {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 1;
  const A* r;
  A* shadow;
  A* p;
  BicgstabScalars<A>* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD A load(std::int64_t i) const { return r[i]; }
  MILLRACE_HD void store(std::int64_t i, A value, Nothing, Sum* sums) const {
    shadow[i] = p[i] = value;
    sums[0] += norm_square(value);
  }
  MILLRACE_HD void finish(const Sum* sums) const {
    s->rho = sums[0] * one<A>();
    s->shadow = std::sqrt(double{sums[0]});
    s->progress.note(s->norm_scale * s->shadow);
  }
};

/// <u, v> and |v|^2: of the shadow with v = A p for alpha, of s with t = A s for omega. 2 vectors.
template <class A>
struct BicgstabProducts {
  using Sum = A;
  static constexpr int num_sums = 2;
  struct Entry {
    A u, v;
  };
  const A* u;
  const A* v;
  BicgstabScalars<A>* s;
  bool for_omega;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {u[i], v[i]}; }
  MILLRACE_HD void store(std::int64_t, const Entry& e, Nothing, A* sums) const {
    sums[0] = multiply_add(conjugate(e.u), e.v, sums[0]);
    sums[1] = multiply_add(conjugate(e.v), e.v, sums[1]);
  }
  MILLRACE_HD void finish(const A* sums) const {
    const double norm = std::sqrt(double{real_part(sums[1])});
    const bool nothing = s->vanishes(sums[0], for_omega ? s->half : s->shadow, norm);
    if (!for_omega) {
      s->alpha = s->rho / sums[0];
      if (nothing)
        s->progress.end(SolveEnd::breakdown, s->no_alpha);
      else if (!(double{magnitude(s->alpha)} <= Progress::max_number))
        s->progress.end(SolveEnd::not_a_number);
    } else {
      s->omega_failed = nothing;
      s->omega = nothing ? A{} : conjugate(sums[0]) / sums[1];
    }
  }
};

/// s = r - alpha v and |s|^2. 3 vectors.
template <class A>
struct BicgstabHalf {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 1;
  struct Entry {
    A r, v;
  };
  A* r;
  const A* v;
  BicgstabScalars<A>* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD A coefficients() const { return s->alpha; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {r[i], v[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, A alpha, Sum* sums) const {
    const A value = e.r - alpha * e.v;
    r[i] = value;
    sums[0] += norm_square(value);
  }
  MILLRACE_HD void finish(const Sum* sums) const { s->half = std::sqrt(double{sums[0]}); }
};

/// x += alpha y + omega z, r = s - omega t, <shadow, r> and |r|^2. 7 vectors, or 8 when z is not s.
template <class A>
struct BicgstabUpdate {
  using Sum = A;
  static constexpr int num_sums = 2;
  struct Entry {
    A x, y, z, r, t, shadow;
  };
  struct Coefficients {
    A alpha, omega;
  };
  A* x;
  const A* y;
  const A* z;  // null: s itself
  A* r;
  const A* t;
  const A* shadow;
  BicgstabScalars<A>* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Coefficients coefficients() const { return {s->alpha, s->omega}; }
  MILLRACE_HD Entry load(std::int64_t i) const {
    const A half = r[i];
    return {x[i], y[i], z ? z[i] : half, half, t[i], shadow[i]};
  }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, A* sums) const {
    const A value = e.r - c.omega * e.t;
    x[i] = multiply_add(c.omega, e.z, multiply_add(c.alpha, e.y, e.x));
    r[i] = value;
    sums[0] = multiply_add(conjugate(e.shadow), value, sums[0]);
    sums[1] += norm_square(value) * one<A>();
  }
  MILLRACE_HD void finish(const A* sums) const {
    const double norm = std::sqrt(double{real_part(sums[1])});
    Progress& progress = s->progress;
    progress.advance(s->norm_scale * norm);
    if (!progress.active()) return;
    if (s->omega_failed) return progress.end(SolveEnd::breakdown, s->no_omega);
    if (s->vanishes(sums[0], s->shadow, norm)) return progress.end(SolveEnd::breakdown, s->orthogonal);
    s->beta = (sums[0] / s->rho) * (s->alpha / s->omega);
    s->rho = sums[0];
  }
};

/// p = r + beta (p - omega v). 4 vectors.
template <class A>
struct BicgstabDirection {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 0;
  struct Entry {
    A r, p, v;
  };
  struct Coefficients {
    A beta, omega;
  };
  const A* r;
  A* p;
  const A* v;
  const BicgstabScalars<A>* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Coefficients coefficients() const { return {s->beta, s->omega}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {r[i], p[i], v[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum*) const {
    p[i] = multiply_add(c.beta, e.p - c.omega * e.v, e.r);
  }
};

/// With M on the left: |M b|, from which the scale of the recurrence's residual and its target follow. 1 vector.
template <class A>
struct BicgstabScale {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 1;
  const A* mb;
  BicgstabScalars<A>* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD A load(std::int64_t i) const { return mb[i]; }
  MILLRACE_HD void store(std::int64_t, A value, Nothing, Sum* sums) const { sums[0] += norm_square(value); }
  MILLRACE_HD void finish(const Sum* sums) const {
    Progress& progress = s->progress;
    progress.aim(double{epsilon<A>});
    progress.target *= progress.shrink;
    s->norm_scale = progress.rhs_norm / std::sqrt(double{sums[0]});
  }
};

}  // namespace millrace::detail
