// Dense blocks of 9 rows and more on a GPU: a warp or a thread block streams a block row, whose part of x waits in
// shared memory.
#pragma once

#include "millrace/sparse/product/blocks/small_cuda.cuh"

namespace millrace::cuda {

/// Loads of a lane in flight in multiply_warp_blocks: enough bytes, and few idle lanes in the last of the columns of a
/// triangle's or a tetrahedron's face (5 or 7 blocks); benchmarks/records/papers-hdg-large-h200.json is with these.
MILLRACE_HD constexpr int warp_batch(int block) {
  switch (block) {
    case 15:
    case 32:
      return 8;
    case 28:
      return 7;
    case 12:
      return 6;
    default:
      return 5;
  }
}

/// Columns whose entries of x multiply_warp_blocks and multiply_wide_blocks hold for K vectors at a time.
template <int K>
inline constexpr int warp_stage = 256 / K;
template <int K>
inline constexpr int wide_stage = 4096 / K;

// Mapping  a warp takes a block row; lane (c, i) the V rows from i on in columns c, c + C, ..., for K vectors at once.
// Traffic  blocks and their columns once, x by whole blocks, y once.
// Shared   the entries of x that up to warp_stage<K> columns meet, for every warp; `Whole`: all columns of a block row.
// Result   repeatable: every lane sums its columns ascending, then a fixed order over the lanes.
template <int M, int K, bool Whole, class View, class A>
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

/// Threads that stream a block row: C columns of its rows at a time.
struct WideBlocks {
  int lanes;    // threads of a column
  int columns;  // C
  int threads;
  friend constexpr bool operator==(const WideBlocks&, const WideBlocks&) = default;
};
/// Threads that are wanted for so many rows (benchmarks/records/papers-hdg-large-h200.json, h200-blocks.json).
constexpr int wide_threads(int rows) {
  if (rows <= 20) return 64;
  if (rows == 30) return 256;
  return rows <= 64 ? 128 : 384;
}
constexpr WideBlocks wide_blocks(int block, int rows_of_load) {
  const int lanes = (block + rows_of_load - 1) / rows_of_load, threads = wide_threads(block);
  const int columns = lanes < threads ? threads / lanes : 1;
  return {lanes, columns, (lanes * columns + 31) / 32 * 32};
}
static_assert(wide_blocks(330, 2) == WideBlocks{165, 2, 352} && wide_blocks(275, 1) == WideBlocks{275, 1, 288});

/// Loads of a thread in flight, with the same benchmarks.
constexpr int wide_batch(int M, int rows_of_load) { return M > 0 ? 6 : rows_of_load == 1 ? 12 : 8; }

/// Columns [first, first + columns) of a block row, C of them at a time, for K vectors; thread (c, i), if it works,
/// adds its V rows from i on to r_sum. Their entries of x go through s_x [K, stage], which nobody reads any more if
/// `again`.
template <int V, int U, int K, class A>
__device__ __forceinline__ void add_columns(const BlockRow<A>& row, int m, Index first, int columns, int c, int i,
                                            int C, bool works, const A* __restrict__ x, std::int64_t ldx,
                                            Index num_cols, A* s_x, int stage, bool again, A (&r_sum)[K][V]) {
  const A* vals = row.vals + static_cast<Offset>(first) * m + i;
  A r_vals[U][V];
  const auto load = [&](int from) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
#pragma unroll
      for (int v = 0; v < V; ++v) r_vals[u][v] = A{};
      if (const int p = from + u * C; works && p < columns) load_once<V>(vals + static_cast<Offset>(p) * m, r_vals[u]);
    }
  };
  load(c);
  if (again) __syncthreads();
  for (int p = static_cast<int>(threadIdx.x); p < columns; p += static_cast<int>(blockDim.x)) {
    const Index block = (first + p) / m, column = row.cols[block], at = column * m + (first + p - block * m);
#pragma unroll
    for (int j = 0; j < K; ++j) s_x[j * stage + p] = column >= 0 && at < num_cols ? x[j * ldx + at] : A{};
  }
  __syncthreads();
#pragma unroll 1
  for (int from = c; from < columns; from += C * U) {
#pragma unroll
    for (int u = 0; u < U; ++u)
#pragma unroll
      for (int j = 0; j < K; ++j) {
        const A entry = from + u * C < columns ? s_x[j * stage + from + u * C] : A{};
#pragma unroll
        for (int v = 0; v < V; ++v) r_sum[j][v] = multiply_add(r_vals[u][v], entry, r_sum[j][v]);
      }
    if (from + C * U < columns) load(from + C * U);
  }
}

/// The sums of thread (c, i) into s_sums [K, C, m], for all; s_sums may be the memory of s_x.
template <int V, int K, class A>
__device__ __forceinline__ void share_sums(const A (&r_sum)[K][V], int m, int c, int i, int C, bool works, A* s_sums) {
  __syncthreads();
  if (works)
#pragma unroll
    for (int j = 0; j < K; ++j)
#pragma unroll
      for (int v = 0; v < V; ++v) s_sums[(j * C + c) * m + i + v] = r_sum[j][v];
  __syncthreads();
}

// Mapping  a thread block takes a block row; thread (c, i) the V rows from i on in columns c, c + C, ..., U columns in
//          flight, for K vectors at once. M: the size of the blocks, or 0 where it is known at run time only.
// Traffic  blocks and their columns once, x by whole blocks, y once.
// Shared   the entries of x that `stage` columns meet (`Whole`: all of a block row); then the sums of the C columns.
// Result   repeatable: every thread sums its columns ascending, then c = 0, 1, ... are added.
template <int M, int V, int U, int K, bool Whole, class View, class A>
__global__ void __launch_bounds__(M > 0 ? 256 : 512)
    multiply_wide_blocks(View a, WideBlocks shape, int stage, A alpha, const A* __restrict__ x, std::int64_t ldx,
                         A beta, A* __restrict__ y, std::int64_t ldy, bool plus_x) {
  extern __shared__ char s_bytes[];
  A* s_x = reinterpret_cast<A*>(s_bytes);  // [K, stage], then [K, C, m]
  const BlockRow<A> row = a.stored_block_row(static_cast<Index>(blockIdx.x));
  const int m = M > 0 ? M : a.block, lanes = M > 0 ? M / V : shape.lanes, C = shape.columns;
  const int c = static_cast<int>(threadIdx.x) / lanes, i = (static_cast<int>(threadIdx.x) - c * lanes) * V;
  const bool works = c < C;
  const Index num_columns = row.num_blocks * m;
  A r_sum[K][V]{};
  for (Index q = 0; q < num_columns; q += stage) {
    const int columns = Whole ? num_columns : min(stage, num_columns - q);
    add_columns<V, U>(row, m, q, columns, c, i, C, works, x, ldx, a.num_cols, s_x, stage, q != 0, r_sum);
    if constexpr (Whole) break;
  }
  share_sums<V>(r_sum, m, c, i, C, works, s_x);
  for (int r = static_cast<int>(threadIdx.x); r < m; r += static_cast<int>(blockDim.x))
#pragma unroll
    for (int j = 0; j < K; ++j) {
      A sum{};
      for (int k = 0; k < C; ++k) sum += s_x[(j * C + k) * m + r];
      const Index out = row.first_row + r;
      if (out >= a.num_rows) continue;
      if (plus_x) sum += x[j * ldx + out];
      update(y[j * ldy + out], alpha, sum, beta);
    }
}

}  // namespace millrace::cuda
