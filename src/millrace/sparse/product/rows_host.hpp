// The host's schedules for every row format. Threads take parts of about equal work, and a row is always summed in the
// same order, so results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "millrace/base/operator.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/sparse/format/balance.hpp"
#include "millrace/sparse/product/team_of_product.hpp"

namespace millrace::host {

constexpr Index bundle = 8;         // rows that advance together in an interleaved format
constexpr Index piece = 1 << 14;    // entries of a long row that are summed by themselves
constexpr int vectors_at_once = 4;  // that share one pass over the matrix

template <class A>
Vectors<A> from_vector(const Vectors<A>& v, int first) {
  return {v.device, v.data + first * v.stride, v.size, v.num - first, v.stride};
}

/// Calls f<K>(x, y) for groups of K = 4 vectors, then one by one.
template <class A, class F>
void for_vector_groups(const Vectors<const A>& x, const Vectors<A>& y, F&& f) {
  int v = 0;
  for (; v + vectors_at_once <= x.num; v += vectors_at_once)
    f.template operator()<vectors_at_once>(from_vector(x, v), from_vector(y, v));
  for (; v < x.num; ++v) f.template operator()<1>(from_vector(x, v), from_vector(y, v));
}

/// The first row of a thread's part, a multiple of `align`, so that a row is summed by the same code whatever the
/// number of threads.
template <RowFormat V>
Index first_row_of(const V& a, int thread, int num_threads, Index align = bundle) {
  if (thread == num_threads) return a.num_rows;
  const Offset work = a.slots_before(a.num_rows) + a.num_rows;
  const Offset row = row_at(a, work / num_threads * thread);
  return static_cast<Index>(std::min<Offset>(a.num_rows, (row + align - 1) / align * align));
}

template <class A, std::size_t K>
using Sums = std::array<A, K>;

/// Entries [begin, end) of a row times K vectors, one after another.
template <std::size_t K, RowFormat V, class A>
[[gnu::always_inline]] inline Sums<A, K> sum_in_order(const V& a, Index r, Index begin, Index end,
                                                      const Vectors<const A>& x) {
  Sums<A, K> sum{};
  for (Index k = begin; k < end; ++k) {
    const Offset s = a.slot(r, k);
    const A value = a.value(s);
    const A* entry = x.data + a.column(s);
    for (std::size_t j = 0; j < K; ++j) sum[j] = multiply_add(value, entry[static_cast<Offset>(j) * x.stride], sum[j]);
  }
  return sum;
}

/// The same for longer stretches: times one vector in four sums that do not wait for each other.
template <std::size_t K, RowFormat V, class A>
Sums<A, K> sum_entries(const V& a, Index r, Index begin, Index end, const Vectors<const A>& x) {
  if constexpr (K > 1) return sum_in_order<K>(a, r, begin, end, x);
  Sums<A, 4> sums{};
  Index k = begin;
  for (; k + 4 <= end; k += 4)
    for (Index i = 0; i < 4; ++i) {
      const Offset s = a.slot(r, k + i);
      A& sum = sums[static_cast<std::size_t>(i)];
      sum = multiply_add(a.value(s), x.data[a.column(s)], sum);
    }
  const Sums<A, 1> rest = sum_in_order<1>(a, r, k, end, x);
  return {((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest[0]};
}

template <std::size_t K, class A>
void write_row(const Vectors<A>& y, Index row, A alpha, const Sums<A, K>& sum, A beta) {
  for (std::size_t j = 0; j < K; ++j) update(y.data[row + static_cast<Offset>(j) * y.stride], alpha, sum[j], beta);
}

template <std::size_t K, class A>
void add_to(Sums<A, K>& sum, const Sums<A, K>& more) {
  for (std::size_t j = 0; j < K; ++j) sum[j] += more[j];
}

/// A row of any length, piece by piece.
template <std::size_t K, RowFormat V, class A>
Sums<A, K> sum_pieces(const V& a, Index r, Index length, const Vectors<const A>& x) {
  Sums<A, K> sum = sum_entries<K>(a, r, 0, std::min(length, piece), x);
  for (std::int64_t k = piece; k < length; k += piece)
    add_to(sum,
           sum_entries<K>(a, r, static_cast<Index>(k), static_cast<Index>(std::min<Offset>(length, k + piece)), x));
  return sum;
}

/// Rows [begin, end) times K vectors at once.
template <std::size_t K, RowFormat V, class A>
void multiply_rows(const V& a, Index begin, Index end, A alpha, const Vectors<const A>& x, A beta,
                   const Vectors<A>& y) {
  constexpr Index short_row = 32;
  for (Index r = begin; r < end; ++r) {
    const Index length = a.length(r);
    const Sums<A, K> sum = length < short_row ? sum_in_order<K>(a, r, 0, length, x) : sum_pieces<K>(a, r, length, x);
    write_row(y, a.output_row(r), alpha, sum, beta);
  }
}

/// Long rows that are shared by the threads: those in which a border of their parts falls.
template <RowFormat V>
std::vector<Index> shared_rows(const V& a, int num_threads) {
  std::vector<Index> rows;
  const Offset work = a.slots_before(a.num_rows) + a.num_rows;
  for (int t = 1; t < num_threads; ++t) {
    const Index row = row_at(a, work / num_threads * t) - 1;  // the border falls into this row, or at its end
    if (row >= 0 && a.length(row) > 2 * piece && (rows.empty() || rows.back() != row)) rows.push_back(row);
  }
  return rows;
}

/// A row whose pieces are dealt out to all threads and added in their order.
template <std::size_t K, RowFormat V, class A>
void multiply_shared_row(Team threads, const V& a, Index r, A alpha, const Vectors<const A>& x, A beta,
                         const Vectors<A>& y) {
  const Index length = a.length(r);
  std::vector<Sums<A, K>> sums(static_cast<std::size_t>((length + piece - 1) / piece));
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(std::ssize(sums), thread, count);
    for (std::int64_t p = begin; p < end; ++p)
      sums[static_cast<std::size_t>(p)] = sum_entries<K>(
          a, r, static_cast<Index>(p * piece), static_cast<Index>(std::min<Offset>(length, (p + 1) * piece)), x);
  });
  for (std::size_t p = 1; p < sums.size(); ++p) add_to(sums[0], sums[p]);
  write_row(y, a.output_row(r), alpha, sums[0], beta);
}

template <class A>
using BundleSums = std::array<A, std::size_t{bundle}>;

/// Sums entries [0, count) of the rows of a bundle, all rows together, so that every cache line is used at once and
/// no sum waits for another.
template <RowFormat V, class A>
BundleSums<A> sum_together(const V& a, Index r, Index count, const A* x) {
  BundleSums<A> sums{};
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < bundle; ++i) {
      const Offset s = a.slot(r + i, k);
      A& sum = sums[static_cast<std::size_t>(i)];
      sum = multiply_add(a.value(s), x[a.column(s)], sum);
    }
  return sums;
}

/// The same as multiply_rows for formats whose neighbouring rows sit side by side.
template <RowFormat V, class A>
void multiply_bundles(const V& a, Index begin, Index end, A alpha, const A* x, A beta, A* y) {
  Index r = begin;
  for (; r + bundle <= end; r += bundle) {
    Index common = a.length(r);
    for (Index i = 1; i < bundle; ++i) common = std::min(common, a.length(r + i));
    const BundleSums<A> sums = sum_together(a, r, common, x);
    for (Index i = 0; i < bundle; ++i) {
      A sum = sums[static_cast<std::size_t>(i)];
      const Index length = a.length(r + i);
      for (Index k = common; k < length; ++k) {
        const Offset s = a.slot(r + i, k);
        sum = multiply_add(a.value(s), x[a.column(s)], sum);
      }
      update(y[a.output_row(r + i)], alpha, sum, beta);
    }
  }
  if (r < end) multiply_rows<1>(a, r, end, alpha, Vectors<const A>({}, x, 0), beta, Vectors<A>({}, y, 0));
}

/// y = alpha A x + beta y for any row format: the schedule that others must agree with.
template <RowFormat V, class A>
void multiply_generic(int num_threads, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const Team threads = team_of_product(num_threads, a.num_entries + a.num_rows);
  const std::vector<Index> shared = V::interleaved ? std::vector<Index>{} : shared_rows(a, threads);
  for_vector_groups(x, y, [&]<int K>(const Vectors<const A>& xs, const Vectors<A>& ys) {
    for (const Index r : shared) multiply_shared_row<K>(threads, a, r, alpha, xs, beta, ys);
    parallel(threads, [&](int thread, int count) {
      Index begin = first_row_of(a, thread, count);
      const Index end = first_row_of(a, thread + 1, count);
      if constexpr (V::interleaved && K == 1) {
        multiply_bundles(a, begin, end, alpha, xs.data, beta, ys.data);
      } else {
        for (const Index r : shared)
          if (begin <= r && r < end) {
            multiply_rows<K>(a, begin, r, alpha, xs, beta, ys);
            begin = r + 1;
          }
        multiply_rows<K>(a, begin, end, alpha, xs, beta, ys);
      }
    });
  });
}

template <RowFormat V, class A>
void multiply(int num_threads, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  multiply_generic(num_threads, a, alpha, x, beta, y);
}

}  // namespace millrace::host
