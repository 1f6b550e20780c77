// The largest dense blocks on a GPU: a matrix has few block rows of them, too few to keep all multiprocessors busy to
// the end, so every thread block takes the same number of columns, wherever block rows begin and end.
#pragma once

#include "millrace/base/occupancy.cuh"
#include "millrace/sparse/large_blocks_cuda.cuh"

namespace millrace::cuda {

/// Blocks of more rows are split (benchmarks/records/papers-hdg-large-h200.json).
inline constexpr Index most_whole_rows = 210;

// Mapping  a thread block takes columns [s share, (s + 1) share) of all block rows together, s descending with
//          blockIdx; threads as in multiply_wide_blocks. What it has of a block row that began before goes into
//          `partial` [num_shares, m]; who has the beginning adds that, after `ready` [num_shares] (zeros before and
//          after) says so. It waits for thread blocks of a lower number only, which run already.
// Traffic  blocks and their columns once, x by whole blocks, y once; one block row of sums a thread block.
// Shared   the entries of x that the columns of a block row meet; then the sums of the C columns.
// Result   repeatable on one kind of GPU: every thread sums its columns ascending, then c, then the shares ascend.
template <int V, int U, class View, class A>
__global__ void __launch_bounds__(384, 2)
    multiply_split_blocks(View a, WideBlocks shape, std::int64_t share, A alpha, const A* __restrict__ x, A beta,
                          A* __restrict__ y, bool plus_x, A* partial, unsigned* ready) {
  extern __shared__ char s_bytes[];
  A* s_x = reinterpret_cast<A*>(s_bytes);  // [columns of a block row], then [C, m]
  const int m = a.block, C = shape.columns, c = static_cast<int>(threadIdx.x) / shape.lanes;
  const int i = (static_cast<int>(threadIdx.x) - c * shape.lanes) * V;
  const unsigned s = gridDim.x - 1 - blockIdx.x;
  const std::int64_t width = std::int64_t{a.width} * m, end = min((s + 1) * share, a.num_block_rows() * width);
  for (std::int64_t at = s * share; at < end;) {
    const auto f = static_cast<Index>(at / width);
    const auto first = static_cast<int>(at - f * width), last = static_cast<int>(min(width, first + end - at));
    const BlockRow<A> row = a.stored_block_row(f);
    const int columns = min(last, row.num_blocks * m) - first;  // padding is not read
    A r_sum[1][V]{};
    add_columns<V, U>(row, m, first, columns, c, i, C, c < C, x, 0, a.num_cols, s_x, 0, true, r_sum);
    share_sums<V>(r_sum, m, c, i, C, c < C, s_x);
    const bool begins = first == 0, hands_on = begins && last < width;
    const auto shares = static_cast<unsigned>(((f + 1) * width - 1) / share) - s;  // that follow in this block row
    if (hands_on && threadIdx.x < shares)
      while (*static_cast<volatile unsigned*>(ready + s + 1 + threadIdx.x) == 0) __nanosleep(100);
    if (hands_on) __threadfence(), __syncthreads();
    for (int r = static_cast<int>(threadIdx.x); r < m; r += static_cast<int>(blockDim.x)) {
      A sum{};
      for (int k = 0; k < C; ++k) sum += s_x[k * m + r];
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
    } else if (hands_on && threadIdx.x < shares) {
      ready[s + 1 + threadIdx.x] = 0;
    }
    at += last - first;
  }
}

}  // namespace millrace::cuda
