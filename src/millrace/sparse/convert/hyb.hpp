// CSR into the hybrid format, in parallel steps: the heads of the rows as the padded family does it, then the tails.
#pragma once

#include <algorithm>
#include <ranges>

#include "millrace/sparse/convert/padded.hpp"
#include "millrace/sparse/format/hyb.hpp"

namespace millrace::convert {

template <Steps S>
Offset count_longer(S& steps, const Rows& a, Offset length) {
  return steps.sum(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{a.length(r) > length ? 1 : 0}; });
}

/// A slot of ELLPACK takes about a third of the time of a coordinate (Bell and Garland 2009), so one more column pays
/// while a third of the rows reach it.
template <Steps S>
Index cheapest_width(S& steps, const Rows& a) {
  const Offset longest = steps.max(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{a.length(r)}; });
  const auto columns = std::views::iota(Offset{0}, longest);
  const auto end =
      std::ranges::partition_point(columns, [&](Offset k) { return 3 * count_longer(steps, a, k) >= a.num_rows; });
  return static_cast<Index>(end - columns.begin());
}

/// Every row's entries from the width on, row after row.
template <Steps S, class T>
void fill_tails(S& steps, const Csr<T>& a, Hyb<T>& b) {
  const Rows csr = rows_of(a);
  const Index width = b.width;
  const Offset rest = b.coo.num_entries(), num_rows = a.num_rows;
  Array<Offset> ends = steps.template scratch<Offset>(num_rows + 1);  // tails before every row
  Offset* before = ends.data();
  steps.for_each(num_rows + 1, [=] MILLRACE_HD(Offset r) {
    const Index length = r == 0 ? 0 : csr.length(r - 1);
    before[r] = length > width ? length - width : 0;
  });
  steps.scan(before, num_rows + 1);
  Index *rows = b.coo.rows.data(), *cols = b.coo.cols.data();
  Arith<T>* vals = arith(b.coo.vals.data());
  const Arith<T>* from = arith(a.vals.data());
  Offset* source = b.source.data();
  steps.for_each_in(Ranges{before, num_rows, rest}, [=] MILLRACE_HD(Offset r, Offset i) {
    const Offset s = csr.begin(r) + width + (i - before[r]);
    rows[i] = static_cast<Index>(r);
    cols[i] = csr.cols[s];
    vals[i] = from[s];
    source[i] = s;
  });
}

template <class T>
struct Conversion<Hyb<T>> {
  template <Steps S>
  static Hyb<T> run(S& steps, const Csr<T>& a, const FormatSpec& spec) {
    const HybShape asked = Hyb<T>::asked(spec);
    Hyb<T> b;
    b.num_rows = a.num_rows;
    b.num_cols = a.num_cols;
    b.width = asked.width > 0 ? asked.width : cheapest_width(steps, rows_of(a));
    b.ell =
        Ellr<T>(make_padded(steps, Ellr<T>::name, a, {.slice = 8, .max_length = b.width, .storage = asked.storage}));
    const Offset rest = a.num_entries() - b.ell.num_entries();
    b.coo.num_rows = a.num_rows;
    b.coo.num_cols = a.num_cols;
    b.coo.rows = steps.template make<Index>(rest);
    b.coo.cols = steps.template make<Index>(rest);
    b.coo.vals = steps.template make<T>(rest);
    b.source = steps.template make<Offset>(rest);
    if (rest > 0) fill_tails(steps, a, b);
    return b;
  }
};

}  // namespace millrace::convert
