// Rows of a rank in another scalar, and copies of them.
#pragma once

#include "millrace/sparse/global_rows.hpp"

namespace millrace {

/// A copy.
template <class T>
GlobalRows<T> clone(const GlobalRows<T>& rows) {
  return {rows.first, rows.num_cols, rows.row_ptr.clone(), rows.cols.clone(), rows.vals.clone()};
}

/// The same rows with values in the scalar To, by the rules of CSR matrices: complex to real is Unsupported, and what a
/// float cannot hold is an Error.
template <class To, class From>
GlobalRows<To> convert_values(GlobalRows<From> rows);

}  // namespace millrace
