// Sums of lengths in two passes, and a transposition by counting whose threads take ranges of rows.
#include "millrace/precond/multigrid/rows.hpp"

#include <utility>

namespace millrace::multigrid {

Offset lengths_to_offsets(int num_threads, Offset* lengths, std::int64_t n) {
  const Team threads = threads_for(num_threads, n, {.bytes = 16});
  std::vector<Offset> sums(to_size(threads) + 1, 0);
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(n, thread, count);
    Offset sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += lengths[i];
    sums[to_size(thread) + 1] = sum;
  });
  for (std::size_t t = 1; t < sums.size(); ++t) sums[t] += sums[t - 1];
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(n, thread, count);
    Offset sum = sums[to_size(thread)];
    for (std::int64_t i = begin; i < end; ++i) sum += std::exchange(lengths[i], sum);
  });
  return lengths[n] = sums.back();
}

RowPattern transpose_pattern(int num_threads, const RowPattern& a, Array<Offset>& entries) {
  RowPattern t{a.num_cols, a.num_rows, Array<Offset>(Offset{a.num_cols} + 1), Array<Index>(a.num_entries())};
  entries = Array<Offset>(a.num_entries());
  // Each thread counts its rows' columns; with few columns per row that is less than the entries themselves.
  const std::int64_t room = std::max<std::int64_t>(a.num_entries() / std::max<Index>(a.num_cols, 1), 1);
  const Team threads =
      threads_for(static_cast<int>(std::min<std::int64_t>(num_threads, room)), a.num_entries(), {.bytes = 16});
  const Offset num = a.num_cols;
  Array<Index> counts(threads.size * num);  // [threads, num_cols]
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(a.num_rows, thread, count);
    Index* const own = counts.data() + thread * num;
    std::fill_n(own, num, 0);
    for (Offset s = a.row_ptr.data()[begin]; s < a.row_ptr.data()[end]; ++s) ++own[a.cols.data()[s]];
  });
  parallel_for(threads, num, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      Index sum = 0;
      for (int thread = 0; thread < threads; ++thread) sum += std::exchange(counts.data()[thread * num + c], sum);
      t.row_ptr.data()[c] = sum;
    }
  });
  lengths_to_offsets(num_threads, t.row_ptr.data(), num);
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(a.num_rows, thread, count);
    Index* const own = counts.data() + thread * num;
    for (auto r = static_cast<Index>(begin); r < end; ++r)
      for (Offset s = a.row_ptr.data()[r]; s < a.row_ptr.data()[r + 1]; ++s) {
        const Index c = a.cols.data()[s];
        const Offset to = t.row_ptr.data()[c] + own[c]++;
        t.cols.data()[to] = r;
        entries.data()[to] = s;
      }
  });
  return t;
}

}  // namespace millrace::multigrid
