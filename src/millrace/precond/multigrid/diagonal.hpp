// What a level knows of its matrix's rows: the diagonal, the sums of absolute values, and whether numbers are finite.
#pragma once

#include <cmath>

#include "millrace/precond/multigrid/matrix_view.hpp"

namespace millrace::multigrid {

/// What one row has.
template <class T>
struct RowFacts {
  T diagonal = 0, sum = 0;  // as Diagonal has them
  Index num_beside = 0;
  bool finite = true, replaced = false;

  template <class View>
  MILLRACE_HD static RowFacts of(const View& a, Offset r) {  // as MatrixView
    RowFacts row;
    for (Offset s = a.begin(r), end = a.begin(r + 1); s < end; ++s) {
      const T v = a.value(s);
      row.sum += v < 0 ? -v : v;
      if (a.column(s) == r)
        row.diagonal += v;
      else
        row.num_beside += v != 0;
    }
    row.finite = is_finite(row.sum);
    if (row.sum == 0) row.sum = 1;
    row.replaced = row.diagonal == 0;
    if (row.replaced) row.diagonal = row.sum;
    return row;
  }
  /// No eigenvalue of D^-1 A is larger than the largest of these.
  MILLRACE_HD double gershgorin() const { return double{sum} / (diagonal < 0 ? -double{diagonal} : double{diagonal}); }
};

/// The diagonal with repeated entries added up, and replacements where that is zero.
template <class T>
struct Diagonal {
  Array<T> value;           // [num_rows]: a_ii; where it is zero, the sum of |a_ij|; of an empty row 1
  Array<T> row_sum;         // [num_rows]: sum of |a_ij|; of an empty row 1
  Array<Index> num_beside;  // [num_rows]: entries off the diagonal that are not zero
  Index num_replaced = 0;
  double gershgorin = 0;  // the largest row_sum / |value|: no eigenvalue of D^-1 A is larger

  /// Of a square matrix. Memory that is there is used again. Refuses numbers that are not finite.
  void update(Queue& queue, const Csr<T>& a);
};

/// The root of the share of |a_ii| that each neighbour of row i has, for nodes of `block` rows.
template <class T>
MILLRACE_HD double root_of_share(T diagonal, Index num_beside, Index block) {
  const double size = diagonal < 0 ? -double{diagonal} : double{diagonal};
  return std::sqrt(size * block / (num_beside > block ? num_beside : block));
}

extern template struct Diagonal<float>;
extern template struct Diagonal<double>;

}  // namespace millrace::multigrid
