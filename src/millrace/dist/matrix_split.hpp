// The rows of a rank, split by who has the columns.
#pragma once

#include "millrace/dist/halo.hpp"
#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// Columns of the rank's own rows, and columns of the halo for the rows that have some.
template <class T>
struct SplitRows {
  Csr<T> local;                // [rows, rows]
  Csr<T> nonlocal;             // [boundary rows, ghosts]
  Array<Index> boundary_rows;  // [boundary rows]: counted from the first row of this rank
};

/// Entries keep their order in a row.
template <class T>
SplitRows<T> split(const GlobalRows<T>& rows, const HaloPlan& plan);

/// All columns in one matrix: those of the rank's own rows, then the ghosts. [rows, rows + ghosts] `ascending`: entries
/// by their columns in the whole matrix; else they keep their order.
template <class T>
Csr<T> undivided(const GlobalRows<T>& rows, const HaloPlan& plan, bool ascending = false);

}  // namespace millrace
