// The plain application of an element operator: one action after another over all elements, each through memory, and
// sums in the order of the elements. Short and slow; the fast one is tested against it.
#pragma once

#include "millrace/fem/element_operator.hpp"

namespace millrace {

/// y = A x on the host; every action is one of fem/basis_actions.hpp.
template <class T>
void apply_unfused(Queue& queue, const ElementOperator<T>& a, Vectors<const T> x, Vectors<T> y);

}  // namespace millrace
