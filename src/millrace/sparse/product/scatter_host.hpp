// Transposed products on the host without a plan: threads scatter into vectors of their own.
#pragma once

#include "millrace/sparse/format/traits.hpp"
#include "millrace/sparse/product/rows_host.hpp"

namespace millrace::host {

/// y = beta y, without reading y when beta is 0.
template <class A>
void scale(int num_threads, A beta, const Vectors<A>& y) {
  if (beta == A{1}) return;
  for (int v = 0; v < y.num; ++v)
    parallel_for(num_threads, y.size, [&](std::int64_t begin, std::int64_t end) {
      A* out = y.data + v * y.stride;
      for (std::int64_t i = begin; i < end; ++i) out[i] = is_zero(beta) ? A{} : beta * out[i];
    });
}

/// Calls f(row, column, value) for a thread's share of the entries.
template <class Format, class F>
void for_each_entry_of_thread(const Format& format, int thread, int num_threads, F&& f) {
  visit_view(format, [&](const auto& a) {
    if constexpr (Format::is_row_format) {
      const Index end = first_row_of(a, thread + 1, num_threads);
      for (Index r = first_row_of(a, thread, num_threads); r < end; ++r)
        for (Index k = 0; k < a.length(r); ++k) {
          const Offset s = a.slot(r, k);
          if (is_entry(format, s)) f(a.output_row(r), a.column(s), a.value(s));
        }
    } else {
      const auto [begin, end] = even_part(a.num_entries, thread, num_threads);
      for (Offset s = begin; s < end; ++s) f(a.row(s), a.column(s), a.value(s));
    }
  });
}

/// y = alpha A^T x + beta y without a plan: every thread scatters its share into a y of its own, and these are
/// added in the order of the threads. The bits depend on the number of threads, not on their timing.
template <class Format, class A>
void scatter(Queue& queue, const Format& format, bool conjugated, A alpha, const Vectors<const A>& x, A beta,
             const Vectors<A>& y) {
  const Team threads = team_of_product(queue.num_threads(), format.num_entries());
  const auto own = queue.scratch<A>(threads.size * y.size);
  for (int v = 0; v < x.num; ++v) {
    parallel(threads, [&](int thread, int count) {
      A* sums = own.data() + thread * y.size;
      std::fill(sums, sums + y.size, A{});
      const A* in = x.data + v * x.stride;
      for_each_entry_of_thread(format, thread, count, [&](Index row, Index column, A value) {
        sums[column] = multiply_add(conjugated ? conjugate(value) : value, in[row], sums[column]);
      });
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
