// How far the entries of a diagonal are from each other, in one number.
#pragma once

#include "millrace/base/array.hpp"
#include "millrace/base/queue.hpp"

namespace millrace::multigrid {

/// The root mean square of d times that of 1 / d: 1 where all are equal, and about c / 2 where half of them are 1 and
/// half are c. Infinite or NaN beyond the range of W.
template <class W>
double spread_of(Queue& queue, const Array<W>& d, const Array<W>& inverse);

}  // namespace millrace::multigrid
