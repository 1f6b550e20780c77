// Teams on a GPU: neighbouring lanes of a warp that work on one item. All lanes of the warp call what is here together.
#pragma once

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

/// The lane of a thread among the `Lanes` of its team.
template <int Lanes>
__device__ inline int team_lane() {
  return static_cast<int>(threadIdx.x) % Lanes;
}

template <int Lanes, class U>
__device__ inline U team_max(U value) {
#pragma unroll
  for (int offset = Lanes / 2; offset > 0; offset /= 2) {
    const U other = __shfl_xor_sync(0xffffffffu, value, offset);
    if (other > value) value = other;
  }
  return value;
}
template <int Lanes>
__device__ inline Index team_min(Index value) {
  return -team_max<Lanes>(-value);
}
template <int Lanes, class U>
__device__ inline U team_sum(U value) {
#pragma unroll
  for (int offset = Lanes / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}
/// Of this lane and those before it.
template <int Lanes>
__device__ inline int team_sum_up_to(int value) {
#pragma unroll
  for (int offset = 1; offset < Lanes; offset *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, static_cast<unsigned>(offset));
    if (team_lane<Lanes>() >= offset) value += other;
  }
  return value;
}

/// The sum of what the threads before this one in the block have; total: of all. `Threads`: of the block, which call it
/// together, and no second time before another __syncthreads().
template <int Threads>
__device__ inline int sum_before(int value, int& total) {
  constexpr int warps = Threads / 32;
  __shared__ int s_sums[warps];
  const int warp = static_cast<int>(threadIdx.x) / 32, up_to = team_sum_up_to<32>(value);
  if (team_lane<32>() == 31) s_sums[warp] = up_to;
  __syncthreads();
  int before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    if (w == warp) before = total;
    total += s_sums[w];
  }
  return before + up_to - value;
}

}  // namespace millrace::cuda
