// Elimination of one row of an incomplete factorisation, for numbers and for dense blocks (Meijerink, van der Vorst
// 1977: what falls outside the pattern is dropped). Rows that a row waits for are finished.
#pragma once

#include <algorithm>
#include <vector>

#include "millrace/base/dense.hpp"
#include "millrace/precond/factorise.hpp"

namespace millrace::factor {

/// Calls f(slot of (i, j) in the values, upper entry of (k, j)) for all j of row k above the diagonal that row i has.
/// `next`: the first entry of row i after column k.
template <class F>
void for_each_meeting(const FactorView& v, Index i, Index k, FactorView::Entry next, F&& f) {
  using Entry = FactorView::Entry;
  const auto advance = [](const Index* cols, Entry from, Entry end, Index j) {
    if (end - from > 32) return static_cast<Entry>(std::lower_bound(cols + from, cols + end, j) - cols);
    while (from < end && cols[from] < j) ++from;
    return from;
  };
  Entry low = next, high = v.upper_ptr[i];
  const Entry low_end = v.lower_ptr[i + 1], high_end = v.upper_ptr[i + 1];
  for (Entry u = v.upper_ptr[k]; u < v.upper_ptr[k + 1]; ++u) {
    const Index j = v.upper_cols[u];
    if (j < i) {
      low = advance(v.lower_cols, low, low_end, j);
      if (low < low_end && v.lower_cols[low] == j) f(Offset{low}, u);
    } else if (j == i) {
      f(v.diagonal_slot(i), u);
    } else {
      high = advance(v.upper_cols, high, high_end, j);
      if (high == high_end) return;
      if (v.upper_cols[high] == j) f(v.upper_slot(high), u);
    }
  }
}

/// Numbers. After it the row holds L, and U times D; its diagonal the inverse of D. Returns pivots replaced, or -1.
template <class A>
int eliminate_row(const FactorView& v, Index i, const PivotRule& rule, A* values) {
  using R = RealOf<A>;
  R largest = 0;
  for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) largest = std::max(largest, size_of(values[e]));
  for (auto e = v.upper_ptr[i]; e < v.upper_ptr[i + 1]; ++e)
    largest = std::max(largest, size_of(values[v.upper_slot(e)]));
  A& pivot = values[v.diagonal_slot(i)];
  largest = std::max(largest, size_of(pivot));
  if (rule.shift != 0) {
    const R size = size_of(pivot) > 0 ? size_of(pivot) : largest;
    pivot += from_real<A>(static_cast<R>(rule.shift) * size);
  }
  for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) {
    const Index k = v.lower_cols[e];
    const A l = values[e] * values[v.diagonal_slot(k)];
    values[e] = l;
    if (is_zero(l)) continue;
    for_each_meeting(v, i, k, e + 1, [&](Offset to, FactorView::Entry u) {
      values[to] = multiply_subtract(l, values[v.upper_slot(u)], values[to]);
    });
  }
  if (largest == 0) largest = 1;
  const R min = static_cast<R>(rule.zero) * largest;
  if (rule.positive) {
    pivot = from_real<A>(real_part(pivot));
    if (!(real_part(pivot) > min)) return -1;
  }
  const bool tiny = size_of(pivot) <= min;
  if (tiny) pivot = from_real<A>((real_part(pivot) < 0 ? R{-1} : R{1}) * static_cast<R>(rule.replacement) * largest);
  pivot = reciprocal(pivot);
  return !is_finite(pivot) ? -1 : tiny ? 1 : 0;
}

/// Memory that the elimination of block rows needs.
template <class A>
struct BlockWork {
  explicit BlockWork(Index n)
      : block(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), rows(static_cast<std::size_t>(n)) {}
  std::vector<A> block;
  std::vector<Index> rows;
};

/// What the rule adds to the diagonal of a block [n, n].
template <class A>
void shift_pivot(const PivotRule& rule, Index n, A* pivot) {
  if (rule.shift == 0) return;
  for (Index r = 0; r < n; ++r)
    pivot[r * (n + 1)] += from_real<A>(static_cast<RealOf<A>>(rule.shift) * size_of(pivot[r * (n + 1)]));
}

/// a b, which may take the place of one of them.
template <class A>
void multiply_into(const dense::Block<A>& a, const dense::Block<A>& b, A* to, BlockWork<A>& work) {
  std::fill(work.block.begin(), work.block.end(), A{});
  dense::add_product<A>(a, b, dense::Block<A>(work.block.data(), a.rows, b.cols));
  std::copy(work.block.begin(), work.block.end(), to);
}

/// In its place. Returns numbers replaced by the rule, or -1.
template <class A>
int invert_pivot(const PivotRule& rule, Index n, A* pivot, BlockWork<A>& work) {
  using R = RealOf<A>;
  std::copy_n(pivot, work.block.size(), work.block.begin());
  const dense::TinyPivot<R> tiny{static_cast<R>(rule.zero), static_cast<R>(rule.replacement)};
  return dense::invert(dense::Block<A>(work.block.data(), n, n), pivot, work.rows.data(), tiny);
}

/// Dense blocks; else as eliminate_row.
template <class A>
int eliminate_block_row(const FactorView& v, Index i, const PivotRule& rule, A* values, BlockWork<A>& work) {
  const Index n = v.block;
  const Offset area = static_cast<Offset>(n) * n;
  const auto at = [&](Offset slot) { return dense::Block<A>(values + slot * area, n, n); };
  A* pivot = values + v.diagonal_slot(i) * area;
  shift_pivot(rule, n, pivot);
  for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e) {
    const Index k = v.lower_cols[e];
    multiply_into(at(e), at(v.diagonal_slot(k)), values + Offset{e} * area, work);
    for_each_meeting(v, i, k, e + 1, [&](Offset to, FactorView::Entry u) {
      dense::add_product<A>(at(e), at(v.upper_slot(u)), at(to), from_real<A>(RealOf<A>{-1}));
    });
  }
  return invert_pivot(rule, n, pivot, work);
}

}  // namespace millrace::factor
