// The product on a GPU for one scalar; instantiated in a file of its own for each kind of scalar.
#pragma once

#include "millrace/sparse/product/blocks/blocks_cuda.cuh"
#include "millrace/sparse/product/coo_cuda.cuh"
#include "millrace/sparse/product/csr/csr_cuda.cuh"
#include "millrace/sparse/product/dia_cuda.cuh"
#include "millrace/sparse/product/multiply.hpp"
#include "millrace/sparse/product/padded_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace::cuda {

// Mapping  a grid that is resident at once strides over the entries; block row v is vector v. First it asks for all
//          of x, line by line: random accesses then find it in the cache.
// Traffic  the order and x once (x by gathers), the result once.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256)
    gather_vectors(std::int64_t size, const Index* order, const A* __restrict__ x, std::int64_t ldx, A* ordered) {
  constexpr std::int64_t line = 128 / sizeof(A);
  const std::int64_t thread = blockIdx.x * std::int64_t{256} + threadIdx.x, num_threads = gridDim.x * std::int64_t{256};
  x += blockIdx.y * ldx;
  for (std::int64_t i = thread * line; i < size; i += num_threads * line)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
#pragma unroll 4
  for (std::int64_t i = thread; i < size; i += num_threads)
    ordered[blockIdx.y * size + i] = x[load_streamed(order + i)];
}

// Mapping  four entries per thread, a block apart; block row v is vector v.
// Traffic  the places once, the ordered vector once (by gathers), y once (twice when beta is not 0).
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) update_vectors(std::int64_t size, const Index* place, A alpha,
                                                      const A* __restrict__ ordered, A beta, A* y, std::int64_t ldy) {
  const std::int64_t first = blockIdx.x * std::int64_t{1024} + threadIdx.x;
  A r_sum[4]{};
#pragma unroll
  for (int u = 0; u < 4; ++u)
    if (first + u * 256 < size) r_sum[u] = ordered[blockIdx.y * size + load_streamed(place + first + u * 256)];
#pragma unroll
  for (int u = 0; u < 4; ++u)
    if (first + u * 256 < size) update(y[blockIdx.y * ldy + first + u * 256], alpha, r_sum[u], beta);
}

/// One stream of a GPU, as the back end of multiply_format.
struct Backend {
  static constexpr bool on_host = false;
  Queue& queue;
  const CsrPlan* csr_plan;

  template <class View, class A>
  void multiply(const View& view, const Product<A>& p) const {
    if constexpr (FusesDot<View, A>)
      cuda::multiply(queue, view, p.alpha, p.x, p.beta, p.y, DotRequest<A>{p.dot, p.dot_result});
    else
      cuda::multiply(queue, view, p.alpha, p.x, p.beta, p.y);
  }
  template <class A, class RowOffset>
  void multiply(const CsrView<A, RowOffset>& view, const Product<A>& p) const {
    cuda::multiply(queue, view, csr_plan, p.alpha, p.x, p.beta, p.y);
  }
  template <class Format, class A>
  void scatter(const Format& format, bool, const Product<A>&) const {
    throw Unsupported(join(format.name, ": a transposed product on a GPU needs its plan"));  // and has it
  }
  template <class A>
  void gather(const Index* order, const Vectors<const A>& x, const Vectors<A>& to) const {
    const unsigned resident = std::min(num_blocks(x.size, 256), 1024u);  // 8 for each of an H200's multiprocessors
    gather_vectors<<<dim3(resident, static_cast<unsigned>(x.num)), 256, 0, queue.stream()>>>(x.size, order, x.data,
                                                                                             x.stride, to.data);
    check_launch("gather_vectors", queue.stream());
  }
  template <class A>
  void update(const Index* place, const Vectors<A>& from, const Product<A>& p) const {
    update_vectors<<<dim3(num_blocks(p.y.size, 1024), static_cast<unsigned>(p.y.num)), 256, 0, queue.stream()>>>(
        p.y.size, place, p.alpha, from.data, p.beta, p.y.data, p.y.stride);
    check_launch("update_vectors", queue.stream());
  }
};

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const Plans& plans, const ApplyRequest<T>& request) {
  const DeviceGuard guard(queue.device());
  Backend backend{queue, plans.csr};
  std::visit([&](const auto& format) { multiply_format(backend, format, plans.transpose, request); }, a);
}

}  // namespace millrace::cuda
