// The arithmetic of a cycle on one entry of its vectors; sweep.hpp runs it over all.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace::multigrid {

using detail::Nothing;
using detail::PlainStep;

/// z = D^-1 r. 3 vectors.
template <class W>
struct ScaleStep : PlainStep {
  const W* inverse;
  const W* r;
  W* z;
  ScaleStep(const W* inverse, const W* r, W* z) : inverse(inverse), r(r), z(z) {}

  MILLRACE_HD W load(std::int64_t i) const { return inverse[i] * r[i]; }
  MILLRACE_HD void store(std::int64_t i, W value, Nothing, double*) const { z[i] = value; }
};

/// old = q - now r - before old, and z = D^-1 of that. 6 vectors.
template <class W>
struct LanczosStep : PlainStep {
  struct Entry {
    W inverse, q, r, old;
  };
  const W* inverse;
  W now, before;
  const W* q;
  const W* r;
  W* old;
  W* z;
  LanczosStep(const W* inverse, W now, W before, const W* q, const W* r, W* old, W* z)
      : inverse(inverse), now(now), before(before), q(q), r(r), old(old), z(z) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {inverse[i], q[i], r[i], old[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const {
    const W next = e.q - now * e.r - before * e.old;
    old[i] = next;
    z[i] = e.inverse * next;
  }
};

/// A step of a smoother: r = from - q, z = keep z + add D^-1 r, x += weight z. What is null or not asked for is neither
/// read nor written: 5 to 8 vectors.
template <class W>
struct SmoothStep : PlainStep {
  struct Entry {
    W inverse, from, q, z, x;
  };
  const W* inverse = nullptr;
  W keep{}, add{}, weight{};
  const W* from = nullptr;  // what q is taken from: the right-hand side, or the r of before
  const W* q = nullptr;     // null: nothing is taken
  W* r = nullptr;           // null: not needed later
  W* z = nullptr;           // not read where keep is 0
  W* x = nullptr;
  bool fresh = false;  // x is zero, and not read

  MILLRACE_HD Entry load(std::int64_t i) const {
    return {inverse[i], from[i], q ? q[i] : W{0}, keep == W{0} ? W{0} : z[i], fresh ? W{0} : x[i]};
  }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const {
    const W left = e.from - e.q;
    const W direction = keep * e.z + add * (e.inverse * left);
    if (r) r[i] = left;
    z[i] = direction;
    x[i] = e.x + weight * direction;
  }
};

/// r = b - q. 3 vectors.
template <class W>
struct SubtractStep : PlainStep {
  struct Entry {
    W b, q;
  };
  const W* b;
  const W* q;
  W* r;
  SubtractStep(const W* b, const W* q, W* r) : b(b), q(q), r(r) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {b[i], q[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const { r[i] = e.b - e.q; }
};

/// y = alpha x + beta y with vectors of two types; with beta = 0, y is not read.
template <class From, class To>
struct ConvertStep : PlainStep {
  struct Entry {
    From x;
    To y;
  };
  To alpha;
  const From* x;
  To beta;
  To* y;
  ConvertStep(To alpha, const From* x, To beta, To* y) : alpha(alpha), x(x), beta(beta), y(y) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], beta == To{0} ? To{0} : y[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const {
    y[i] = alpha * static_cast<To>(e.x) + beta * e.y;
  }
};

}  // namespace millrace::multigrid
