// Marks where the rows of a CSR matrix end: in the parallel steps of conversions, so that the host can run and test
// them.
#pragma once

#include "millrace/sparse/convert/steps.hpp"

namespace millrace::convert {

/// The rows with entries, numbered without the others.
struct FilledRows {
  Rows a;
  const Index* filled;  // [num_filled], or null: all rows
  Index num_filled;

  MILLRACE_HD Index row(Index i) const { return filled ? filled[i] : i; }
  MILLRACE_HD Offset begin(Index i) const { return a.begin(row(i)); }
  MILLRACE_HD Offset end(Index i) const { return a.begin(row(i) + 1); }
  /// The first one that ends behind an entry's begin.
  MILLRACE_HD Index first_behind(Offset at) const {
    Index low = 0, high = num_filled;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (end(middle) <= at)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Lists the rows with and without entries, if there are rows without.
template <Stage S>
FilledRows list_filled(S& stage, const Rows& a, RowMarks& marks) {
  const Offset num_vacant =
      stage.sum(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{a.length(static_cast<Index>(r)) == 0}; });
  if (num_vacant == 0) return {a, nullptr, a.num_rows};
  Array<Offset> counts = stage.template scratch<Offset>(a.num_rows);
  Offset* count = counts.data();  // of rows with entries up to this one
  stage.for_each(a.num_rows, [=] MILLRACE_HD(Offset r) { count[r] = a.length(static_cast<Index>(r)) > 0 ? 1 : 0; });
  stage.scan(count, a.num_rows);
  marks.filled = stage.template make<Index>(a.num_rows - num_vacant);
  marks.vacant = stage.template make<Index>(num_vacant);
  Index *filled = marks.filled.data(), *vacant = marks.vacant.data();
  stage.for_each(a.num_rows, [=] MILLRACE_HD(Offset r) {
    if (a.length(static_cast<Index>(r)) > 0)
      filled[count[r] - 1] = static_cast<Index>(r);
    else
      vacant[r - count[r]] = static_cast<Index>(r);
  });
  return {a, filled, static_cast<Index>(marks.filled.size())};
}

/// Marks the ends of rows for chunks of so many entries, a multiple of 32.
template <Stage S>
RowMarks make_marks(S& stage, const Rows& a, Index chunk) {
  RowMarks marks;
  marks.chunk = chunk;
  const FilledRows rows = list_filled(stage, a, marks);
  const Offset num_chunks = (a.num_entries + chunk - 1) / chunk;
  marks.ends = stage.template make<RowEnds>(num_chunks * chunk / 32);
  RowEnds* ends = marks.ends.data();
  stage.for_each(marks.ends.size(), [=] MILLRACE_HD(Offset g) {
    RowEnds found{0, rows.first_behind(32 * g)};
    for (Index i = found.before; i < rows.num_filled && rows.end(i) <= 32 * g + 32; ++i)
      found.bits |= std::uint32_t{1} << (rows.end(i) - 1 - 32 * g);
    ends[g] = found;
  });
  marks.cuts = stage.template make<CutRow>(num_chunks + 1);
  CutRow* cuts = marks.cuts.data();
  stage.for_each(marks.cuts.size(), [=] MILLRACE_HD(Offset k) {
    CutRow cut{static_cast<Index>(k), static_cast<Index>(k)};
    if (k < num_chunks) {
      const Index i = rows.first_behind(k * chunk);
      if (rows.begin(i) < k * chunk)
        cut = {static_cast<Index>(rows.begin(i) / chunk), static_cast<Index>((rows.end(i) - 1) / chunk)};
    }
    cuts[k] = cut;
  });
  return marks;
}

}  // namespace millrace::convert
