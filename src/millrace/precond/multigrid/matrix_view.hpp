// A CSR matrix as plain pointers, with offsets of either width: what set-up steps see on host threads and on a GPU.
#pragma once

#include "millrace/sparse/convert/steps.hpp"

namespace millrace::multigrid {

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

}  // namespace millrace::multigrid
