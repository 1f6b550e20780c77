// Dense blocks of 9 rows and more on a GPU: a thread block streams a block row, whose part of x waits in shared memory.
#pragma once

#include "millrace/sparse/product/blocks/block_sums_cuda.cuh"

namespace millrace::cuda {

/// Where a thread stands among those that stream a block row.
struct WideThread {
  int m;       // rows of a block
  int C;       // columns at a time
  int c, i;    // its column of these, and the first of its V rows
  bool works;  // false: it is one too many and only waits
};

/// x of K vectors, and where the entries wait that columns of a block row meet.
template <class A>
struct StagedX {
  const A* x;
  std::int64_t ldx;
  Index num_cols;
  A* s_x;     // [K, stage]
  int stage;  // columns
};

/// Columns [first, first + columns) of a block row for K vectors: the thread adds its V rows to r_sum. `again`: s_x was
/// read before, so wait for the readers.
template <int V, int U, int K, class A>
__device__ __forceinline__ void add_columns(const BlockRow<A>& row, Index first, int columns, const WideThread& thread,
                                            const StagedX<A>& staged, bool again, A (&r_sum)[K][V]) {
  const auto [m, C, c, i, works] = thread;
  const auto [x, ldx, num_cols, s_x, stage] = staged;
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
__device__ __forceinline__ void share_sums(const A (&r_sum)[K][V], const WideThread& thread, A* s_sums) {
  const auto [m, C, c, i, works] = thread;
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
template <int M, int V, int U, int K, bool Whole, BlockFormat View, class A>
__global__ void __launch_bounds__(M > 0 ? 256 : 512)
    multiply_wide_blocks(View a, WideBlocks shape, int stage, A alpha, const A* __restrict__ x, std::int64_t ldx,
                         A beta, A* __restrict__ y, std::int64_t ldy, bool plus_x) {
  extern __shared__ char s_bytes[];
  A* s_x = reinterpret_cast<A*>(s_bytes);  // [K, stage], then [K, C, m]
  const BlockRow<A> row = a.stored_block_row(static_cast<Index>(blockIdx.x));
  const int m = M > 0 ? M : a.block, lanes = M > 0 ? M / V : shape.lanes, C = shape.columns;
  const int c = static_cast<int>(threadIdx.x) / lanes, i = (static_cast<int>(threadIdx.x) - c * lanes) * V;
  const WideThread thread{m, C, c, i, c < C};
  const StagedX<A> staged{x, ldx, a.num_cols, s_x, stage};
  const Index num_columns = row.num_blocks * m;
  A r_sum[K][V]{};
  for (Index q = 0; q < num_columns; q += stage) {
    const int columns = Whole ? num_columns : min(stage, num_columns - q);
    add_columns<V, U>(row, q, columns, thread, staged, q != 0, r_sum);
    if constexpr (Whole) break;
  }
  share_sums<V>(r_sum, thread, s_x);
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

/// M: the size of the blocks, or 0 where it is known at run time only; V: rows of a load.
template <int M, int V, int K, BlockFormat View, class A>
void launch_wide_of(Queue& queue, const View& a, const BlockFacts& facts, const BlockRequest<A>& r) {
  constexpr int U = K > 1 ? 4 : wide_batch(M, V);
  const int stage = wide_columns<K>(facts);
  const WideBlocks shape = wide_blocks(a.block, V);
  const std::size_t shared = std::max(stage, shape.columns * a.block) * K * sizeof(A);
  const auto launch = [&]<bool Whole>() {
    multiply_wide_blocks<M, V, U, K, Whole>
        <<<static_cast<unsigned>(a.num_block_rows()), static_cast<unsigned>(shape.threads), shared, queue.stream()>>>(
            a, shape, stage, r.alpha, r.x, r.ldx, r.beta, r.y, r.ldy, r.plus_x);
    check_launch("multiply_wide_blocks", queue.stream());
  };
  constexpr bool may_be_whole = K == 1 && View::may_be_uniform;
  if (may_be_whole && facts.max_columns <= stage)
    launch.template operator()<may_be_whole>();
  else
    launch.template operator()<false>();
}

/// Calls f<V>() for the rows of a load that a size of blocks allows.
template <class A, class F>
void dispatch_rows_of_load(Index block, F&& f) {
  if constexpr (sizeof(A) == 4)
    dispatch<1, 2, 4>("rows of a load", rows_of_load<A>(block), f);
  else
    dispatch<1, 2>("rows of a load", rows_of_load<A>(block), f);
}

template <int K, BlockFormat View, class A>
void launch_wide(Queue& queue, const View& a, const BlockFacts& facts, const BlockRequest<A>& r) {
  if (is_among(a.block, WideSizes{}))
    dispatch_size(WideSizes{}, a.block, [&]<int M>() { launch_wide_of<M, rows_of_load<A>(M), K>(queue, a, facts, r); });
  else
    dispatch_rows_of_load<A>(a.block, [&]<int V>() { launch_wide_of<0, V, K>(queue, a, facts, r); });
}

}  // namespace millrace::cuda
