// Products of CSR matrices on a GPU (csr_cuda.cu).
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::cuda {

/// Long rows of like length fill warps by themselves (3D elasticity: 1.9 times as fast as by tiles on an H200).
template <class A, class RowOffset>
bool rows_are_better(const CsrView<A, RowOffset>& a) {
  const double mean = static_cast<double>(a.num_entries) / a.num_rows;
  return mean > 48 && a.longest_row < 16 * mean;
}

/// One vector, real numbers, hot columns (csr_hot_cuda.cu).
template <class A, class RowOffset>
void multiply_hot_columns(Queue& queue, const CsrView<A, RowOffset>& a, A alpha, const A* x, A beta, A* y);

template <class A, class RowOffset>
void multiply(Queue& queue, const CsrView<A, RowOffset>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace millrace::cuda
