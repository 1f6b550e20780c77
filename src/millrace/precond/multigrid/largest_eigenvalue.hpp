// A bound of the largest eigenvalue of D^-1 A, for smoothers and for the damping of prolongators.
#pragma once

#include "millrace/base/operator.hpp"

namespace millrace::multigrid {

/// The largest Ritz value of some steps of C. Lanczos' method (1950) from a vector that a hash makes, and a tenth more.
/// `inverse` [num_rows] is D^-1. Memory: scratch of the queue. Of a matrix that is not symmetric it is an estimate.
template <class W>
double estimate_largest(Queue& queue, const Operator<W>& a, const W* inverse, int num_steps);

}  // namespace millrace::multigrid
