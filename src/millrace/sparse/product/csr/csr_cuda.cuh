// Products of CSR matrices on a GPU (csr_cuda.cu).
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::cuda {

/// Long rows of like length fill warps by themselves (3D elasticity: 1.9 times as fast as by tiles on an H200; small
/// social networks, whose longest row is 8 times the mean, are 1.4 times as slow as by marked rows).
template <class A, class RowOffset>
bool rows_are_better(const CsrView<A, RowOffset>& a) {
  const double mean = static_cast<double>(a.num_entries) / a.num_rows;
  return mean > 48 && a.longest_row < 4 * mean;
}

/// One vector, real numbers, hot columns (csr_hot_cuda.cu).
template <class A>
void multiply_hot_columns(Queue& queue, const HotColumns& hot, const A* vals, Offset num_entries, A alpha, const A* x,
                          A beta, A* y);

/// One vector, real numbers, marked rows (csr_marked_cuda.cu).
template <class A>
void multiply_marked_rows(Queue& queue, const RowMarks& rows, const Index* cols, const A* vals, Offset num_entries,
                          A alpha, const A* x, A beta, A* y);

template <class A, class RowOffset>
void multiply(Queue& queue, const CsrView<A, RowOffset>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace millrace::cuda
