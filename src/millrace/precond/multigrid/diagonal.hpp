// What a level knows of its matrix's rows: the diagonal, the sums of absolute values, and whether numbers are finite.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// The diagonal with repeated entries added up, and replacements where that is zero.
template <class T>
struct Diagonal {
  Array<T> value;           // [num_rows]: a_ii; where it is zero, the sum of |a_ij|; of an empty row 1
  Array<T> row_sum;         // [num_rows]: sum of |a_ij|; of an empty row 1
  Array<Index> num_beside;  // [num_rows]: entries off the diagonal that are not zero
  Index num_replaced = 0;
  double gershgorin = 0;  // the largest row_sum / |value|: no eigenvalue of D^-1 A is larger

  /// Of a square matrix on the host. Memory that is there is used again. Refuses numbers that are not finite.
  void update(int num_threads, const Csr<T>& a);
};

extern template struct Diagonal<float>;
extern template struct Diagonal<double>;

}  // namespace millrace::multigrid
