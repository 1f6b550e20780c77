// Products of dense blocks on a GPU, BSR and DBF alike: the kernel for the size of the blocks. Sizes 2 to 8 and those
// of HDG on triangles and tetrahedra are compiled; others take the kernel of run-time size.
#include "millrace/sparse/product/blocks/blocks_cuda.cuh"

#include "millrace/sparse/product/blocks/equal_cuda.cuh"
#include "millrace/sparse/product/blocks/small_cuda.cuh"
#include "millrace/sparse/product/blocks/split_cuda.cuh"
#include "millrace/sparse/product/blocks/warp_cuda.cuh"
#include "millrace/sparse/product/blocks/wide_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {
namespace {

/// One pass over the blocks for K vectors.
template <int K, BlockFormat View, class A>
void launch_blocks(Queue& queue, const View& a, const BlockFacts& facts, const BlockRequest<A>& r) {
  switch (choose_block_kernel(facts, K)) {
    case BlockKernel::equal:
      if constexpr (K == 1 && View::may_be_uniform) launch_equal(queue, a, r);
      break;
    case BlockKernel::small:
      launch_small<K>(queue, a, r);
      break;
    case BlockKernel::warp:
      launch_warp<K>(queue, a, r);
      break;
    case BlockKernel::split:
      if constexpr (K == 1 && View::may_be_uniform) launch_split(queue, a, facts, r);
      break;
    case BlockKernel::wide:
      launch_wide<K>(queue, a, facts, r);
      break;
    case BlockKernel::rows:    // takes all vectors by itself, and
    case BlockKernel::tensor:  // as many as go in groups of 16 and 8: both are done before
      break;
  }
}

// Mapping  one thread per entry, grid y: the vectors.
// Traffic  x once, y twice.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256)
    add_scaled_x(Index size, A alpha, const A* __restrict__ x, std::int64_t ldx, A* __restrict__ y, std::int64_t ldy) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  A& out = y[blockIdx.y * ldy + i];
  out = multiply_add(alpha, x[blockIdx.y * ldx + i], out);
}

/// One row at a time, through the schedule of all row formats, which knows nothing of plus_x: that is a second pass.
template <BlockFormat View, class A>
void multiply_rows_of_blocks(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, A beta,
                             const Vectors<A>& y, bool plus_x) {
  multiply_rows_of(queue, a, alpha, x, beta, y);
  if (!plus_x) return;
  constexpr int max_vectors = 65535;  // of a launch
  for (int v = 0; v < x.num; v += max_vectors) {
    const dim3 blocks(num_blocks(a.num_rows, 256), static_cast<unsigned>(std::min(max_vectors, x.num - v)));
    add_scaled_x<<<blocks, 256, 0, queue.stream()>>>(a.num_rows, alpha, x.data + v * x.stride, x.stride,
                                                     y.data + v * y.stride, y.stride);
    check_launch("add_scaled_x", queue.stream());
  }
}

template <BlockFormat View, class A>
void multiply_blocks(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
                     bool plus_x) {
  if (a.num_rows == 0) return;
  const BlockFacts facts = block_facts(a);
  if (choose_block_kernel(facts, x.num) == BlockKernel::rows)
    return multiply_rows_of_blocks(queue, a, alpha, x, beta, y, plus_x);
  if constexpr (!is_complex<A>) {
    int done = 0;
    if constexpr (std::is_same_v<A, double>)
      if (choose_block_kernel(facts, x.num) == BlockKernel::tensor)
        done = multiply_with_tensor_cores(queue, a, alpha, x, beta, y, plus_x);
    const auto launch = [&]<int K>(int v) {
      launch_blocks<K>(
          queue, a, facts,
          BlockRequest<A>{alpha, x.data + v * x.stride, x.stride, beta, y.data + v * y.stride, y.stride, plus_x});
    };
    for_vector_groups(x.num, launch, done);
  }
}

}  // namespace

template <class A>
void multiply(Queue& queue, const BsrView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  multiply_blocks(queue, a, alpha, x, beta, y, false);
}
template <class A>
void multiply(Queue& queue, const DbfView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
              bool plus_x) {
  multiply_blocks(queue, a, alpha, x, beta, y, plus_x);
}

#define MILLRACE_INSTANTIATE(A)                                                                        \
  template void multiply(Queue&, const BsrView<A>&, A, const Vectors<const A>&, A, const Vectors<A>&); \
  template void multiply(Queue&, const DbfView<A>&, A, const Vectors<const A>&, A, const Vectors<A>&, bool)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::cuda
