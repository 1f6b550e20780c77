// Some rows of a matrix that may be larger than this machine: columns are numbers of the whole.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// Rows first, first + 1, ... of a matrix with num_cols columns, on the host. Entries of a row may come in any order.
template <class T>
struct GlobalRows {
  std::int64_t first = 0, num_cols = 0;  // of the whole
  Array<Offset> row_ptr{Offset{0}};      // [rows here + 1], from 0
  Array<std::int64_t> cols{};            // [entries here], 0 .. num_cols
  Array<T> vals{};                       // [entries here]

  std::int64_t num_rows() const { return row_ptr.size() - 1; }
  Offset num_entries() const { return vals.size(); }
  std::int64_t end() const { return first + num_rows(); }
};

/// Checks what the types cannot: offsets rise from 0 to the number of entries, columns are inside.
template <class T>
void check_rows(const GlobalRows<T>& rows);

/// Rows begin .. end of a matrix on the host.
template <class T>
GlobalRows<T> rows_of(const Csr<T>& a, std::int64_t begin, std::int64_t end);

/// The columns of every row ascending, and equal ones added up in the order given, as sort_rows of a CSR matrix does.
template <class T>
GlobalRows<T> sort_rows(GlobalRows<T> rows);

/// The entries that are not zero.
template <class T>
GlobalRows<T> drop_zeros(GlobalRows<T> rows);

}  // namespace millrace
