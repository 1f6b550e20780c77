// Sums over the nodes that elements share, on a GPU, in a fixed order: fused kernels write what each element
// contributes to a place of its own, and these add it up.
#pragma once

#include "millrace/base/dot_cuda.cuh"
#include "millrace/fem/element/data.hpp"

namespace millrace::cuda {

/// y = beta y, before atomic sums.
template <class T>
void scale(Queue& queue, std::int64_t n, T beta, T* y);
/// y = (sum of the contributions to each shared node) + beta y there, and alpha x + beta y at constrained nodes;
/// contributions null: alpha x + y at the constrained ones alone, for `scale` was there before. block_sums, if not
/// null, gets what constrained nodes add to <x, y>: [num_sum_blocks].
template <class T>
void sum_contributions(Queue& queue, const ElementData<T>& data, const T* contributions, T alpha, const T* x, T beta,
                       T* y, T* block_sums = nullptr);
template <class T>
unsigned num_sum_blocks(const ElementData<T>& data) {
  const std::int64_t shared = data.accumulation == Accumulation::atomic ? 0 : data.shared.num_nodes();
  return num_blocks(shared + data.constrained.size(), dot_threads);
}

}  // namespace millrace::cuda
