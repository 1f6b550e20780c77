// Incomplete factors A ~ L D U on a fixed pattern: what is asked for, what came of it, and the work on the host.
#pragma once

#include "millrace/precond/factor_pattern.hpp"

namespace millrace::factor {

/// What is done about pivots; sizes are relative to the largest entry of the pivot's row.
struct PivotRule {
  double zero = 0;         // a pivot up to this counts as zero
  double replacement = 1;  // and becomes this
  bool positive = false;   // pivots must be positive: the first that is not ends the factorisation
  double shift = 0;        // diagonal entries grow by this share of their size first
};

struct Outcome {
  Index num_replaced = 0;
  Index bad_row = -1;  // of the matrix (of blocks): where the factorisation ended, or numbers were not finite
};

/// values <- the entries of the matrix, zeros elsewhere; ones on the diagonal beyond the last row.
template <class T>
void scatter_values(int num_threads, const FactorPattern& pattern, const Csr<T>& a, Arith<T>* values);
/// The same for a pattern of blocks.
template <class T>
void scatter_values(int num_threads, const FactorPattern& pattern, const Dbf<T>& a, Arith<T>* values);

/// In: the matrix. Out: L and U without their ones, and the inverse of D. The same bits for any number of threads.
template <class A>
Outcome factorise(int num_threads, const FactorPattern& pattern, const PivotRule& rule, A* values);

}  // namespace millrace::factor
