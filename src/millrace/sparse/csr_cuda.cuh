// Products of CSR matrices on a GPU (csr_cuda.cu).
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::cuda {

template <class A, class RowOffset>
void multiply(Queue& queue, const CsrView<A, RowOffset>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace millrace::cuda
