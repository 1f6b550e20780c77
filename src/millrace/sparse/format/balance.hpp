// Parts of about equal work: rows count, and so do their entries.
#pragma once

#include "millrace/base/search.hpp"
#include "millrace/sparse/row_format.hpp"

namespace millrace::host {

/// The first of `count` rows with at least `wanted` rows and other work before it; work_before never falls.
template <class Work>
Index row_at(Index count, Offset wanted, Work&& work_before) {
  return first_where(Index{0}, count, [&](Index r) { return work_before(r) + r >= wanted; });
}
template <RowFormat V>
Index row_at(const V& a, Offset wanted) {
  return row_at(a.num_rows, wanted, [&](Index r) { return a.slots_before(r); });
}

}  // namespace millrace::host
