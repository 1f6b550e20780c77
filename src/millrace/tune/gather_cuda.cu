// The gather ceiling on a GPU: every thread asks for eight columns and values at once, then for eight entries of x.
#include "millrace/base/warp.cuh"
#include "millrace/tune/gather.hpp"
#include "millrace/tune/gather_cuda.hpp"

namespace millrace::cuda {
namespace {

// Not tuned, but ample: 2048 threads of a multiprocessor (32 registers each) with eight columns under way ask for
// 64 KiB before any value, and 5 TB/s at a latency of 1 us are 40 KiB on each of 132 multiprocessors.
constexpr int gather_threads = 256;
constexpr int gather_loads = gather_tile / gather_threads;
static_assert(gather_loads * gather_threads == gather_tile);

// A load that leaves the caches to x.
template <class A>
__device__ A load_once(const A* from) {
  if constexpr (is_complex<A>) {
    using Pair = std::conditional_t<sizeof(A) == 8, float2, double2>;
    const Pair pair = __ldcs(reinterpret_cast<const Pair*>(from));
    return {pair.x, pair.y};
  } else {
    return __ldcs(from);
  }
}

// Mapping  block b takes tile b; thread t of it the entries t, t + gather_threads, ...
// Traffic  a value and a 4-byte column per entry, x at least once, one sum per tile.
// Result   repeatable: the entries of a thread in their order, then a fixed tree over the block.
// Shared   one sum per warp.
template <class A>
__global__ void __launch_bounds__(gather_threads)
    gather_tiles(const A* __restrict__ vals, const Index* __restrict__ cols, std::int64_t size, const A* __restrict__ x,
                 A* sums) {
  const std::int64_t first = blockIdx.x * gather_tile + threadIdx.x;
  A sum{};
  if ((blockIdx.x + std::int64_t{1}) * gather_tile <= size) {  // nearly always; no condition between the loads
    Index r_cols[gather_loads];
    A r_vals[gather_loads];
#pragma unroll
    for (int k = 0; k < gather_loads; ++k) r_cols[k] = load_once(cols + first + k * gather_threads);
#pragma unroll
    for (int k = 0; k < gather_loads; ++k) r_vals[k] = load_once(vals + first + k * gather_threads);
#pragma unroll
    for (int k = 0; k < gather_loads; ++k) sum = multiply_add(r_vals[k], x[r_cols[k]], sum);
  } else {
    for (std::int64_t s = first; s < size; s += gather_threads) sum = multiply_add(vals[s], x[cols[s]], sum);
  }
  sum = block_sum<gather_threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

template <class A>
void gather(Queue& queue, const A* vals, const Index* cols, std::int64_t num_entries, const A* x, A* sums) {
  const DeviceGuard guard(queue.device());
  gather_tiles<<<num_blocks(num_entries, static_cast<int>(gather_tile)), gather_threads, 0, queue.stream()>>>(
      vals, cols, num_entries, x, sums);
  check_launch("gather_tiles", queue.stream());
}

template void gather(Queue&, const float*, const Index*, std::int64_t, const float*, float*);
template void gather(Queue&, const double*, const Index*, std::int64_t, const double*, double*);
template void gather(Queue&, const Complex<float>*, const Index*, std::int64_t, const Complex<float>*, Complex<float>*);
template void gather(Queue&, const Complex<double>*, const Index*, std::int64_t, const Complex<double>*,
                     Complex<double>*);

}  // namespace millrace::cuda
