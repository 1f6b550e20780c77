// Products of the padded formats on a GPU (padded_cuda.cu).
#pragma once

#include "millrace/sparse/format/padded.hpp"
#include "millrace/sparse/product/row_dot_cuda.cuh"

namespace millrace::cuda {

template <class A, class S, class I>
void multiply(Queue& queue, const SlicedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y, const DotRequest<A>& dot = {});
template <class A, class S, class I>
void multiply(Queue& queue, const JaggedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y, const DotRequest<A>& dot = {});

}  // namespace millrace::cuda
