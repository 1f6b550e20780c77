// Patterns that the set-up makes, row by row, and the small tools for making them on host threads.
#pragma once

#include <algorithm>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/operator.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::multigrid {

/// A pattern as plain pointers.
struct RowsView {
  const Offset* row_ptr;  // [num_rows + 1]
  const Index* cols;      // [num_entries]

  MILLRACE_HD Index length(Offset r) const { return static_cast<Index>(row_ptr[r + 1] - row_ptr[r]); }
};

/// Columns of every row.
struct RowPattern {
  Index num_rows = 0, num_cols = 0;
  Array<Offset> row_ptr;  // [num_rows + 1]
  Array<Index> cols;      // [num_entries]

  Offset num_entries() const { return cols.size(); }
  RowsView view() const { return {row_ptr.data(), cols.data()}; }
  Index length(Index r) const { return static_cast<Index>(row_ptr.data()[r + 1] - row_ptr.data()[r]); }
  const Index* row(Index r) const { return cols.data() + row_ptr.data()[r]; }
  std::int64_t bytes() const { return row_ptr.bytes() + cols.bytes(); }
};

/// lengths[0 .. n) become offsets[0 .. n], lengths[n] is not read. Returns the total.
Offset lengths_to_offsets(int num_threads, Offset* lengths, std::int64_t n);

/// Makes a pattern in one pass: each thread calls make_worker() once, and for each of its rows in order the worker with
/// the row and a list, to whose end it appends the columns. Memory for a while: the columns twice.
template <class MakeWorker>
RowPattern collect_rows(int num_threads, Index num_rows, Index num_cols, const MakeWorker& make_worker) {
  RowPattern made{num_rows, num_cols, Array<Offset>(Offset{num_rows} + 1), {}};
  const Team threads = threads_for(num_threads, num_rows, {.flops = 64});
  std::vector<std::vector<Index>> lists(to_size(threads));
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(num_rows, thread, count);
    auto worker = make_worker();
    std::vector<Index>& list = lists[to_size(thread)];
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      const std::size_t before = list.size();
      worker(r, list);
      made.row_ptr.data()[r] = static_cast<Offset>(list.size() - before);
    }
  });
  made.cols = Array<Index>(lengths_to_offsets(num_threads, made.row_ptr.data(), num_rows));
  parallel(threads, [&](int thread, int count) {
    const auto [begin, end] = even_part(num_rows, thread, count);
    std::vector<Index>& list = lists[to_size(thread)];
    std::ranges::copy(list, made.cols.data() + made.row_ptr.data()[begin]);
    list = {};
  });
  return made;
}

/// The rows of a matrix [num_rows, num_cols] by its columns: row c of the result lists rows ascending.
/// `entries` [num_entries]: where each of them lies in `a`.
RowPattern transpose_pattern(int num_threads, const RowPattern& a, Array<Offset>& entries);

}  // namespace millrace::multigrid
