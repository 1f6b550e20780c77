// The largest dense blocks on a GPU: a matrix has few block rows of them, too few to keep all multiprocessors busy to
// the end, so every thread block takes the same number of columns, wherever block rows begin and end.
#pragma once

#include "millrace/base/occupancy.cuh"
#include "millrace/sparse/product/blocks/wide_cuda.cuh"

namespace millrace::cuda {

/// Columns of a block row as they are shared out: an even number.
MILLRACE_HD constexpr std::int64_t split_width(Index columns) { return (std::int64_t{columns} + 1) / 2 * 2; }

/// add_columns for blocks of an odd size, two columns at a time: thread p takes entries 2 p and 2 p + 1 of the 2 m
/// there, as one load (row.vals may begin between two of those: `shift` is 1 then). It sums the rows of both, for h = 0
/// in the first column and otherwise in the second; s_x [-1, columns + 1].
template <int U, class A>
__device__ __forceinline__ void add_column_pairs(const BlockRow<A>& row, int m, Index first, int columns, int shift,
                                                 int p, bool works, const A* __restrict__ x, Index num_cols, A* s_x,
                                                 const int (&h)[2], A (&r_sum)[2]) {
  const A* vals = row.vals + static_cast<Offset>(first) * m;
  const int end = columns * m;
  A r_vals[U][2];
  const auto load = [&](int pair) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const int g = (pair + u) * 2 * m + 2 * p - shift;
      r_vals[u][0] = r_vals[u][1] = A{};
      if (works && g >= 0 && g + 1 < end)
        load_once<2>(vals + g, r_vals[u]);
      else if (works && g + 1 == 0 && end > 0)
        r_vals[u][1] = vals[0];
      else if (works && g >= 0 && g + 1 == end)
        r_vals[u][0] = vals[g];
    }
  };
  load(0);
  __syncthreads();
  for (int q = static_cast<int>(threadIdx.x) - 1; q < columns + 2; q += static_cast<int>(blockDim.x)) {
    const Index block = (first + max(q, 0)) / m;
    const Index column = q >= 0 && q < columns ? row.cols[block] : -1, at = column * m + (first + q - block * m);
    s_x[q] = column >= 0 && at < num_cols ? x[at] : A{};
  }
  __syncthreads();
  const int num_pairs = (end + shift + 2 * m - 1) / (2 * m);
#pragma unroll 1
  for (int pair = 0; pair < num_pairs; pair += U) {
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (2 * (pair + u) < columns + 1)
#pragma unroll
        for (int v = 0; v < 2; ++v) r_sum[v] = multiply_add(r_vals[u][v], s_x[2 * (pair + u) + h[v]], r_sum[v]);
    if (pair + U < num_pairs) load(pair + U);
  }
}

/// What a thread has of the columns [first, first + columns) of a block row, into s_sums [num_sums, m] for all; s_x is
/// the same memory. Returns num_sums.
template <bool Pairs, int V, int U, class A>
__device__ __forceinline__ int sum_part(const BlockRow<A>& row, int m, const WideBlocks& shape, Index first,
                                        int columns, const A* __restrict__ x, Index num_cols, A* s_x) {
  const int lane = static_cast<int>(threadIdx.x);
  if constexpr (Pairs) {
    const bool works = lane < m;
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(row.vals) / sizeof(A) % 2);
    int h[2], r[2];
    A r_sum[2]{};
    for (int v = 0; v < 2; ++v) {
      const int at = 2 * lane + v - shift;
      h[v] = at < 0 ? -1 : at >= m, r[v] = at - h[v] * m;
    }
    add_column_pairs<U>(row, m, first, columns, shift, lane, works, x, num_cols, s_x + 1, h, r_sum);
    __syncthreads();
    for (int v = 0; works && v < 2; ++v) s_x[(h[v] == 0 ? 0 : m) + r[v]] = r_sum[v];
    __syncthreads();
    return 2;
  } else {
    const int C = shape.columns, c = lane / shape.lanes, i = (lane - c * shape.lanes) * V;
    A r_sum[1][V]{};
    const WideThread thread{m, C, c, i, c < C};
    add_columns<V, U>(row, first, columns, thread, StagedX<A>{x, 0, num_cols, s_x, 0}, true, r_sum);
    share_sums<V>(r_sum, thread, s_x);
    return C;
  }
}

// Mapping  a thread block takes columns [s share, (s + 1) share) of all block rows together, s descending with
//          blockIdx; threads as in multiply_wide_blocks, or for odd sizes as in add_column_pairs. What it has of a
//          block row that began before goes into `partial` [num_shares, m]; who has the beginning adds that, after
//          `ready` [num_shares] (zeros before and after) says so. It waits for thread blocks of a lower number only:
//          they run.
// Traffic  blocks and their columns once, x by whole blocks, y once; one block row of sums per thread block.
// Shared   the entries of x that the columns of a block row meet; then the sums.
// Result   repeatable on one kind of GPU: every thread sums its columns ascending, then its fellows, then the shares.
template <bool Pairs, int V, int U, BlockFormat View, class A>
__global__ void __launch_bounds__(Pairs ? max_pair_rows : 384, Pairs ? 3 : 2)
    multiply_split_blocks(View a, WideBlocks shape, std::int64_t share, A alpha, const A* __restrict__ x, A beta,
                          A* __restrict__ y, bool plus_x, A* partial, unsigned* ready) {
  extern __shared__ char s_bytes[];
  A* s_sums = reinterpret_cast<A*>(s_bytes);
  const int m = a.block;
  const unsigned s = gridDim.x - 1 - blockIdx.x;
  const std::int64_t width = split_width(a.max_columns()), end = min((s + 1) * share, a.num_block_rows() * width);
  for (std::int64_t at = s * share; at < end;) {
    const auto f = static_cast<Index>(at / width);
    const auto first = static_cast<int>(at - f * width), last = static_cast<int>(min(width, first + end - at));
    const BlockRow<A> row = a.stored_block_row(f);
    const int columns = max(min(last, row.num_blocks * m) - first, 0);  // padding is not read
    const int num_sums = sum_part<Pairs, V, U>(row, m, shape, first, columns, x, a.num_cols, s_sums);
    const bool begins = first == 0, hands_on = begins && last < width;
    const auto shares = static_cast<unsigned>(((f + 1) * width - 1) / share) - s;  // that follow in this block row
    for (unsigned k = threadIdx.x; hands_on && k < shares; k += blockDim.x)
      while (*static_cast<volatile unsigned*>(ready + s + 1 + k) == 0) __nanosleep(100);
    if (hands_on) __threadfence(), __syncthreads();
    for (int r = static_cast<int>(threadIdx.x); r < m; r += static_cast<int>(blockDim.x)) {
      A sum{};
      for (int k = 0; k < num_sums; ++k) sum += s_sums[k * m + r];
      if (!begins) {
        partial[std::int64_t{s} * m + r] = sum;
        continue;
      }
      for (unsigned k = 1; hands_on && k <= shares; ++k) sum += load_fresh(partial + std::int64_t{s + k} * m + r);
      const Index out = row.first_row + r;
      if (plus_x) sum += x[out];
      update(y[out], alpha, sum, beta);
    }
    if (!begins) {
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicExch(ready + s, 1u);
    }
    for (unsigned k = threadIdx.x; hands_on && k < shares; k += blockDim.x) ready[s + 1 + k] = 0;
    at += last - first;
  }
}

/// Thread blocks that are resident together share all columns out evenly.
template <BlockFormat View, class A>
void launch_split(Queue& queue, const View& a, const BlockFacts& facts, const BlockRequest<A>& r) {
  dispatch_rows_of_load<A>(a.block, [&]<int V>() {
    constexpr bool pairs = V == 1;
    constexpr int batch = pairs ? 8 : wide_batch(0, V);
    const auto kernel = multiply_split_blocks<pairs, V, batch, View, A>;
    const WideBlocks shape = wide_blocks(a.block, V);
    const std::size_t of_wide = std::max(wide_columns<1>(facts), shape.columns * a.block) * sizeof(A);
    const std::size_t of_sums = (std::max<std::size_t>(facts.uniform_width, 2) * a.block + 3) * sizeof(A);
    const std::size_t bytes = std::max(of_wide, of_sums);
    const std::int64_t total = a.num_block_rows() * split_width(facts.max_columns);
    const int threads = pairs ? (a.block + 31) / 32 * 32 : shape.threads;
    const int resident = num_resident(queue.device(), kernel, threads, bytes);
    const std::int64_t share = (total + resident - 1) / resident / 2 * 2 + 2;
    const auto blocks = static_cast<unsigned>((total + share - 1) / share);
    const auto partial = queue.scratch<A>(std::int64_t{blocks} * a.block);
    const auto ready = queue.zeros(blocks);
    kernel<<<blocks, static_cast<unsigned>(threads), bytes, queue.stream()>>>(
        a, shape, share, r.alpha, r.x, r.beta, r.y, r.plus_x, partial.data(), ready.data());
    check_launch("multiply_split_blocks", queue.stream());
  });
}

}  // namespace millrace::cuda
