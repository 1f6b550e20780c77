// Dense blocks of 9 rows and more on a GPU: a warp or a thread block streams a block row, whose part of x waits in
// shared memory.
#pragma once

#include "millrace/sparse/small_blocks_cuda.cuh"

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

/// Threads of multiply_wide_blocks: C columns of `rows` rows at a time.
struct WideBlocks {
  int rows;     // of a block row that a thread block takes
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
/// Beyond 210 rows a block row is shared out: matrices have few of them, and the last ones would keep few
/// multiprocessors busy.
constexpr WideBlocks wide_blocks(int block, int rows_of_load) {
  constexpr int most = 210, wanted = 110;
  const int parts = block <= most ? 1 : (block + wanted - 1) / wanted;
  const int lanes = ((block + parts - 1) / parts + rows_of_load - 1) / rows_of_load, rows = lanes * rows_of_load;
  const int threads = wide_threads(rows), columns = lanes < threads ? threads / lanes : 1;
  return {rows, columns, (lanes * columns + 31) / 32 * 32};
}
static_assert(wide_blocks(330, 2) == WideBlocks{110, 6, 352} && wide_blocks(275, 1) == WideBlocks{92, 4, 384});

/// Loads of a thread in flight in multiply_wide_blocks, with the same benchmarks.
constexpr int wide_batch(int M, int rows_of_load) { return M > 0 ? 6 : rows_of_load == 1 ? 12 : 8; }

// Mapping  a thread block takes `shape.rows` rows of a block row, `parts` thread blocks one after another all of them;
//          thread (c, i) the V rows from i on in columns c, c + C, ..., U columns in flight, for K vectors at once.
//          M: the size of the blocks, or 0 where it is known at run time only.
// Traffic  blocks and their columns once, x by whole blocks, y once.
// Shared   the entries of x that `stage` columns meet (`Whole`: all of a block row); then the sums of the C columns.
// Result   repeatable: every thread sums its columns ascending, then c = 0, 1, ... are added.
template <int M, int V, int U, int K, bool Whole, class View, class A>
__global__ void __launch_bounds__(M > 0 ? 256 : 512)
    multiply_wide_blocks(View a, WideBlocks shape, unsigned parts, int stage, A alpha, const A* __restrict__ x,
                         std::int64_t ldx, A beta, A* __restrict__ y, std::int64_t ldy, bool plus_x) {
  extern __shared__ char s_bytes[];
  A* s_x = reinterpret_cast<A*>(s_bytes);  // [K, stage], then [K, C, rows]
  const unsigned f = M > 0 ? blockIdx.x : blockIdx.x / parts;
  const BlockRow<A> row = a.stored_block_row(static_cast<Index>(f));
  const int m = M > 0 ? M : a.block, begin = static_cast<int>(blockIdx.x - f * parts) * shape.rows;
  const int rows = min(shape.rows, m - begin);
  const int lanes = M > 0 ? M / V : (shape.rows + V - 1) / V, C = shape.columns;
  const int c = static_cast<int>(threadIdx.x) / lanes, i = (static_cast<int>(threadIdx.x) - c * lanes) * V;
  const bool works = c < C && i < rows;
  const Index num_columns = row.num_blocks * m;
  const A* vals = row.vals + begin + i;
  A r_sum[K][V]{};
  for (Index q = 0; q < num_columns; q += stage, vals += static_cast<Offset>(stage) * m) {
    const int columns = Whole ? num_columns : min(stage, num_columns - q);
    A r_vals[U][V];
    const auto load = [&](int first) {
#pragma unroll
      for (int u = 0; u < U; ++u) {
#pragma unroll
        for (int v = 0; v < V; ++v) r_vals[u][v] = A{};
        if (const int p = first + u * C; works && p < columns)
          load_once<V>(vals + static_cast<Offset>(p) * m, r_vals[u]);
      }
    };
    load(c);
    if (q > 0) __syncthreads();  // the last part of x is still read
    for (int p = static_cast<int>(threadIdx.x); p < columns; p += static_cast<int>(blockDim.x)) {
      const Index block = (q + p) / m, column = row.cols[block], at = column * m + (q + p - block * m);
#pragma unroll
      for (int j = 0; j < K; ++j) s_x[j * stage + p] = column >= 0 && at < a.num_cols ? x[j * ldx + at] : A{};
    }
    __syncthreads();
#pragma unroll 1
    for (int first = c; first < columns; first += C * U) {
#pragma unroll
      for (int u = 0; u < U; ++u)
#pragma unroll
        for (int j = 0; j < K; ++j) {
          const A entry = first + u * C < columns ? s_x[j * stage + first + u * C] : A{};
#pragma unroll
          for (int v = 0; v < V; ++v) r_sum[j][v] = multiply_add(r_vals[u][v], entry, r_sum[j][v]);
        }
      if (first + C * U < columns) load(first + C * U);
    }
    if constexpr (Whole) break;
  }
  __syncthreads();
  if (works)
#pragma unroll
    for (int j = 0; j < K; ++j)
#pragma unroll
      for (int v = 0; v < V; ++v) s_x[(j * C + c) * shape.rows + i + v] = r_sum[j][v];
  __syncthreads();
  for (int r = static_cast<int>(threadIdx.x); r < rows; r += static_cast<int>(blockDim.x))
#pragma unroll
    for (int j = 0; j < K; ++j) {
      A sum{};
      for (int k = 0; k < C; ++k) sum += s_x[(j * C + k) * shape.rows + r];
      const Index out = row.first_row + begin + r;
      if (out >= a.num_rows) continue;
      if (plus_x) sum += x[j * ldx + out];
      update(y[j * ldy + out], alpha, sum, beta);
    }
}

}  // namespace millrace::cuda
