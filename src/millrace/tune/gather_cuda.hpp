// The GPU's part of the gather ceiling: enqueues its kernel and returns at once.
#pragma once

#include "millrace/base/queue.hpp"
#include "millrace/sparse/row_format.hpp"

namespace millrace::cuda {

/// A: float, double, Complex<float> or Complex<double>. vals and cols: [num_entries], at least one.
template <class A>
void gather(Queue& queue, const A* vals, const Index* cols, std::int64_t num_entries, const A* x, A* sums);

}  // namespace millrace::cuda
