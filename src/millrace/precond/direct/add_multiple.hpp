// Sums of matrices, for shifts.
#pragma once

#include <vector>

#include "millrace/sparse/assemble.hpp"

namespace millrace::detail {

/// A + factor M with sorted rows, on the host; null: M is the identity.
template <class T>
Csr<T> add_multiple(const Csr<T>& a, T factor, const Csr<T>* m) {
  std::vector<Triplet<T>> entries;
  entries.reserve(static_cast<std::size_t>(a.num_entries() + (m ? m->num_entries() : a.num_rows)));
  const auto add = [&](const Csr<T>& from, T times) {
    for (Index r = 0; r < from.num_rows; ++r)
      for (Offset k = from.row_begin(r); k < from.row_begin(r + 1); ++k)
        entries.push_back({r, from.cols.data()[k], times * from.vals.data()[k]});
  };
  add(a, T(1));
  if (m)
    add(*m, factor);
  else
    for (Index r = 0; r < a.num_rows; ++r) entries.push_back({r, r, factor});
  return make_csr(a.num_rows, a.num_cols, entries);
}

}  // namespace millrace::detail
