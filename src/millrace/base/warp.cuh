// Sums and waits of a warp, a thread block and a cluster of thread blocks, in trees that depend on their sizes alone.
#pragma once

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

template <class A>
__device__ inline A shuffle_xor(A value, int mask) {
  if constexpr (is_complex<A>)
    return {__shfl_xor_sync(0xffffffffu, value.re, mask), __shfl_xor_sync(0xffffffffu, value.im, mask)};
  else
    return __shfl_xor_sync(0xffffffffu, value, mask);
}

/// Sum over groups of Width neighbouring lanes; the first lane of each has it.
template <int Width = 32, class A>
__device__ inline A warp_sum(A value) {
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2) value += shuffle_down(value, offset, Width);
  return value;
}
/// The same, and every lane has it: additions are commutative, so all have the same bits.
template <class A>
__device__ inline A warp_sum_everywhere(A value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}

/// Sums over a block of Threads threads: warps by warp_sum, then these in their order; thread 0 has them.
template <int Threads, int num, class A>
__device__ void block_sums(A (&sums)[num]) {
  constexpr int warps = Threads / 32;
  __shared__ A s_sums[num][warps];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  __syncthreads();  // a second call must not overtake the readers of the first
#pragma unroll
  for (int k = 0; k < num; ++k) {
    sums[k] = warp_sum(sums[k]);
    if (lane == 0) s_sums[k][warp] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int k = 0; k < num; ++k) {
    sums[k] = s_sums[k][0];
#pragma unroll
    for (int w = 1; w < warps; ++w) sums[k] += s_sums[k][w];
  }
}
template <int Threads, class A>
__device__ A block_sum(A value) {
  A sums[1] = {value};
  block_sums<Threads>(sums);
  return sums[0];
}

/// The sum over a thread block of any size from a warp on, in a fixed order; thread 0 has it. s_values: a number per
/// thread, no longer in use.
template <class A>
__device__ A block_sum_of_any_size(A value, A* s_values) {
  __syncthreads();
  s_values[threadIdx.x] = value;
  __syncthreads();
  A sum{};
  if (threadIdx.x >= 32) return sum;
  for (unsigned i = threadIdx.x; i < blockDim.x; i += 32) sum += s_values[i];
  return warp_sum(sum);
}

/// True in all threads of the block that comes last of `expected`, which then sees what the others wrote before.
__device__ inline bool arrive_last(unsigned* arrived, unsigned expected) {
  __shared__ bool s_last;
  if (threadIdx.x == 0) {
    __threadfence();
    s_last = atomicInc(arrived, expected - 1) == expected - 1;  // the last one leaves 0 behind
  }
  __syncthreads();
  const bool last = s_last;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

// Clusters and early launches are of compute capability 9; before it nothing that uses them is launched.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// All threads of all blocks of the cluster; what they wrote to shared memory before is seen after.
__device__ inline void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline unsigned block_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// In a kernel that was launched early: until the kernel before it has ended.
__device__ inline void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void let_next_kernel_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

#else

__device__ inline void wait_for_cluster() {}
__device__ inline unsigned block_in_cluster() { return 0; }
__device__ inline void wait_for_kernel_before() {}
__device__ inline void let_next_kernel_begin() {}

#endif

}  // namespace millrace::cuda
