// Dense blocks of 2 to 8 rows on a GPU: a few lanes or a warp take a block row, whole columns of it at a time.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/sparse/format/bsr.hpp"

namespace millrace::cuda {

/// Rows of a column that one load takes: as many as 16 bytes hold, if they divide the block.
template <class A>
MILLRACE_HD constexpr int rows_of_load(int block) {
  int rows = is_complex<A> ? 1 : static_cast<int>(16 / sizeof(A));
  while (block % rows != 0) rows /= 2;
  return rows;
}

/// Lanes of a warp for a block row.
MILLRACE_HD constexpr int lanes_of_blocks(int block) { return block <= 3 ? 8 : block == 4 ? 16 : 32; }

/// Loads of a lane in flight (H200: 25 and 62 blocks of 5 a row are 2 and 3 % faster with 6 than with 3, and up to 30 %
/// slower with the next 3 asked for while x comes).
MILLRACE_HD constexpr int loads_of_lane(int block, int num_vectors) { return num_vectors > 1 ? 2 : block < 5 ? 3 : 6; }

/// Adds up what the lanes (c, i), i < R, have for c = 0 .. C - 1; lanes (0, i) get it.
template <int R, int C, int W, class A>
__device__ A sum_of_columns(unsigned mask, A mine) {
  A sum = mine;
  if constexpr (C * R == W) {
#pragma unroll
    for (int d = W / 2; d >= R; d /= 2) sum += __shfl_down_sync(mask, sum, d, W);
  } else {
#pragma unroll
    for (int d = 1; d < C; ++d) sum += __shfl_down_sync(mask, mine, d * R, W);
  }
  return sum;
}

/// Writes row `lane` of a block row, whose sums lanes 0 .. R - 1 have, V rows each: neighbours write neighbours.
template <int V, int W, class A>
__device__ void write_block_row(unsigned mask, const A (&sums)[V], int lane, bool writes, A alpha, const A* x, A beta,
                                A* y, Index out, bool plus_x) {
  A sum{};
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const A of_lane = __shfl_sync(mask, sums[v], lane / V, W);
    if (lane % V == v) sum = of_lane;
  }
  if (!writes) return;
  if (plus_x) sum += x[out];
  __stcs(y + out, is_zero(beta) ? alpha * sum : multiply_add(alpha, sum, beta * y[out]));
}

// Mapping  W lanes take a block row; lane (c, i) the V rows from i on in columns c, c + C, ..., for K vectors at once.
//          The lanes hold the block columns and pass them round.
// Traffic  blocks and their columns once, block row extents once, x by whole blocks, y once.
// Result   repeatable: every lane sums its columns ascending, then a fixed order over the lanes.
template <int M, int K, class View, class A>
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

/// Loads of a lane in flight, and block rows of a warp, for blocks of 5 to 8 rows of multiply_equal_blocks: enough for
/// the 5 or 7 blocks of a face, and 7 of a cell; benchmarks/records/h200-blocks.json is with these.
struct EqualBlocks {
  int batch, rows;
};
template <class A>
MILLRACE_HD constexpr EqualBlocks equal_blocks(int block) {
  const int columns = 32 / (block / rows_of_load<A>(block)), batch = (7 * block + columns - 1) / columns;
  return {block == 8 ? (5 * block + columns - 1) / columns : batch, block == 8 ? 1 : 2};
}
/// Threads of a thread block: many where there are many block rows of 8, since a new thread block costs time (0.3 % of
/// 4 GB on an H200), few where those shall be on all multiprocessors.
constexpr int max_equal_threads(int block) { return block == 8 ? 512 : 128; }
constexpr int equal_threads(int block, Index num_block_rows) {
  return num_block_rows < 200000 ? 128 : max_equal_threads(block);
}
/// The most columns of a block row.
template <class A>
MILLRACE_HD constexpr int max_equal_columns(int block) {
  return 32 / (block / rows_of_load<A>(block)) * equal_blocks<A>(block).batch;
}

// Mapping  a warp takes F neighbouring block rows of equal length, which are in flight all at once; lane (c, i) the V
//          rows from i on in columns c, c + C, ... of each. The lanes hold the block columns and pass them round.
// Traffic  blocks and their columns once, x by whole blocks, y once.
// Result   repeatable: every lane sums its columns ascending, then a fixed order over the lanes.
template <int M, class View, class A>
__global__ void __launch_bounds__(max_equal_threads(M), M == 8 ? 3 : 5)
    multiply_equal_blocks(View a, A alpha, const A* __restrict__ x, A beta, A* __restrict__ y, bool plus_x) {
  constexpr int V = rows_of_load<A>(M), U = equal_blocks<A>(M).batch, F = equal_blocks<A>(M).rows, R = M / V,
                C = 32 / R;
  const int lane = threadIdx.x % 32, i = lane % R * V, c = lane / R, columns = a.width * M;
  const Index num_block_rows = a.num_block_rows();
  const auto first = static_cast<Index>((blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x) / 32) * F;
  if (first >= num_block_rows) return;
  A r_vals[F][U][V]{};
  Index mine[F];
#pragma unroll
  for (int f = 0; f < F; ++f) {
    const Index row = min(first + f, num_block_rows - 1);
    const A* vals = a.vals + static_cast<Offset>(row) * columns * M + i;
    mine[f] = lane < a.width ? a.neighbours[static_cast<Offset>(row) * a.width + lane] : -1;
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

}  // namespace millrace::cuda
