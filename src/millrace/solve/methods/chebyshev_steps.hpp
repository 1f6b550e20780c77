// The arithmetic of the Chebyshev iteration on one entry, and its coefficients.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

/// The direction follows d = keep d + add M r, with coefficients that the bounds alone decide.
struct ChebyshevCoefficients {
  double center = 1, radius = 0;  // of the interval
  double rho = 0;
  double keep = 0, add = 0;

  MILLRACE_HD void reset() { rho = radius / center; }
  MILLRACE_HD void next() {
    const double below = 2 * center - radius * rho, rho_next = radius / below;
    keep = rho * rho_next;
    add = 2 / below;
    rho = rho_next;
  }
};

struct ChebyshevScalars {
  Progress progress{};
  ChebyshevCoefficients c{};
};

/// The start: d = z / center with z = M r. 2 vectors.
template <class A>
struct ChebyshevStart : PlainStep {
  static constexpr int num_sums = 1;
  const A* z;
  A* d;
  ChebyshevScalars* s;
  bool preconditioned;
  ChebyshevStart(const A* z, A* d, ChebyshevScalars* s, bool preconditioned)
      : z(z), d(d), s(s), preconditioned(preconditioned) {}

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD RealOf<A> coefficients() const { return static_cast<RealOf<A>>(1 / s->c.center); }
  MILLRACE_HD A load(std::int64_t i) const { return z[i]; }
  MILLRACE_HD void store(std::int64_t i, A value, RealOf<A> scale, double*) const { d[i] = scale * value; }
  MILLRACE_HD void finish(const double*) const {
    s->c.reset();
    if (!preconditioned) s->c.next();  // the update makes the next direction by itself
  }
};

/// x += d, r -= q with q = A d, and |r|^2: 6 vectors. Without M also d = keep d + add r: 7 vectors.
template <class A>
struct ChebyshevUpdate {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 1;
  struct Entry {
    A x, r, d, q;
  };
  struct Coefficients {
    Sum keep, add;
  };
  A* x;
  A* r;
  A* d;
  const A* q;
  ChebyshevScalars* s;
  bool preconditioned;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Coefficients coefficients() const { return {static_cast<Sum>(s->c.keep), static_cast<Sum>(s->c.add)}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], r[i], d[i], q[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum* sums) const {
    const A residual = e.r - e.q;
    x[i] = e.x + e.d;
    r[i] = residual;
    if (!preconditioned) d[i] = c.keep * e.d + c.add * residual;
    sums[0] += norm_square(residual);
  }
  MILLRACE_HD void finish(const Sum* sums) const {
    s->progress.advance(std::sqrt(double{sums[0]}));
    s->c.next();
  }
};

/// d = keep d + add z with z = M r. 3 vectors.
template <class A>
struct ChebyshevDirection {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 0;
  struct Entry {
    A d, z;
  };
  struct Coefficients {
    Sum keep, add;
  };
  A* d;
  const A* z;
  const ChebyshevScalars* s;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD Coefficients coefficients() const { return {static_cast<Sum>(s->c.keep), static_cast<Sum>(s->c.add)}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {d[i], z[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum*) const {
    d[i] = c.keep * e.d + c.add * e.z;
  }
};

/// r = from - q. 3 vectors.
template <class A>
struct ChebyshevResidual : PlainStep {
  struct Entry {
    A from, q;
  };
  const A* from;
  const A* q;
  A* r;
  ChebyshevResidual(const A* from, const A* q, A* r) : from(from), q(q), r(r) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {from[i], q[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const { r[i] = e.from - e.q; }
};

/// One term of the polynomial: r = from - q (when q is given), d = keep d + add z, y += d, or y = old d + d at first.
/// What the next term does not need is not written.
template <class A>
struct ChebyshevTerm : PlainStep {
  struct Entry {
    A from, q, z, d, y;
  };
  RealOf<A> keep{}, add{};
  const A* from = nullptr;  // r, or at first the right-hand side
  const A* q = nullptr;     // null: r is made elsewhere
  const A* z = nullptr;     // M r; null: r itself
  A* r = nullptr;
  A* d = nullptr;
  A* y = nullptr;
  bool first = false, last = false;

  MILLRACE_HD Entry load(std::int64_t i) const {
    return {q ? from[i] : A{}, q ? q[i] : A{}, z ? z[i] : A{}, d[i], first ? A{} : y[i]};
  }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const {
    const A residual = e.from - e.q;
    const A direction = keep * e.d + add * (z ? e.z : residual);
    if (q && !last) r[i] = residual;
    if (!last) d[i] = direction;
    y[i] = (first ? e.d : e.y) + direction;
  }
};

}  // namespace millrace::detail
