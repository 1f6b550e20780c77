// Values of a prolongator as those of two matrices: what one node and one aggregate do.
#pragma once

#include "millrace/precond/multigrid/expand.hpp"

namespace millrace::multigrid {

/// Both in the order of expand.hpp.
template <class W>
struct FillTransfer {
  Index block, num;
  const W* values;        // [entries of P, block, num]
  RowsView p, r;          // P and its transpose
  const Offset* entries;  // [entries of r]: where P stores them
  W* prolongation;
  W* restriction;

  MILLRACE_HD void node(Offset i) const {
    const Index length = p.length(i);
    const Offset start = p.row_ptr[i];
    for (Index c = 0; c < block; ++c)
      for (Index k = 0; k < length; ++k)
        for (Index j = 0; j < num; ++j)
          prolongation[expanded_place(start, length, block, num, k, c, j)] =
              values[((start + k) * block + c) * num + j];
  }
  MILLRACE_HD void aggregate(Offset g) const {
    const Index length = r.length(g);
    const Offset start = r.row_ptr[g];
    for (Index j = 0; j < num; ++j)
      for (Index k = 0; k < length; ++k)
        for (Index c = 0; c < block; ++c)
          restriction[expanded_place(start, length, num, block, k, j, c)] =
              values[(entries[start + k] * block + c) * num + j];
  }
};

}  // namespace millrace::multigrid
