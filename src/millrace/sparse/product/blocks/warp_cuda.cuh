// Dense blocks of 12 to 32 rows on a GPU: a warp streams a block row, whose part of x waits in shared memory.
#pragma once

#include "millrace/sparse/product/blocks/block_sums_cuda.cuh"

namespace millrace::cuda {

// Mapping  a warp takes a block row; lane (c, i) the V rows from i on in columns c, c + C, ..., for K vectors at once.
// Traffic  blocks and their columns once, x by whole blocks, y once.
// Shared   the entries of x that up to warp_stage<K> columns meet, for every warp; `Whole`: all columns of a block row.
// Result   repeatable: every lane sums its columns ascending, then a fixed order over the lanes.
template <int M, int K, bool Whole, BlockFormat View, class A>
__global__ void __launch_bounds__(256, !Whole              ? 1
                                       : warp_batch(M) < 7 ? 5
                                                           : 4)
    multiply_warp_blocks(View a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta, A* __restrict__ y,
                         std::int64_t ldy, bool plus_x) {
  constexpr int V = rows_of_load<A>(M), U = K == 1 ? warp_batch(M) : 4, R = M / V, C = 32 / R, Q = warp_stage<K>;
  __shared__ A s_x[8][K][Q];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = lane % R * V;
  const int c = lane < R * C ? lane / R : Q;  // a lane without a column finds none
  const auto f = static_cast<Index>(blockIdx.x * std::int64_t{8} + warp);
  if (f >= a.num_block_rows()) return;
  const BlockRow<A> row = a.stored_block_row(f);
  const Index num_columns = row.num_blocks * M;
  const A* vals = row.vals + i;
  A r_sum[K][V]{};
  for (Index q = 0; q < num_columns; q += Q, vals += Q * M) {
    const int columns = Whole ? num_columns : min(Index{Q}, num_columns - q);
    A r_vals[U][V];
    const auto load = [&](int first) {
#pragma unroll
      for (int u = 0; u < U; ++u) {
#pragma unroll
        for (int v = 0; v < V; ++v) r_vals[u][v] = A{};
        if (first + u * C + c < columns) load_once<V>(vals + (first + u * C + c) * M, r_vals[u]);
      }
    };
    load(0);
#pragma unroll 1
    for (int p = lane; p < columns; p += 32) {
      const Index block = (q + p) / M, column = row.cols[block], at = column * M + (q + p - block * M);
#pragma unroll
      for (int j = 0; j < K; ++j) s_x[warp][j][p] = column >= 0 && at < a.num_cols ? x[j * ldx + at] : A{};
    }
    __syncwarp();
#pragma unroll 1
    for (int first = 0; first < columns; first += C * U) {
#pragma unroll
      for (int u = 0; u < U; ++u)
#pragma unroll
        for (int j = 0; j < K; ++j) {
          const A entry = first + u * C + c < columns ? s_x[warp][j][first + u * C + c] : A{};
#pragma unroll
          for (int v = 0; v < V; ++v) r_sum[j][v] = multiply_add(r_vals[u][v], entry, r_sum[j][v]);
        }
      if (first + C * U < columns) load(first + C * U);
    }
    __syncwarp();
    if constexpr (Whole) break;
  }
  const Index out = row.first_row + lane;
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int v = 0; v < V; ++v) r_sum[j][v] = sum_of_columns<R, C, 32>(0xffffffffu, r_sum[j][v]);
    write_block_row<V, 32>(0xffffffffu, r_sum[j], lane, lane < M && out < a.num_rows, alpha, x + j * ldx, beta,
                           y + j * ldy, out, plus_x);
  }
}

template <int K, BlockFormat View, class A>
void launch_warp(Queue& queue, const View& a, const BlockRequest<A>& r) {
  dispatch_size(WarpSizes{}, a.block, [&]<int M>() {
    const auto launch = [&]<bool Whole>() {
      multiply_warp_blocks<M, K, Whole><<<num_blocks(a.num_block_rows(), 8), 256, 0, queue.stream()>>>(
          a, r.alpha, r.x, r.ldx, r.beta, r.y, r.ldy, r.plus_x);
      check_launch("multiply_warp_blocks", queue.stream());
    };
    constexpr bool may_be_whole = K == 1 && View::may_be_uniform;
    if (may_be_whole && a.max_columns() <= warp_stage<K>)
      launch.template operator()<may_be_whole>();
    else
      launch.template operator()<false>();
  });
}

}  // namespace millrace::cuda
