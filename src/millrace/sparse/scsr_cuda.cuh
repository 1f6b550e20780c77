// Products of sorted tiles on a GPU (scsr_cuda.cu).
#pragma once

#include "millrace/sparse/scsr.hpp"

namespace millrace::cuda {

template <class A, class RowOffset, class I>
void multiply(Queue& queue, const ScsrView<A, RowOffset, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace millrace::cuda
