// Products of the padded formats on a GPU (padded_cuda.cu).
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/sparse/padded.hpp"

namespace millrace::cuda {

template <class A, class S, class I>
void multiply(Queue& queue, const SlicedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);
template <class A, class S, class I>
void multiply(Queue& queue, const JaggedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y);

}  // namespace millrace::cuda
