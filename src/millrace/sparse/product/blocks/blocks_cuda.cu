// Products of dense blocks on a GPU, BSR and DBF alike: the kernel for the size of the blocks. Sizes 2 to 8 and those
// of HDG on triangles and tetrahedra are compiled; others take the kernel of run-time size.
#include "millrace/sparse/product/blocks/blocks_cuda.cuh"

#include "millrace/sparse/product/blocks/large_cuda.cuh"
#include "millrace/sparse/product/blocks/split_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {
namespace {

/// Calls f<M>() for a size that is compiled among Sizes; false if there is none, else what f says.
template <int... Sizes, class F>
bool with_size(int size, F&& f) {
  return ((size == Sizes && f.template operator()<Sizes>()) || ...);
}

/// Thread blocks that are resident together share all columns out evenly. False: not for such a matrix.
template <int V, int U, class View, class A>
bool launch_split(Queue& queue, const View& a, const WideBlocks& shape, std::size_t shared, A alpha, const A* x, A beta,
                  A* y, bool plus_x) {
  if (a.block <= max_whole_rows || a.num_sections > 1) return false;
  constexpr bool pairs = V == 1;
  constexpr int batch = pairs ? 8 : U;
  if (pairs && a.block > max_pair_rows) return false;
  const auto kernel = multiply_split_blocks<pairs, V, batch, View, A>;
  const std::size_t bytes = std::max(shared, (std::max<std::size_t>(a.width, 2) * a.block + 3) * sizeof(A));
  const std::int64_t total = a.num_block_rows() * split_width(a);
  const int threads = pairs ? (a.block + 31) / 32 * 32 : shape.threads;
  const int resident = num_resident(queue.device(), kernel, threads, bytes);
  const std::int64_t share = (total + resident - 1) / resident / 2 * 2 + 2;
  const auto blocks = static_cast<unsigned>((total + share - 1) / share);
  const auto partial = queue.scratch<A>(std::int64_t{blocks} * a.block);
  const auto ready = queue.zeros(blocks);
  kernel<<<blocks, static_cast<unsigned>(threads), bytes, queue.stream()>>>(a, shape, share, alpha, x, beta, y, plus_x,
                                                                            partial.data(), ready.data());
  check_launch("multiply_split_blocks", queue.stream());
  return true;
}

/// y = alpha (A + plus_x I) x + beta y for K vectors from `v` on.
template <int K, class View, class A>
void launch_blocks(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
                   bool plus_x, int v) {
  const cudaStream_t stream = queue.stream();
  const A* from = x.data + v * x.stride;
  A* to = y.data + v * y.stride;
  const Index num_block_rows = a.num_block_rows();
  if constexpr (K == 1 && View::equal_block_rows) {
    const bool equal =
        a.num_sections == 1 && with_size<5, 6, 7, 8>(a.block, [&]<int M>() {
          if (a.width > 32 || a.width * M > max_equal_columns<A>(M)) return false;
          const int threads = equal_threads(M, num_block_rows), rows = threads / 32 * equal_blocks<A>(M).rows;
          multiply_equal_blocks<M>
              <<<num_blocks(num_block_rows, rows), threads, 0, stream>>>(a, alpha, from, beta, to, plus_x);
          check_launch("multiply_equal_blocks", stream);
          return true;
        });
    if (equal) return;
  }
  const bool small = with_size<2, 3, 4, 5, 6, 7, 8>(a.block, [&]<int M>() {
    multiply_small_blocks<M, K><<<num_blocks(num_block_rows, 128 / lanes_of_blocks(M)), 128, 0, stream>>>(
        a, alpha, from, x.stride, beta, to, y.stride, plus_x);
    check_launch("multiply_small_blocks", stream);
    return true;
  });
  if (small) return;
  Index max_columns = a.num_cols;  // of a block row, as far as that is known here
  if constexpr (View::equal_block_rows) max_columns = a.width * a.block;
  const bool warp = with_size<12, 15, 16, 28, 32>(a.block, [&]<int M>() {
    const auto launch = [&]<bool Whole>() {
      multiply_warp_blocks<M, K, Whole>
          <<<num_blocks(num_block_rows, 8), 256, 0, stream>>>(a, alpha, from, x.stride, beta, to, y.stride, plus_x);
      check_launch("multiply_warp_blocks", stream);
    };
    if (K == 1 && View::equal_block_rows && max_columns <= warp_stage<K>)
      launch.template operator()<K == 1 && View::equal_block_rows>();
    else
      launch.template operator()<false>();
    return true;
  });
  if (warp) return;
  const auto wide = [&]<int M, int V>() {
    constexpr int U = K > 1 ? 4 : wide_batch(M, V);
    const int stage = std::min(View::equal_block_rows ? wide_stage<K> : wide_stage<K> / 4, max_columns);
    const WideBlocks shape = wide_blocks(a.block, V);
    const std::size_t shared = std::max(stage, shape.columns * a.block) * K * sizeof(A);
    if constexpr (M == 0 && K == 1 && View::equal_block_rows)
      if (max_columns <= stage && launch_split<V, U>(queue, a, shape, shared, alpha, from, beta, to, plus_x))
        return true;
    const auto launch = [&]<bool Whole>() {
      multiply_wide_blocks<M, V, U, K, Whole>
          <<<static_cast<unsigned>(num_block_rows), static_cast<unsigned>(shape.threads), shared, stream>>>(
              a, shape, stage, alpha, from, x.stride, beta, to, y.stride, plus_x);
      check_launch("multiply_wide_blocks", stream);
    };
    if (K == 1 && View::equal_block_rows && max_columns <= stage)
      launch.template operator()<K == 1 && View::equal_block_rows>();
    else
      launch.template operator()<false>();
    return true;
  };
  const bool known =
      with_size<20, 24, 30>(a.block, [&]<int M>() { return wide.template operator()<M, rows_of_load<A>(M)>(); });
  if (known) return;
  const auto any_size = [&]<int V>() { return wide.template operator()<0, V>(); };
  if constexpr (sizeof(A) == 4)
    with_size<1, 2, 4>(rows_of_load<A>(a.block), any_size);
  else
    with_size<1, 2>(rows_of_load<A>(a.block), any_size);
}

// Mapping  one thread an entry, grid y: the vectors.
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
template <class View, class A>
void multiply_rows_of_blocks(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, A beta,
                             const Vectors<A>& y, bool plus_x) {
  multiply_rows_of(queue, a, alpha, x, beta, y);
  if (!plus_x) return;
  constexpr int most = 65535;  // vectors of a launch
  for (int v = 0; v < x.num; v += most) {
    const dim3 blocks(num_blocks(a.num_rows, 256), static_cast<unsigned>(std::min(most, x.num - v)));
    add_scaled_x<<<blocks, 256, 0, queue.stream()>>>(a.num_rows, alpha, x.data + v * x.stride, x.stride,
                                                     y.data + v * y.stride, y.stride);
    check_launch("add_scaled_x", queue.stream());
  }
}

template <class View, class A>
void multiply_blocks(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
                     bool plus_x) {
  if (a.num_rows == 0) return;
  if constexpr (is_complex<A>) {
    multiply_rows_of_blocks(queue, a, alpha, x, beta, y, plus_x);
  } else if (a.block == 1 || !a.contiguous()) {
    multiply_rows_of_blocks(queue, a, alpha, x, beta, y, plus_x);
  } else {
    int done = 0;
    if constexpr (std::is_same_v<A, double>)
      if (a.block >= 8 && x.num >= 8) done = multiply_with_tensor_cores(queue, a, alpha, x, beta, y, plus_x);
    in_fours(
        x.num, [&]<int K>(int v) { launch_blocks<K>(queue, a, alpha, x, beta, y, plus_x, v); }, done);
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
