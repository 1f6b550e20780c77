// Makes the nonzero split of a CSR matrix: in the parallel steps of conversions, so that the host can run and test
// them.
#pragma once

#include "millrace/base/search.hpp"
#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/product/csr/nnz_split.hpp"

namespace millrace::convert {

/// The rows with entries, numbered without the others.
struct FilledRows {
  Rows a;
  const Index* filled;  // [num_filled], or null: all rows
  Index num_filled;

  MILLRACE_HD Index row(Index i) const { return filled ? filled[i] : i; }
  MILLRACE_HD Offset begin(Index i) const { return a.begin(row(i)); }
  MILLRACE_HD Offset end(Index i) const { return a.begin(row(i) + 1); }
  /// The row of an entry.
  MILLRACE_HD Index row_with(Offset entry) const {
    return first_where(Index{0}, num_filled, [&](Index i) { return end(i) > entry; });
  }
};

/// Lists the rows with and without entries, if there are rows without.
template <Steps S>
FilledRows list_filled(S& steps, const Rows& a, NnzSplit& split) {
  const Offset num_empty =
      steps.sum(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{a.length(static_cast<Index>(r)) == 0}; });
  if (num_empty == 0) return {a, nullptr, a.num_rows};
  Array<Offset> counts = steps.template scratch<Offset>(a.num_rows);
  Offset* count = counts.data();  // of rows with entries up to this one
  steps.for_each(a.num_rows, [=] MILLRACE_HD(Offset r) { count[r] = a.length(static_cast<Index>(r)) > 0 ? 1 : 0; });
  steps.scan(count, a.num_rows);
  split.filled = steps.template make<Index>(a.num_rows - num_empty);
  split.empty = steps.template make<Index>(num_empty);
  Index *filled = split.filled.data(), *empty = split.empty.data();
  steps.for_each(a.num_rows, [=] MILLRACE_HD(Offset r) {
    if (a.length(static_cast<Index>(r)) > 0)
      filled[count[r] - 1] = static_cast<Index>(r);
    else
      empty[r - count[r]] = static_cast<Index>(r);
  });
  return {a, filled, static_cast<Index>(split.filled.size())};
}

/// Chunks of that many entries, a multiple of 32.
template <Steps S>
NnzSplit make_nnz_split(S& steps, const Rows& a, Index chunk) {
  NnzSplit split;
  split.chunk = chunk;
  const FilledRows rows = list_filled(steps, a, split);
  const Offset num_chunks = (a.num_entries + chunk - 1) / chunk;
  split.ends = steps.template make<RowEnds>(num_chunks * chunk / 32);
  RowEnds* ends = split.ends.data();
  steps.for_each(split.ends.size(), [=] MILLRACE_HD(Offset g) {
    RowEnds found{0, rows.row_with(32 * g)};
    for (Index i = found.before; i < rows.num_filled && rows.end(i) <= 32 * g + 32; ++i)
      found.bits |= std::uint32_t{1} << (rows.end(i) - 1 - 32 * g);
    ends[g] = found;
  });
  split.spanning = steps.template make<SpanningRow>(num_chunks + 1);
  SpanningRow* spanning = split.spanning.data();
  steps.for_each(split.spanning.size(), [=] MILLRACE_HD(Offset k) {
    SpanningRow row{static_cast<Index>(k), static_cast<Index>(k)};
    if (k < num_chunks) {
      const Index i = ends[k * chunk / 32].before;  // the row of the chunk's first entry
      if (rows.begin(i) < k * chunk)
        row = {static_cast<Index>(rows.begin(i) / chunk), static_cast<Index>((rows.end(i) - 1) / chunk)};
    }
    spanning[k] = row;
  });
  return split;
}

}  // namespace millrace::convert
