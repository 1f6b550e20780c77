// Dense blocks of 5 to 8 rows on a GPU where all block rows are equally wide: all loads of a warp are in flight at
// once.
#pragma once

#include "millrace/sparse/product/blocks/block_sums_cuda.cuh"

namespace millrace::cuda {

// Mapping  a warp takes F neighbouring block rows of equal length, which are in flight all at once; lane (c, i) the V
//          rows from i on in columns c, c + C, ... of each. The lanes hold the block columns and pass them round.
// Traffic  blocks and their columns once, x by whole blocks, y once.
// Result   repeatable: every lane sums its columns ascending, then a fixed order over the lanes.
template <int M, class A>
__global__ void __launch_bounds__(max_equal_threads(M), M == 8 ? 3 : 5)
    multiply_equal_blocks(UniformBlocks<A> a, Index num_block_rows, A alpha, const A* __restrict__ x, A beta,
                          A* __restrict__ y, bool plus_x) {
  constexpr EqualBlocks shape = equal_blocks(M, sizeof(A));
  constexpr int V = rows_of_load<A>(M), U = shape.batch, F = shape.rows, R = M / V, C = 32 / R;
  const int lane = threadIdx.x % 32, i = lane % R * V, c = lane / R, columns = a.width * M;
  const auto first = static_cast<Index>((blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x) / 32) * F;
  if (first >= num_block_rows) return;
  A r_vals[F][U][V]{};
  Index mine[F];
#pragma unroll
  for (int f = 0; f < F; ++f) {
    const Index row = min(first + f, num_block_rows - 1);
    const A* vals = a.vals + static_cast<Offset>(row) * columns * M + i;
    mine[f] = lane < a.width ? a.cols[static_cast<Offset>(row) * a.width + lane] : -1;
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (c < C && u * C + c < columns) load_once<V>(vals + (u * C + c) * M, r_vals[f][u]);
  }
#pragma unroll
  for (int f = 0; f < F; ++f) {
    A r_x[U]{}, r_sum[V]{};
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const int q = u * C + c, block = q / M;
      const Index column = __shfl_sync(0xffffffffu, mine[f], block);
      if (c < C && q < columns && column >= 0) r_x[u] = x[column * M + q - block * M];
    }
#pragma unroll
    for (int u = 0; u < U; ++u)
#pragma unroll
      for (int v = 0; v < V; ++v) r_sum[v] = multiply_add(r_vals[f][u][v], r_x[u], r_sum[v]);
#pragma unroll
    for (int v = 0; v < V; ++v) r_sum[v] = sum_of_columns<R, C, 32>(0xffffffffu, r_sum[v]);
    write_block_row<V, 32>(0xffffffffu, r_sum, lane, lane < M && first + f < num_block_rows, alpha, x, beta, y,
                           (first + f) * M + lane, plus_x);
  }
}

template <BlockFormat View, class A>
void launch_equal(Queue& queue, const View& a, const BlockRequest<A>& r) {
  const Index num_block_rows = a.num_block_rows();
  dispatch_size(EqualSizes{}, a.block, [&]<int M>() {
    const int threads = equal_threads(M, num_block_rows), rows = threads / 32 * equal_blocks(M, sizeof(A)).rows;
    multiply_equal_blocks<M><<<num_blocks(num_block_rows, rows), threads, 0, queue.stream()>>>(
        a.uniform_blocks(), num_block_rows, r.alpha, r.x, r.beta, r.y, r.plus_x);
    check_launch("multiply_equal_blocks", queue.stream());
  });
}

}  // namespace millrace::cuda
