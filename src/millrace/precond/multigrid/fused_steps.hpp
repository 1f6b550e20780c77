// Products with a matrix whose rows are used at once, while they are in registers: steps of a smoother, and residuals.
#pragma once

#include <cmath>

#include "millrace/base/operator.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::multigrid {

/// scale D^-1 b as a vector that a product reads: the first step of a smoother from zero, which nobody stores.
template <class W>
struct ScaledVector {
  W scale;
  const W* inverse;  // [num_rows]: D^-1
  const W* b;        // [num_rows]

  MILLRACE_HD W operator[](Offset i) const { return scale * (inverse[i] * b[i]); }
};

// What becomes of row i of A x. `load` may run before the product is known; `store` has x[i], too.

/// y = alpha A x + beta y; y is not read where beta is 0.
template <class W>
struct FusedUpdate {
  struct Entry {};
  W alpha, beta;
  W* y;

  MILLRACE_HD Entry load(Offset) const { return {}; }
  MILLRACE_HD void store(Offset i, Entry, W, W product) const { update(y[i], alpha, product, beta); }
};

/// r = b - A x
template <class W>
struct FusedResidual {
  using Entry = W;
  const W* b;
  W* r;

  MILLRACE_HD Entry load(Offset i) const { return b[i]; }
  MILLRACE_HD void store(Offset i, Entry of_b, W, W product) const { r[i] = of_b - product; }
};

/// to = x + keep (x - before) + add D^-1 (b - A x). `to` may be `before`, whose rows are read at their own place only.
template <class W>
struct FusedStep {
  struct Entry {
    W inverse, b, before;
  };
  const W* inverse;  // D^-1
  const W* b;
  const W* x{};       // null: first D^-1 b, and before is 0; only for a matrix that skips the first step
  const W* before{};  // null: first D^-1 b, unless that is x
  W first{}, keep{}, add{};
  W* to{};  // not x

  MILLRACE_HD Entry load(Offset i) const { return {inverse[i], b[i], before ? before[i] : W{0}}; }
  MILLRACE_HD void store(Offset i, const Entry& e, W own, W product) const {
    const W known = std::fma(first, e.inverse * e.b, e.before);
    to[i] = std::fma(keep, own - known, std::fma(add, e.inverse * (e.b - product), own));
  }
};

/// A square matrix with kernels of its own for these.
template <class W>
class FusedMatrix : public Operator<W> {
 public:
  /// Does `step` take a null x? Neighbours compute it then, instead of reading what a kernel has stored.
  virtual bool skips_first() const = 0;
  virtual void step(Queue& queue, const FusedStep<W>& step) const = 0;
  virtual void residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const = 0;
};

}  // namespace millrace::multigrid
