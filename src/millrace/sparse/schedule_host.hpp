// The host's schedules: one for every row format, one for COO, and one that scatters for transposes.
// Threads take contiguous rows of about equal work, so results do not depend on their number.
#pragma once

#include <algorithm>
#include <array>

#include "millrace/base/operator.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/row_format.hpp"

namespace millrace::host {

constexpr Index bundle = 8;  // rows that advance together in an interleaved format

/// The first row of a thread's part: rows and slots before it are about its share. It begins a bundle, so that a
/// row is summed by the same code whatever the number of threads.
template <RowFormat V>
Index first_row_of(const V& a, int thread, int num_threads) {
  if (thread == num_threads) return a.num_rows;
  const auto work_before = [&](Index r) { return a.slots_before(r) + r; };
  const Offset wanted = work_before(a.num_rows) / num_threads * thread;
  Index low = 0, high = a.num_rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (work_before(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<Index>(std::min<Offset>(a.num_rows, (Offset{low} + bundle - 1) / bundle * bundle));
}

/// Rows [begin, end) times K vectors at once; every row is summed in its stored order.
template <std::size_t K, RowFormat V, class A>
void multiply_rows(const V& a, Index begin, Index end, A alpha, Vectors<const A> x, A beta, Vectors<A> y) {
  for (Index r = begin; r < end; ++r) {
    std::array<A, K> sum{};
    const Index length = a.length(r);
    for (Index k = 0; k < length; ++k) {
      const Offset s = a.slot(r, k);
      const A value = a.value(s);
      const A* entry = x.data + a.column(s);
      for (std::size_t j = 0; j < K; ++j)
        sum[j] = multiply_add(value, entry[static_cast<Offset>(j) * x.stride], sum[j]);
    }
    A* out = y.data + a.output_row(r);
    for (std::size_t j = 0; j < K; ++j) update(out[static_cast<Offset>(j) * y.stride], alpha, sum[j], beta);
  }
}

template <class A>
using BundleSums = std::array<A, std::size_t{bundle}>;

/// Sums entries [0, count) of the rows of a bundle, all rows together, so that every cache line is used at once and
/// no sum waits for another. With Adjacent the rows' entries are known to lie side by side.
template <bool Adjacent, RowFormat V, class A>
BundleSums<A> sum_together(const V& a, Index r, Index count, const A* x) {
  BundleSums<A> sums{};
  for (Index k = 0; k < count; ++k) {
    const Offset first = a.slot(r, k);
    for (Index i = 0; i < bundle; ++i) {
      const Offset s = Adjacent ? first + i : a.slot(r + i, k);
      A& sum = sums[static_cast<std::size_t>(i)];
      sum = multiply_add(a.value(s), x[a.column(s)], sum);
    }
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
    const bool adjacent = a.slot(r + bundle - 1, 0) == a.slot(r, 0) + bundle - 1;
    const BundleSums<A> sums = adjacent ? sum_together<true>(a, r, common, x) : sum_together<false>(a, r, common, x);
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

template <class A>
Vectors<A> from_vector(const Vectors<A>& v, int first) {
  return {v.device, v.data + first * v.stride, v.size, v.num - first, v.stride};
}

/// y = alpha A x + beta y for any row format.
template <RowFormat V, class A>
void multiply(int num_threads, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  constexpr int block = 4;  // vectors that share one pass over the matrix
  const Offset work = a.num_entries + a.num_rows;
  const int threads = static_cast<int>(std::clamp<Offset>(work / 8192, 1, num_threads));
  parallel(threads, [&](int thread, int count) {
    const Index begin = first_row_of(a, thread, count), end = first_row_of(a, thread + 1, count);
    int v = 0;
    for (; v + block <= x.num; v += block)
      multiply_rows<block>(a, begin, end, alpha, from_vector(x, v), beta, from_vector(y, v));
    for (; v < x.num; ++v) {
      if constexpr (V::interleaved)
        multiply_bundles(a, begin, end, alpha, x.data + v * x.stride, beta, y.data + v * y.stride);
      else
        multiply_rows<1>(a, begin, end, alpha, from_vector(x, v), beta, from_vector(y, v));
    }
  });
}

/// y = beta y, without reading y when beta is 0.
template <class A>
void scale(int num_threads, A beta, const Vectors<A>& y) {
  for (int v = 0; v < y.num; ++v)
    parallel_for(num_threads, y.size, [&](std::int64_t begin, std::int64_t end) {
      A* out = y.data + v * y.stride;
      for (std::int64_t i = begin; i < end; ++i) out[i] = is_zero(beta) ? A{} : beta * out[i];
    });
}

/// y = alpha A x + beta y for entries sorted by row; a row belongs to one thread.
template <class A>
void multiply(int num_threads, const CooView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  scale(num_threads, beta, y);
  const int threads = static_cast<int>(std::clamp<Offset>(a.num_entries / 8192, 1, num_threads));
  parallel(threads, [&](int thread, int count) {
    auto [begin, end] = even_part(a.num_entries, thread, count);
    while (begin > 0 && begin < a.num_entries && a.rows[begin] == a.rows[begin - 1]) ++begin;
    while (end > 0 && end < a.num_entries && a.rows[end] == a.rows[end - 1]) ++end;
    for (int v = 0; v < x.num; ++v)
      for (Offset s = begin; s < end;) {
        const Index row = a.rows[s];
        A sum{};
        for (; s < end && a.rows[s] == row; ++s) sum = multiply_add(a.vals[s], x.data[v * x.stride + a.cols[s]], sum);
        A& out = y.data[v * y.stride + row];
        out = multiply_add(alpha, sum, out);
      }
  });
}

/// y = alpha A^T x + beta y without a plan: every thread scatters its rows into a y of its own, and these are
/// added in the order of the threads. The bits depend on the number of threads, not on their timing.
template <class Format, class A>
void scatter(Queue& queue, const Format& format, bool conjugated, A alpha, const Vectors<const A>& x, A beta,
             const Vectors<A>& y) {
  const Offset work = format.num_entries();
  const int threads = static_cast<int>(std::clamp<Offset>(work / 8192, 1, queue.num_threads()));
  const auto own = queue.scratch<A>(threads * y.size);
  for (int v = 0; v < x.num; ++v) {
    parallel(threads, [&](int thread, int count) {
      A* sums = own.data() + thread * y.size;
      std::fill(sums, sums + y.size, A{});
      const A* in = x.data + v * x.stride;
      const auto add = [&](Index row, Index column, A value) {
        sums[column] = multiply_add(conjugated ? conjugate(value) : value, in[row], sums[column]);
      };
      if constexpr (Format::is_row_format) {
        format.visit_view([&](const auto& a) {
          const Index end = first_row_of(a, thread + 1, count);
          for (Index r = first_row_of(a, thread, count); r < end; ++r)
            for (Index k = 0; k < a.length(r); ++k) add(a.output_row(r), a.column(a.slot(r, k)), a.value(a.slot(r, k)));
        });
      } else {
        const auto a = format.view();
        const auto [begin, end] = even_part(a.num_entries, thread, count);
        for (Offset s = begin; s < end; ++s) add(a.rows[s], a.cols[s], a.vals[s]);
      }
    });
    parallel_for(queue.num_threads(), y.size, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        A sum{};
        for (int t = 0; t < threads; ++t) sum += own.data()[t * y.size + i];
        update(y.data[v * y.stride + i], alpha, sum, beta);
      }
    });
  }
}

}  // namespace millrace::host
