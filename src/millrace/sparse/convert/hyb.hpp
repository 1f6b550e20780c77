// CSR into the hybrid format, in parallel steps: the heads of the rows as the padded family does it, then the tails.
#pragma once

#include "millrace/sparse/convert/padded.hpp"

namespace millrace::convert {

/// How many columns a third of the rows reach; as the host counts it, by halving.
template <Stage S>
Index cheapest_width(S& stage, const Rows& a) {
  Offset low = 0, high = stage.largest(a.num_rows,
                                       [=] MILLRACE_HD(Offset r) { return Offset{a.length(static_cast<Index>(r))}; });
  while (low < high) {  // the answer is in low .. high
    const Offset middle = low + (high - low) / 2;
    const Offset reach = stage.sum(
        a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{a.length(static_cast<Index>(r)) > middle ? 1 : 0}; });
    if (3 * reach >= a.num_rows)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<Index>(low);
}

/// Every row's entries from the width on, row after row.
template <Stage S, class T>
void fill_tails(S& stage, const Csr<T>& a, Hyb<T>& b) {
  const Rows csr = rows_of(a);
  const Index width = b.width;
  const Offset rest = b.coo.num_entries(), num_rows = a.num_rows;
  Array<Offset> ends = stage.template scratch<Offset>(num_rows + 1);  // tails before every row
  Offset* before = ends.data();
  stage.for_each(num_rows + 1, [=] MILLRACE_HD(Offset r) {
    const Index length = r == 0 ? 0 : csr.length(static_cast<Index>(r) - 1);
    before[r] = length > width ? length - width : 0;
  });
  stage.scan(before, num_rows + 1);
  Index *rows = b.coo.rows.data(), *cols = b.coo.cols.data();
  Arith<T>* vals = arith(b.coo.vals.data());
  const Arith<T>* from = arith(a.vals.data());
  Offset* source = b.source.data();
  stage.for_each(rest, [=] MILLRACE_HD(Offset i) {
    const auto r = static_cast<Index>(last_at_most(before, 0, num_rows, i));
    const Offset s = csr.begin(r) + width + (i - before[r]);
    rows[i] = r;
    cols[i] = csr.cols[s];
    vals[i] = from[s];
    source[i] = s;
  });
}

template <Stage S, class T>
void make(S& stage, const Csr<T>& a, const FormatSpec& spec, Hyb<T>& b) {
  const Hyb<T> asked = Hyb<T>::from_csr(Csr<T>{}, spec);  // checks the text
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.width = spec.parameters.empty() ? cheapest_width(stage, rows_of(a)) : asked.width;
  PaddedShape shape = asked.ell.layout;
  shape.most = b.width;
  make_padded(stage, a, shape, b.ell);
  const Offset rest = a.num_entries() - b.ell.num_entries();
  b.coo.num_rows = a.num_rows;
  b.coo.num_cols = a.num_cols;
  b.coo.rows = stage.template make<Index>(rest);
  b.coo.cols = stage.template make<Index>(rest);
  b.coo.vals = stage.template make<T>(rest);
  b.source = stage.template make<Offset>(rest);
  if (rest > 0) fill_tails(stage, a, b);
}

}  // namespace millrace::convert
