// The product of blocks scaled by their diagonal on a GPU: the kernels of all dense blocks, which add x to the sums.
#include "millrace/base/cuda.cuh"
#include "millrace/sparse/product/blocks/blocks_cuda.cuh"

namespace millrace::cuda {

/// y = alpha (x + N x) + beta y
template <class A>
void multiply_scaled(Queue& queue, const DbfView<A>& n, A alpha, const Vectors<const A>& x, A beta,
                     const Vectors<A>& y) {
  const DeviceGuard guard(queue.device());
  multiply(queue, n, alpha, x, beta, y, true);
}

#define MILLRACE_INSTANTIATE(A) \
  template void multiply_scaled(Queue&, const DbfView<A>&, A, const Vectors<const A>&, A, const Vectors<A>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::cuda
