// What the kernels of dense blocks share: the request of a launch, sums over the lanes of a block row, its result.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/base/dispatch.hpp"
#include "millrace/sparse/product/blocks/choose.hpp"

namespace millrace::cuda {

/// y = alpha (A + plus_x I) x + beta y for the vectors of one pass.
template <class A>
struct BlockRequest {
  A alpha;
  const A* x;
  std::int64_t ldx;
  A beta;
  A* y;
  std::int64_t ldy;
  bool plus_x;
};

/// Calls f<M>() for the size among those of a list.
template <int... Sizes, class F>
void dispatch_size(std::integer_sequence<int, Sizes...>, Index size, F&& f) {
  dispatch<Sizes...>("size of blocks", size, f);
}

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

}  // namespace millrace::cuda
