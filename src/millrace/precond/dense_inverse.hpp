// The inverse of a small dense matrix by LU factors with partial pivoting; column by column, so that loops vectorise.
#pragma once

#include <utility>

#include "millrace/precond/arith.hpp"

namespace millrace::factor {

/// What to do with a pivot that is zero, or smaller than `zero` times the largest number of the block.
template <class R>
struct TinyPivot {
  R zero = 0;         // pivots up to this times the largest entry of the block count as zero
  R replacement = 0;  // such a pivot becomes this times the largest entry; 0: the block counts as singular
};

/// inverse = a^-1 for a of n x n, column by column; a is overwritten, `rows` is work space of n. Returns how many
/// pivots were replaced, or -1 for a singular block (or one with NaN), whose inverse is not written.
template <class A>
int invert(Index n, A* a, A* inverse, Index* rows, TinyPivot<RealOf<A>> tiny = {}) {
  using R = RealOf<A>;
  const auto column = [&](A* m, Index j) { return m + static_cast<Offset>(j) * n; };
  R largest = 0;
  for (Offset s = 0; s < static_cast<Offset>(n) * n; ++s) largest = std::max(largest, size_of(a[s]));
  if (largest == 0) largest = 1;
  int num_replaced = 0;
  for (Index i = 0; i < n; ++i) rows[i] = i;
  for (Index k = 0; k < n; ++k) {
    A* ak = column(a, k);
    Index p = k;
    for (Index i = k + 1; i < n; ++i)
      if (size_of(ak[i]) > size_of(ak[p])) p = i;
    if (p != k) {
      for (Index j = 0; j < n; ++j) std::swap(column(a, j)[k], column(a, j)[p]);
      std::swap(rows[k], rows[p]);
    }
    if (size_of(ak[k]) <= tiny.zero * largest) {
      if (tiny.replacement == 0) return -1;
      ak[k] = from_real<A>(tiny.replacement * largest);
      ++num_replaced;
    }
    const A scale = reciprocal(ak[k]);
    if (!is_finite(scale)) return -1;
    for (Index i = k + 1; i < n; ++i) ak[i] = ak[i] * scale;
    for (Index j = k + 1; j < n; ++j) {
      A* aj = column(a, j);
      const A factor = aj[k];
      for (Index i = k + 1; i < n; ++i) aj[i] = multiply_subtract(ak[i], factor, aj[i]);
    }
  }
  for (Index c = 0; c < n; ++c) {  // L U x = e of row rows[c]
    A* x = column(inverse, rows[c]);
    for (Index i = 0; i < n; ++i) x[i] = i == c ? one<A>() : A{};
    for (Index k = c; k < n; ++k) {
      const A *ak = column(a, k), factor = x[k];
      for (Index i = k + 1; i < n; ++i) x[i] = multiply_subtract(ak[i], factor, x[i]);
    }
    for (Index k = n - 1; k >= 0; --k) {
      const A* ak = column(a, k);
      x[k] = x[k] * reciprocal(ak[k]);
      const A factor = x[k];
      for (Index i = 0; i < k; ++i) x[i] = multiply_subtract(ak[i], factor, x[i]);
    }
  }
  return num_replaced;
}

}  // namespace millrace::factor
