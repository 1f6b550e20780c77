// Two vectors that A takes to nearly the same b: is their difference a null vector, so that A is singular?
#pragma once

#include "millrace/tune/solve.hpp"

namespace millrace {

/// An upper bound of the reciprocal condition number: |A e| / (|A| |e|) in the maximum norm, where e begins as the
/// given difference of two approximate solutions and is freed of what is no null vector, e - A^-1 (A e), by up to two
/// more solves as `how` has solved (its best try, its tolerance). Far above rounding: nothing is known, for e has
/// vanished. e = 0 gives 1. The matrix is on the host.
template <class T>
double bound_of_rcond(Queue& queue, const Csr<T>& a, const AutoReport& how, int max_iterations,
                      std::type_identity_t<std::vector<T>> e);

}  // namespace millrace
