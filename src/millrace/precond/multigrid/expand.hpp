// A pattern of blocks as a matrix of numbers.
#pragma once

#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// `height` rows for each row of the pattern, [length * width] columns each; values not yet set.
template <class W>
Csr<W> expand(Queue& queue, const RowPattern& pattern, Index height, Index width);

/// Where row i of the pattern, [length, height, width] as blocks, has entry (k, c, j) in the expanded matrix.
MILLRACE_HD inline Offset expanded_place(Offset start, Index length, Index height, Index width, Index k, Index c,
                                         Index j) {
  return (start * height + Offset{c} * length + k) * width + j;
}

}  // namespace millrace::multigrid
