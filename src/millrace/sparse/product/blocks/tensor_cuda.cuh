// Dense blocks of 8 rows and more times 8 or 16 vectors on the fp64 tensor cores of a GPU: the blocks are read once for
// all vectors, and one instruction does what 8 would, which leaves the warps time to wait for memory.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/base/tensor_core.cuh"
#include "millrace/sparse/format/bsr.hpp"

namespace millrace::cuda {

/// Steps of 4 columns whose loads are in flight together: 2 to 4 kB of A per warp; all columns of five blocks of 8.
MILLRACE_HD constexpr int tensor_batch(int tiles) { return tiles == 1 ? 10 : 4; }

// Mapping  a warp takes R tiles of 8 rows of a block row (`warps` share a block row); 4 columns per step, of which a
//          lane holds one entry per tile, and one entry of x per group of 8 vectors, for 8 G vectors at once.
// Traffic  blocks and their columns once, x by whole blocks (all warps but one find it in the first cache), y once.
// Result   repeatable: the columns are summed ascending, 4 at a time.
template <int R, int G, BlockFormat View>
__global__ void __launch_bounds__(128, 4)
    multiply_tensor_blocks(View a, int warps, double alpha, const double* __restrict__ x, std::int64_t ldx, double beta,
                           double* __restrict__ y, std::int64_t ldy, bool plus_x) {
  constexpr int U = tensor_batch(R);
  const int lane = threadIdx.x % 32, m = a.block, step = tensor_core::depth * m;
  const std::int64_t warp = (blockIdx.x * std::int64_t{128} + threadIdx.x) / 32;
  const auto f = static_cast<Index>(warp / warps);
  if (f >= a.num_block_rows()) return;
  const BlockRow<double> row = a.stored_block_row(f);
  const int first = static_cast<int>(warp - static_cast<std::int64_t>(f) * warps) * R * tensor_core::rows;
  const Index num_columns = row.num_blocks * m;
  const tensor_core::Place in_a = tensor_core::place_in_a(lane), in_b = tensor_core::place_in_b(lane);
  const int i = first + in_a.row;  // of the first tile
  const double* vals = row.vals + static_cast<Offset>(in_a.col) * m + i;
  const double* x_of_lane = x + in_b.col * ldx;
  tensor_core::Column at{0, in_b.row};
  double r_sum[R][G][2]{};
#pragma unroll 1
  for (Index q = 0; q < num_columns; q += U * tensor_core::depth, vals += U * step) {
    double r_vals[U][R]{}, r_x[U][G]{};
    Index r_cols[U], r_inside[U];
#pragma unroll
    for (int u = 0; u < U; ++u, at = at.next(m)) {
      const bool stored = at.block < row.num_blocks;
      r_cols[u] = stored ? row.cols[at.block] : -1;
      r_inside[u] = at.inside;
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (stored && i + r * tensor_core::rows < m) r_vals[u][r] = __ldcs(vals + u * step + r * tensor_core::rows);
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const Index column = r_cols[u] * m + r_inside[u];
#pragma unroll
      for (int g = 0; g < G; ++g)
        if (r_cols[u] >= 0 && column < a.num_cols) r_x[u][g] = x_of_lane[g * tensor_core::cols * ldx + column];
    }
#pragma unroll
    for (int u = 0; u < U; ++u)
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int g = 0; g < G; ++g) multiply_fragments(r_sum[r][g], r_vals[u][r], r_x[u][g]);
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const tensor_core::Place in_c = tensor_core::place_in_c(lane, 0);
    const int inside = first + r * tensor_core::rows + in_c.row;
    const Index out = row.first_row + inside;
    if (inside >= m || out >= a.num_rows) continue;
#pragma unroll
    for (int g = 0; g < G; ++g)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int v = g * tensor_core::cols + in_c.col + j;
        const double sum = plus_x ? r_sum[r][g][j] + x[v * ldx + out] : r_sum[r][g][j];
        double* to = y + v * ldy + out;
        __stcs(to, beta == 0 ? alpha * sum : multiply_add(alpha, sum, beta * *to));
      }
  }
}

}  // namespace millrace::cuda
