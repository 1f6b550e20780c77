// Small dense matrices, column by column: products, LU factors with partial pivoting, and solves with many right-hand
// sides. For n of 8 to some hundreds, one thread; a problem has thousands of such matrices.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "millrace/base/scalar.hpp"
#include "millrace/base/simd.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::dense {

/// A matrix, or a part of one: entry (i, j) is data[i + j stride].
template <class A>
struct Block {
  A* data = nullptr;
  Index rows = 0, cols = 0;
  Offset stride = 0;

  Block() = default;
  Block(A* data, Index rows, Index cols, Offset stride) : data(data), rows(rows), cols(cols), stride(stride) {}
  Block(A* data, Index rows, Index cols) : Block(data, rows, cols, rows) {}
  template <class U>
    requires(!std::is_same_v<U, A> && std::is_convertible_v<U*, A*>)
  Block(const Block<U>& other) : Block(other.data, other.rows, other.cols, other.stride) {}

  A* column(Index j) const { return data + j * stride; }
  A& operator()(Index i, Index j) const { return data[i + j * stride]; }
  Block part(Index row, Index column, Index num_rows, Index num_cols) const {
    return {data + row + column * stride, num_rows, num_cols, stride};
  }
};

namespace detail {

/// c += sign a b for R rows and C columns of c, kept in registers while a and b pass.
template <int R, int C, class A>
void add_tile(Index depth, A sign, const A* a, Offset a_stride, const A* b, Offset b_stride, A* c, Offset c_stride) {
  using Pack = simd::Pack<A, R>;
  Pack sum[to_size(C)];
  for (Index k = 0; k < depth; ++k) {
    const Pack column = Pack::load(a + k * a_stride);
    for (int j = 0; j < C; ++j) sum[j].add_scaled(column, b[k + j * b_stride]);
  }
  for (int j = 0; j < C; ++j) {
    Pack whole = Pack::load(c + j * c_stride);
    whole.add_scaled(sum[j], sign);
    whole.store(c + j * c_stride);
  }
}

template <int R, class A>
void add_rows(Index depth, Index cols, A sign, const A* a, Offset a_stride, const A* b, Offset b_stride, A* c,
              Offset c_stride) {
  Index j = 0;
  for (; j + 4 <= cols; j += 4)
    add_tile<R, 4>(depth, sign, a, a_stride, b + j * b_stride, b_stride, c + j * c_stride, c_stride);
  for (; j < cols; ++j)
    add_tile<R, 1>(depth, sign, a, a_stride, b + j * b_stride, b_stride, c + j * c_stride, c_stride);
}

template <class A>
RealOf<A> largest_of(const Block<const A>& a) {
  RealOf<A> largest = 0;
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) largest = std::max(largest, size_of(a(i, j)));
  return largest;
}

}  // namespace detail

/// c += sign a b. Traffic: a tile of c stays in registers, a is read once for four columns of c.
template <class A>
void add_product(const Block<const std::type_identity_t<A>>& a, const Block<const std::type_identity_t<A>>& b,
                 const Block<A>& c, std::type_identity_t<A> sign = one<A>()) {
  constexpr int wide = is_complex<A> ? 1 : 2 * simd::native_bytes / static_cast<int>(sizeof(A));
  Index i = 0;
  const auto rows = [&]<int R>() {
    for (; i + R <= c.rows; i += R)
      detail::add_rows<R>(a.cols, c.cols, sign, a.data + i, a.stride, b.data, b.stride, c.data + i, c.stride);
  };
  rows.template operator()<wide>();
  if constexpr (wide > 2) rows.template operator()<wide / 2>();
  if constexpr (wide > 4) rows.template operator()<wide / 4>();
  if constexpr (wide > 1) rows.template operator()<1>();
}

/// A pivot up to `zero` times the largest entry of the matrix counts as zero. It becomes `replacement` times that
/// entry; with replacement 0 the matrix counts as singular.
template <class R>
struct TinyPivot {
  R zero = 0, replacement = 0;
};

namespace detail {

constexpr Index smallest = 8;  // columns or rows that are worked on one by one
constexpr Index half_of(Index n) { return std::max(smallest, n / 2 / smallest * smallest); }

/// x = T^-1 x for a triangle of at most `smallest` rows: the upper one with its diagonal, or the lower one with ones on
/// it. Some columns of x pass at a time, each in a pack; where x is complex, number by number.
template <bool Upper, class A>
void solve_triangle(const Block<const A>& t, const Block<A>& x) {
  const Index n = t.rows;
  constexpr auto most = to_size(smallest);
  A columns[most][most] = {}, scales[most] = {};  // of -T without the diagonal, zeros elsewhere; 1 / diagonal
  for (Index k = 0; k < n; ++k) {
    for (Index i = Upper ? 0 : k + 1; i < (Upper ? k : n); ++i) columns[k][i] = -t(i, k);
    scales[k] = Upper ? reciprocal(t(k, k)) : one<A>();
  }
  const auto some = [&]<int C>(Index j) {
    using Pack = simd::Pack<A, static_cast<int>(smallest)>;
    A v[to_size(C)][most] = {};
    for (int c = 0; c < C; ++c) std::copy_n(x.column(j + c), n, v[c]);
    for (Index step = 0; step < n; ++step) {
      const Index k = Upper ? n - 1 - step : step;
      for (int c = 0; c < C; ++c) {
        Pack sum = Pack::load(v[c]);
        sum.add_scaled(Pack::load(columns[k]), v[c][k] * scales[k]);
        sum.store(v[c]);
      }
    }
    for (int c = 0; c < C; ++c)
      for (Index i = 0; i < n; ++i) x(i, j + c) = v[c][i] * scales[i];
  };
  Index j = 0;
  for (; j + 4 <= x.cols; j += 4) some.template operator()<4>(j);
  for (; j < x.cols; ++j) some.template operator()<1>(j);
}

/// x = L^-1 x with ones on the diagonal of L.
template <class A>
void solve_lower(const Block<const A>& l, const Block<A>& x) {
  const Index n = l.rows;
  if (n <= smallest) return solve_triangle<false, A>(l, x);
  const Index first = half_of(n);
  const Block<A> top = x.part(0, 0, first, x.cols), bottom = x.part(first, 0, n - first, x.cols);
  solve_lower<A>(l.part(0, 0, first, first), top);
  add_product<A>(l.part(first, 0, n - first, first), top, bottom, from_real<A>(-1));
  solve_lower<A>(l.part(first, first, n - first, n - first), bottom);
}

/// x = U^-1 x.
template <class A>
void solve_upper(const Block<const A>& u, const Block<A>& x) {
  const Index n = u.rows;
  if (n <= smallest) return solve_triangle<true, A>(u, x);
  const Index first = half_of(n);
  const Block<A> top = x.part(0, 0, first, x.cols), bottom = x.part(first, 0, n - first, x.cols);
  solve_upper<A>(u.part(first, first, n - first, n - first), bottom);
  add_product<A>(u.part(0, first, first, n - first), bottom, top, from_real<A>(-1));
  solve_upper<A>(u.part(0, 0, first, first), top);
}

/// The row of the largest of values[begin .. end), the first of several; several lanes look at a time. NaN is no number
/// and never the largest.
template <class A>
Index largest_row(const A* values, Index begin, Index end) {
  constexpr Index lanes = 8;
  RealOf<A> largest[to_size(lanes)] = {};
  Index i = begin;
  for (; i + lanes <= end; i += lanes)
    for (Index l = 0; l < lanes; ++l) {
      const RealOf<A> size = size_of(values[i + l]);
      largest[l] = size > largest[l] ? size : largest[l];
    }
  for (; i < end; ++i) largest[0] = std::max(largest[0], size_of(values[i]));
  const RealOf<A> most = *std::max_element(largest, largest + lanes);
  for (i = begin; i < end; ++i)
    if (size_of(values[i]) == most) return i;
  return begin;
}

/// Columns [begin, end) of P A = L U, one after another; rows are swapped inside these columns only.
template <class A>
int factorise_panel(const Block<A>& a, Index begin, Index end, Index* pivots, RealOf<A> zero, RealOf<A> instead) {
  int replaced = 0;
  for (Index k = begin; k < end; ++k) {
    A* const column = a.column(k);
    const Index best = pivots[k] = largest_row(column, k, a.rows);
    if (best != k)
      for (Index j = begin; j < end; ++j) std::swap(a(k, j), a(best, j));
    if (size_of(column[k]) <= zero) {
      if (instead == 0) return -1;
      column[k] = from_real<A>(instead);
      ++replaced;
    }
    const A scale = reciprocal(column[k]);
    if (!is_finite(scale)) return -1;
    for (Index i = k + 1; i < a.rows; ++i) column[i] = column[i] * scale;
    for (Index j = k + 1; j < end; ++j) {
      A* const other = a.column(j);
      const A factor = other[k];
      for (Index i = k + 1; i < a.rows; ++i) other[i] = multiply_subtract(column[i], factor, other[i]);
    }
  }
  return replaced;
}

/// The same by halves (Toledo 1997), so that most of the work is products. Returns the replaced pivots, or -1 when one
/// is zero.
template <class A>
int factorise_columns(const Block<A>& a, Index begin, Index end, Index* pivots, RealOf<A> zero, RealOf<A> instead) {
  const Index n = a.rows;
  if (end - begin <= smallest) return factorise_panel(a, begin, end, pivots, zero, instead);
  const Index middle = begin + half_of(end - begin), left = middle - begin, right = end - middle;
  const int first = factorise_columns(a, begin, middle, pivots, zero, instead);
  if (first < 0) return -1;
  for (Index j = middle; j < end; ++j) {
    A* const column = a.column(j);
    for (Index k = begin; k < middle; ++k) std::swap(column[k], column[pivots[k]]);
  }
  solve_lower<A>(a.part(begin, begin, left, left), a.part(begin, middle, left, right));
  add_product<A>(a.part(middle, begin, n - middle, left), a.part(begin, middle, left, right),
                 a.part(middle, middle, n - middle, right), from_real<A>(-1));
  const int second = factorise_columns(a, middle, end, pivots, zero, instead);
  if (second < 0) return -1;
  for (Index j = begin; j < middle; ++j)
    for (Index k = middle; k < end; ++k) std::swap(a(k, j), a(pivots[k], j));
  return first + second;
}

}  // namespace detail

/// The square matrix becomes its factors: P A = L U, the ones of L not stored; pivots [n]: the row that step k swapped
/// with row k. Returns how many pivots were replaced, or -1 for a singular matrix (or one with NaN).
template <class A>
int factorise(const Block<A>& a, Index* pivots, TinyPivot<RealOf<A>> tiny = {}) {
  if (a.rows == 0) return 0;
  RealOf<A> largest = detail::largest_of<A>(a);
  if (largest == 0) largest = 1;
  return detail::factorise_columns(a, 0, a.rows, pivots, tiny.zero * largest, tiny.replacement * largest);
}

/// x = A^-1 x for all columns of x, by the factors of A.
template <class A>
void solve(const Block<const std::type_identity_t<A>>& factors, const Index* pivots, const Block<A>& x) {
  for (Index j = 0; j < x.cols; ++j) {
    A* const column = x.column(j);
    for (Index k = 0; k < factors.rows; ++k) std::swap(column[k], column[pivots[k]]);
  }
  detail::solve_lower<A>(factors, x);
  detail::solve_upper<A>(factors, x);
}

/// inverse = A^-1 [n, n]; the matrix becomes its factors. Returns as factorise; for -1 the inverse is not written.
template <class A>
int invert(const Block<A>& a, A* inverse, Index* pivots, TinyPivot<RealOf<A>> tiny = {}) {
  const int replaced = factorise(a, pivots, tiny);
  if (replaced < 0) return replaced;
  const Block<A> x(inverse, a.rows, a.rows);
  for (Index j = 0; j < a.rows; ++j)
    for (Index i = 0; i < a.rows; ++i) x(i, j) = i == j ? one<A>() : A{};
  solve<A>(a, pivots, x);
  return replaced;
}

}  // namespace millrace::dense
