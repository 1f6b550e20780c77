// Matrices as plain pointers: what set-up steps see on host threads and on a GPU.
#pragma once

#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/sparse/convert/steps.hpp"

namespace millrace::multigrid {

/// In CSR, with offsets of either width.
template <class T>
struct MatrixView {
  convert::Rows rows;
  const T* vals;  // [num_entries]

  MILLRACE_HD Offset begin(Offset r) const { return rows.begin(r); }
  MILLRACE_HD Index column(Offset s) const { return rows.cols[s]; }
  MILLRACE_HD T value(Offset s) const { return vals[s]; }
};

template <class T>
MatrixView<T> view_of(const Csr<T>& a) {
  return {convert::rows_of(a), a.vals.data()};
}

/// A pattern and its values, which may lie elsewhere.
template <class T>
struct PatternView {
  RowsView rows;
  const Offset* entries;  // where values are, [num_entries]; null: in order
  const T* vals;

  MILLRACE_HD Offset begin(Offset r) const { return rows.row_ptr[r]; }
  MILLRACE_HD Index column(Offset s) const { return rows.cols[s]; }
  MILLRACE_HD T value(Offset s) const { return vals[entries ? entries[s] : s]; }
};

}  // namespace millrace::multigrid
