// Dense blocks of 2 to 8 rows on a GPU: a few lanes or a warp take a block row, whole columns of it at a time.
#pragma once

#include "millrace/sparse/product/blocks/block_sums_cuda.cuh"

namespace millrace::cuda {

// Mapping  W lanes take a block row; lane (c, i) the V rows from i on in columns c, c + C, ..., for K vectors at once.
//          The lanes hold the block columns and pass them round.
// Traffic  blocks and their columns once, block row extents once, x by whole blocks, y once.
// Result   repeatable: every lane sums its columns ascending, then a fixed order over the lanes.
template <int M, int K, BlockFormat View, class A>
__global__ void __launch_bounds__(128, K == 1 ? 1 : 8)
    multiply_small_blocks(View a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta, A* __restrict__ y,
                          std::int64_t ldy, bool plus_x) {
  constexpr int V = rows_of_load<A>(M), W = lanes_of_blocks(M), U = loads_of_lane(M, K), R = M / V, C = W / R;
  const int lane = threadIdx.x % W, i = lane % R * V;
  const int c = lane < R * C ? lane / R : W * M;  // a lane without a column finds none
  const unsigned mask = W == 32 ? 0xffffffffu : ((1u << W % 32) - 1) << threadIdx.x % 32 / W * W;
  const Index num_block_rows = a.num_block_rows();
  const auto f = static_cast<Index>((blockIdx.x * std::int64_t{128} + threadIdx.x) / W);
  const BlockRow<A> row = a.stored_block_row(min(f, num_block_rows - 1));
  const A* vals = row.vals + i;
  A r_sum[K][V]{};
  for (Index k = 0; k < row.num_blocks; k += W, vals += W * M * M) {  // W blocks, whose columns the lanes hold
    const int columns = min(Index{W}, row.num_blocks - k) * M;
    const Index mine = k + lane < row.num_blocks ? row.cols[k + lane] : -1;
    for (int first = 0; first < columns; first += C * U) {
      A r_vals[U][V]{}, r_x[U][K]{};
#pragma unroll
      for (int u = 0; u < U; ++u)
        if (first + u * C + c < columns) load_once<V>(vals + (first + u * C + c) * M, r_vals[u]);
#pragma unroll
      for (int u = 0; u < U; ++u) {
        const int q = first + u * C + c, block = q / M;
        const Index column = __shfl_sync(mask, mine, block, W), at = column * M + q - block * M;
        if (q < columns && column >= 0 && at < a.num_cols)
#pragma unroll
          for (int j = 0; j < K; ++j) r_x[u][j] = x[j * ldx + at];
      }
#pragma unroll
      for (int u = 0; u < U; ++u)
#pragma unroll
        for (int j = 0; j < K; ++j)
#pragma unroll
          for (int v = 0; v < V; ++v) r_sum[j][v] = multiply_add(r_vals[u][v], r_x[u][j], r_sum[j][v]);
    }
  }
  const Index out = row.first_row + lane;
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int v = 0; v < V; ++v) r_sum[j][v] = sum_of_columns<R, C, W>(mask, r_sum[j][v]);
    write_block_row<V, W>(mask, r_sum[j], lane, lane < M && f < num_block_rows && out < a.num_rows, alpha, x + j * ldx,
                          beta, y + j * ldy, out, plus_x);
  }
}

template <int K, BlockFormat View, class A>
void launch_small(Queue& queue, const View& a, const BlockRequest<A>& r) {
  dispatch_size(SmallSizes{}, a.block, [&]<int M>() {
    multiply_small_blocks<M, K><<<num_blocks(a.num_block_rows(), 128 / lanes_of_blocks(M)), 128, 0, queue.stream()>>>(
        a, r.alpha, r.x, r.ldx, r.beta, r.y, r.ldy, r.plus_x);
    check_launch("multiply_small_blocks", queue.stream());
  });
}

}  // namespace millrace::cuda
