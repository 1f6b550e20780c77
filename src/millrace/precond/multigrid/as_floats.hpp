// A matrix with its values as floats: what levels in less than full precision are made of.
#pragma once

#include <functional>

#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// Calls f with the matrix in float, whose pattern is that of `a` and whose values are gone afterwards. Refuses numbers
/// that no float can be. Memory: scratch of the queue.
void with_floats(Queue& queue, const Csr<double>& a, const std::function<void(const Csr<float>&)>& f);

}  // namespace millrace::multigrid
