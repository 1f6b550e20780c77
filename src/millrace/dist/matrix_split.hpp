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

/// The rows of a rank with columns of 32 bits: those of its own rows, then those of the halo.
template <class T>
struct HaloRows {
  Partition parts{};
  HaloPlan plan{};
  Csr<T> rows{};  // [rows, rows + ghosts]
};
/// The rows are checked; a rank at fault is an Error on all ranks. Entries keep their order in a row. For all ranks.
template <class T>
HaloRows<T> with_halo(const Comm& comm, const GlobalRows<T>& rows);

/// From undivided rows [rows, rows + ghosts]. Entries keep their order in a row.
template <class T>
SplitRows<T> split(const Csr<T>& undivided);

/// All columns in one matrix: those of the rank's own rows, then the ghosts. [rows, rows + ghosts]
template <class T>
Csr<T> undivided(const GlobalRows<T>& rows, const HaloPlan& plan);

/// The same rows with their entries by ascending columns of the whole matrix, of which `first` is the first row here.
template <class T>
Csr<T> ascending(const Csr<T>& undivided, const HaloPlan& plan, std::int64_t first);

}  // namespace millrace
