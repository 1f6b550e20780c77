// How a row becomes bfloat16, on host threads and on a GPU alike: entries beside the diagonal are rounded, and the
// diagonal, which is kept apart, takes what rounding has changed in its row.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/precond/multigrid/matrix_view.hpp"

namespace millrace::multigrid {

/// bfloat16 beside numbers of W, const where these are.
template <class W>
using NarrowBeside = std::conditional_t<std::is_const_v<W>, const Bfloat16, Bfloat16>;

/// Stores an entry beside the diagonal. Returns what rounding takes away, for the diagonal.
MILLRACE_HD inline double round_to(Bfloat16& to, double value) {
  to = Bfloat16(static_cast<float>(value));
  return value - double{static_cast<float>(to)};
}

/// The pointers of NarrowRows; of const W: to be read.
template <class W>
struct NarrowRowsView {
  const Offset* row_ptr;  // [num_rows + 1]
  const Index* cols;      // [entries off the diagonal]
  NarrowBeside<W>* vals;  // the same
  W* diagonal;            // [num_rows]

  /// From the row of a matrix; false: a number is not finite.
  MILLRACE_HD bool set_row(const MatrixView<W>& a, Offset r) const {
    double own = 0;
    Bfloat16* to = vals + row_ptr[r];
    for (Offset s = a.begin(r); s < a.begin(r + 1); ++s) {
      const auto value = static_cast<double>(a.value(s));
      if (a.column(s) == r) {
        own += value;
        continue;
      }
      own += round_to(*to++, value);
    }
    diagonal[r] = static_cast<W>(own);
    return is_finite(diagonal[r]);
  }
};

/// The pointers of NarrowDiagonals; of const W: to be read.
template <class W>
struct NarrowDiagonalsView {
  Offset num_rows;
  Index num_diagonals;
  const Index* offsets;   // [num_diagonals], column - row, ascending, without 0
  NarrowBeside<W>* vals;  // [num_diagonals, num_rows]
  W* diagonal;            // [num_rows]

  /// From the row of a matrix, whose entries mostly ascend; false: a number is not finite.
  MILLRACE_HD bool set_row(const MatrixView<W>& a, Offset r) const {
    const Offset end = a.begin(r + 1);
    Offset at = a.begin(r);
    double own = take(a, r, end, 0, at), rounded = 0;
    for (Index d = 0; d < num_diagonals; ++d) {
      rounded += round_to(vals[d * num_rows + r], take(a, r, end, offsets[d], at));
      own += take(a, r, end, 0, at);
    }
    if (at < end) {  // out of order: every diagonal looks at the whole row
      own = all_of(a, r, end, 0), rounded = 0;
      for (Index d = 0; d < num_diagonals; ++d)
        rounded += round_to(vals[d * num_rows + r], all_of(a, r, end, offsets[d]));
    }
    diagonal[r] = static_cast<W>(own + rounded);
    return is_finite(diagonal[r]);
  }

 private:
  /// The sum of the entries from `at` on that lie on a diagonal; `at` is behind them then.
  MILLRACE_HD double take(const MatrixView<W>& a, Offset r, Offset end, Index offset, Offset& at) const {
    double sum = 0;
    for (; at < end && a.column(at) - r == offset; ++at) sum += static_cast<double>(a.value(at));
    return sum;
  }
  MILLRACE_HD double all_of(const MatrixView<W>& a, Offset r, Offset end, Index offset) const {
    double sum = 0;
    for (Offset s = a.begin(r); s < end; ++s)
      if (a.column(s) - r == offset) sum += static_cast<double>(a.value(s));
    return sum;
  }
};

}  // namespace millrace::multigrid
