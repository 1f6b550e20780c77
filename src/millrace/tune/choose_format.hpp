// The format of a matrix by a rule on its statistics, said with its reason; and the matrix in that format.
#pragma once

#include <string>

#include "millrace/sparse/matrix.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {

/// A format, and why it was chosen.
struct FormatChoice {
  std::string format;  // as make_format takes it
  std::string reason;  // a clause; empty: it was asked for
};

/// For products on that device. Nothing is measured: docs/formats.md, "Which one".
/// `single_kernel`: the solver can run a small system on a GPU in one kernel, which reads CSR.
FormatChoice choose_format(const MatrixStats& stats, Device device, bool single_kernel = false);

/// What make_matrix is told.
struct MatrixOptions {
  std::string format = "auto";  // or one that make_format takes: "csr", "sell-32-1024"
  bool or_csr = false;          // a format asked for that cannot hold the matrix gives way to CSR, as a chosen one does
  bool single_kernel = false;   // see choose_format
};

/// A matrix on the queue's device, from CSR there or elsewhere, in the format that is chosen for it; `choice` is told
/// which one, and why. Statistics are computed on the host, so CSR on a GPU is copied for them.
template <class T>
SparseMatrix<T> make_matrix(Queue& queue, const Csr<T>& a, const MatrixOptions& options = {},
                            FormatChoice* choice = nullptr);

}  // namespace millrace
