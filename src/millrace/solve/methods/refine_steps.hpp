// The way of a vector from double to float and back, and the end of a refinement.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace {

template <class A>
using NarrowArith = std::conditional_t<is_complex<A>, Complex<float>, float>;

/// The same number in another precision.
template <class To, class From>
MILLRACE_HD inline To in_precision(From a) {
  if constexpr (is_complex<From>)
    return {static_cast<RealOf<To>>(a.re), static_cast<RealOf<To>>(a.im)};
  else
    return static_cast<To>(a);
}

/// low = r / |r|, in the user's basis; c = 0. 1 vector and 2 half ones.
template <class A>
struct ToNarrow : PlainStep {
  using Low = NarrowArith<A>;
  const Index* order;  // of A's basis; null: the user's
  const A* r;
  Low* low;
  Low* c;
  const Progress* progress;
  ToNarrow(const Index* order, const A* r, Low* low, Low* c, const Progress* progress)
      : order(order), r(r), low(low), c(c), progress(progress) {}

  MILLRACE_HD bool active() const { return progress->active(); }
  MILLRACE_HD double coefficients() const { return 1 / progress->true_residual; }
  MILLRACE_HD A load(std::int64_t i) const { return r[i]; }
  MILLRACE_HD void store(std::int64_t i, A value, double scale, double*) const {
    const std::int64_t to = order ? order[i] : i;
    low[to] = in_precision<Low>(static_cast<RealOf<A>>(scale) * value);
    c[to] = Low{};
  }
};

/// x += |r| c, where c is in the user's basis. 2 vectors and a half one.
template <class A>
struct FromNarrow : PlainStep {
  using Low = NarrowArith<A>;
  struct Entry {
    A x;
    Low c;
  };
  const Index* order;
  const Low* c;
  A* x;
  const Progress* progress;
  FromNarrow(const Index* order, const Low* c, A* x, const Progress* progress)
      : order(order), c(c), x(x), progress(progress) {}

  MILLRACE_HD bool active() const { return progress->active(); }
  MILLRACE_HD double coefficients() const { return progress->true_residual; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], c[order ? order[i] : i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, double scale, double*) const {
    x[i] = e.x + static_cast<RealOf<A>>(scale) * in_precision<A>(e.c);
  }
};

/// Takes the true residual as the new one: no vectors.
struct RefineAdvance : PlainStep {
  static constexpr int num_sums = 1;
  static constexpr int slow = 1;  // a detail of stagnation
  Progress* progress;
  explicit RefineAdvance(Progress* progress) : progress(progress) {}

  MILLRACE_HD bool active() const { return progress->active(); }
  MILLRACE_HD Nothing load(std::int64_t) const { return {}; }
  MILLRACE_HD void store(std::int64_t, Nothing, Nothing, double*) const {}
  MILLRACE_HD void finish(const double*) const {
    const double before = progress->residual;
    progress->advance(progress->true_residual);
    if (progress->active() && progress->residual > before / 2) progress->end(SolveEnd::stagnation, slow);
  }
};

}  // namespace millrace
