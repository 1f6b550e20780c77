// Rows with their columns ascending, for formats that have one place per position.
#pragma once

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace::convert {

/// The columns of every row ascending; empty when they are so in the matrix. Refuses a row that has a column twice: the
/// format has one place for it.
template <Steps S>
Array<Index> sorted_columns(S& steps, std::string_view format, const Rows& a) {
  const Offset n = a.num_entries;
  Array<Index> sorted = steps.template scratch<Index>(0);
  const Offset fall = steps.first_in(
      a, [=] MILLRACE_HD(Offset r, Offset s) { return s + 1 < a.begin(r + 1) && a.cols[s] >= a.cols[s + 1]; });
  if (fall == n) return sorted;

  Array<Key> keys = steps.template scratch<Key>(n);
  Key* key = keys.data();
  const auto stride = static_cast<Key>(a.num_cols);
  steps.for_each_in(
      a, [=] MILLRACE_HD(Offset r, Offset s) { key[s] = static_cast<Key>(r) * stride + static_cast<Key>(a.cols[s]); });
  steps.sort(keys, static_cast<Key>(a.num_rows) * stride - 1);
  const Key* by_column = keys.data();
  const Offset twice = steps.first(n - 1, [=] MILLRACE_HD(Offset i) { return by_column[i] == by_column[i + 1]; });
  if (twice < n - 1) {
    const Key at = steps.read(by_column + twice);
    refuse_repeated(format, static_cast<Index>(at / stride), static_cast<Index>(at % stride));
  }
  sorted = steps.template scratch<Index>(n);
  Index* to = sorted.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) { to[i] = static_cast<Index>(by_column[i] % stride); });
  return sorted;
}

}  // namespace millrace::convert
