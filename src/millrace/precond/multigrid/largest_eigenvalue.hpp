// A bound of the largest eigenvalue of D^-1 A, for smoothers and for the damping of prolongators.
#pragma once

#include <limits>

#include "millrace/base/operator.hpp"

namespace millrace::multigrid {

/// A tenth more than the largest Ritz value, of all steps and of the first third of them: what is known of a matrix by
/// all its steps and of one like it by a third of them gives the latter's, in a third of the time.
struct LargestEstimate {
  double all = 1, third = 1;
  static int third_of(int num_steps) { return (num_steps + 2) / 3; }
};

/// By some steps of C. Lanczos' method (1950) from a vector that a hash makes. `inverse` [num_rows] is D^-1. Memory:
/// scratch of the queue. Of a matrix that is not symmetric it is an estimate. On large levels of a GPU steps end where
/// the estimate has reached `enough`: it only grows.
template <class W>
LargestEstimate estimate_largest(Queue& queue, const Operator<W>& a, const W* inverse, int num_steps,
                                 double enough = std::numeric_limits<double>::infinity());
/// The same with any D^-1; each step waits for its numbers.
template <class W>
LargestEstimate estimate_largest(Queue& queue, const Operator<W>& a, const Operator<W>& inverse, int num_steps);

}  // namespace millrace::multigrid
