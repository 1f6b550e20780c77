// The way of a vector from double to float and back, and the end of a refinement.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

/// low = r / |r|, in the user's order; c = 0. 1 vector and 2 half ones.
template <class A>
struct ToSingle : PlainStep {
  using Low = Single<A>;
  const Index* order;  // of A; null: the user's
  const A* r;
  Low* low;
  Low* c;
  const Progress* progress;
  ToSingle(const Index* order, const A* r, Low* low, Low* c, const Progress* progress)
      : order(order), r(r), low(low), c(c), progress(progress) {}

  MILLRACE_HD bool active() const { return progress->active(); }
  MILLRACE_HD double coefficients() const { return 1 / progress->true_residual; }
  MILLRACE_HD A load(std::int64_t i) const { return r[i]; }
  MILLRACE_HD void store(std::int64_t i, A value, double scale, double*) const {
    const std::int64_t to = order ? order[i] : i;
    low[to] = change_type<Low>(static_cast<RealOf<A>>(scale) * value);
    c[to] = Low{};
  }
};

/// x += |r| c, where c is in the user's order. 2 vectors and a half one.
template <class A>
struct FromSingle : PlainStep {
  using Low = Single<A>;
  struct Entry {
    A x;
    Low c;
  };
  const Index* order;
  const Low* c;
  A* x;
  const Progress* progress;
  FromSingle(const Index* order, const Low* c, A* x, const Progress* progress)
      : order(order), c(c), x(x), progress(progress) {}

  MILLRACE_HD bool active() const { return progress->active(); }
  MILLRACE_HD double coefficients() const { return progress->true_residual; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], c[order ? order[i] : i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, double scale, double*) const {
    x[i] = e.x + static_cast<RealOf<A>>(scale) * change_type<A>(e.c);
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

}  // namespace millrace::detail
