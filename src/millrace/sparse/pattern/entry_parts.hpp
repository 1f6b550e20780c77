// Work shared by entries: every thread gets as many of them, however unequal the rows are.
#pragma once

#include <algorithm>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// The row that holds entry s.
template <class T, class RowOffset>
Index row_of_entry(const CsrView<T, RowOffset>& a, Offset s) {
  const RowOffset* first_after =
      std::upper_bound(a.row_ptr, a.row_ptr + a.num_rows + 1, s, [](Offset at, RowOffset begin) { return at < begin; });
  return static_cast<Index>(first_after - a.row_ptr) - 1;
}

/// Runs f(part, begin, end, row) over equal parts of the entries, part < num_threads; entry `begin` is in `row`.
/// A part may begin and end inside a row.
template <class T, class RowOffset, class F>
void for_entry_parts(const CsrView<T, RowOffset>& a, int num_threads, F&& f) {
  parallel(threads_for(num_threads, a.num_entries, {.bytes = 16}), [&](int part, int num_parts) {
    const auto [begin, end] = even_part(a.num_entries, part, num_parts);
    if (begin < end) f(part, begin, end, row_of_entry(a, begin));
  });
}

}  // namespace millrace
