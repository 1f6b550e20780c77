// What the types of a CSR matrix cannot promise, in parallel steps: offsets that rise from 0 to the number of entries,
// and columns inside. One pass over either array.
#pragma once

#include <algorithm>
#include <limits>
#include <ranges>

#include "millrace/sparse/convert/steps.hpp"

namespace millrace::convert {

template <Steps S>
Offset read_begin(S& steps, const Rows& a, Offset r) {
  return a.narrow ? Offset{steps.read(a.narrow + r)} : Offset{steps.read(a.wide + r)};
}

/// The row of an entry, for texts.
template <Steps S>
Offset row_of_entry(S& steps, const Rows& a, Offset entry) {
  const auto rows = std::views::iota(Offset{1}, Offset{a.num_rows});
  const auto found = std::ranges::partition_point(rows, [&](Offset r) { return read_begin(steps, a, r) <= entry; });
  return static_cast<Offset>(found - rows.begin());
}

template <Steps S>
void check_offsets(S& steps, const Rows& a) {
  const Offset first = read_begin(steps, a, 0), last = read_begin(steps, a, a.num_rows);
  require(first == 0 && last == a.num_entries, "csr: row offsets run from ", first, " to ", last,
          "; they must run from 0 to the number of entries, ", a.num_entries);
  const Offset longest = std::numeric_limits<Index>::max();
  const Offset bad = steps.first(a.num_rows, [=] MILLRACE_HD(Offset r) {
    const Offset begin = a.begin(r), end = a.begin(r + 1);
    return begin > end || end - begin > longest;
  });
  if (bad == a.num_rows) return;
  const Offset begin = read_begin(steps, a, bad), end = read_begin(steps, a, bad + 1);
  require(begin <= end, "csr: the row offsets fall from ", begin, " to ", end, " at row ", bad);
  require(end - begin <= longest, "csr: row ", bad, " has ", end - begin, " entries; up to ", longest, " are accepted");
}

/// Of offsets that were found right.
template <Steps S>
void check_columns(S& steps, const Rows& a) {
  const Index* cols = a.cols;
  const Index num_cols = a.num_cols;
  const Offset bad =
      steps.first(a.num_entries, [=] MILLRACE_HD(Offset s) { return cols[s] < 0 || cols[s] >= num_cols; });
  if (bad == a.num_entries) return;
  require(false, "csr: row ", row_of_entry(steps, a, bad), " has column ", steps.read(cols + bad), "; ",
          num_cols == 0 ? std::string("the matrix has no columns") : join("columns run from 0 to ", num_cols - 1));
}

template <Steps S>
void check_rows(S& steps, const Rows& a) {
  check_offsets(steps, a);
  check_columns(steps, a);
}

}  // namespace millrace::convert
