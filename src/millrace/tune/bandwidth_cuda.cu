// The kernels that measure a GPU's memory. 16 bytes per load, several loads under way in every thread.
#include "millrace/base/occupancy.cuh"
#include "millrace/base/warp.cuh"
#include "millrace/tune/bandwidth_cuda.hpp"

namespace millrace::cuda {
namespace {

// Not tuned, but ample: 5 TB/s at a latency of 1 us are 5 MB under way, 40 KiB on each of 132 multiprocessors, and
// 1024 threads with eight loads of 16 bytes each ask for 128 KiB.
constexpr int threads = 512;
constexpr int loads = 8;
constexpr int tile = threads * loads;  // pairs that a block takes at once
constexpr int blocks_per_multiprocessor = 2048 / threads;

// Mapping  thread t of block b writes word b threads + t.
// Traffic  8 bytes written per word.
// Result   repeatable: each word depends on its place alone.
__global__ void __launch_bounds__(threads)
    fill(double* words, std::int64_t size, double first, double step, std::int64_t period) {
  const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (i < size) words[i] = first + static_cast<double>(i % period) * step;
}

// Mapping  block b takes the tiles b, b + blocks, ...; in a tile thread t takes the pairs t, t + threads, ...
// Traffic  16 bytes read per pair.
// Result   repeatable: integer sums, whatever the order.
// Shared   one sum per warp.
__global__ void __launch_bounds__(threads) sum_tiles(const ulonglong2* pairs, std::int64_t size, std::uint64_t* sums) {
  unsigned long long sum = 0;
  for (std::int64_t i = blockIdx.x * std::int64_t{tile} + threadIdx.x; i < size; i += gridDim.x * std::int64_t{tile}) {
    if (i + (loads - 1) * threads < size) {  // nearly always; no condition stands between the loads
      ulonglong2 r_pairs[loads];
#pragma unroll
      for (int k = 0; k < loads; ++k) r_pairs[k] = __ldcs(pairs + i + k * threads);
#pragma unroll
      for (int k = 0; k < loads; ++k) sum += r_pairs[k].x + r_pairs[k].y;
    } else {
      for (std::int64_t j = i; j < size; j += threads) sum += pairs[j].x + pairs[j].y;
    }
  }
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Mapping  one block adds the sums of all blocks.
// Traffic  8 bytes read per block.
// Result   repeatable: integer sums.
// Shared   one sum per warp.
__global__ void __launch_bounds__(threads) add_sums(const std::uint64_t* sums, int num_sums, std::uint64_t* result) {
  unsigned long long sum = 0;
  for (int i = threadIdx.x; i < num_sums; i += threads) sum += sums[i];
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) *result = sum;
}

// Mapping  block b takes tile b; thread t of it the pairs t, t + threads, ...
// Traffic  16 bytes read and 16 written per pair.
// Result   repeatable: no sums.
__global__ void __launch_bounds__(threads) copy(const double2* from, double2* to, std::int64_t size) {
  const std::int64_t i = blockIdx.x * std::int64_t{tile} + threadIdx.x;
  double2 r_from[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k)
    if (i + k * threads < size) r_from[k] = __ldcs(from + i + k * threads);
#pragma unroll
  for (int k = 0; k < loads; ++k)
    if (i + k * threads < size) __stcs(to + i + k * threads, r_from[k]);
}

// Mapping  block b takes half of a tile, since each pair has two loads; thread t of it the pairs t, t + threads, ...
// Traffic  32 bytes read and 16 written a pair.
// Result   repeatable: one fused multiply-add a word.
__global__ void __launch_bounds__(threads)
    triad(double2* a, const double2* b, const double2* c, std::int64_t size, double factor) {
  const std::int64_t i = blockIdx.x * std::int64_t{tile / 2} + threadIdx.x;
  double2 r_b[loads / 2], r_c[loads / 2];
#pragma unroll
  for (int k = 0; k < loads / 2; ++k)
    if (i + k * threads < size) {
      r_b[k] = __ldcs(b + i + k * threads);
      r_c[k] = __ldcs(c + i + k * threads);
    }
#pragma unroll
  for (int k = 0; k < loads / 2; ++k)
    if (i + k * threads < size)
      __stcs(a + i + k * threads, double2{r_b[k].x + factor * r_c[k].x, r_b[k].y + factor * r_c[k].y});
}

// Mapping  one thread.
// Traffic  none.
// Result   none.
__global__ void nothing() {}

}  // namespace

void fill_words(Queue& queue, double* words, std::int64_t size, double first, double step, std::int64_t period) {
  const DeviceGuard guard(queue.device());
  fill<<<num_blocks(size, threads), threads, 0, queue.stream()>>>(words, size, first, step, period);
  check_launch("fill", queue.stream());
}

void sum_words(Queue& queue, const double* words, std::int64_t size, std::uint64_t* sum) {
  const DeviceGuard guard(queue.device());
  const int blocks = num_units(queue.device()) * blocks_per_multiprocessor;
  const auto sums = queue.scratch<std::uint64_t>(blocks);
  sum_tiles<<<blocks, threads, 0, queue.stream()>>>(reinterpret_cast<const ulonglong2*>(words), size / 2, sums.data());
  check_launch("sum_tiles", queue.stream());
  add_sums<<<1, threads, 0, queue.stream()>>>(sums.data(), blocks, sum);
  check_launch("add_sums", queue.stream());
}

void copy_words(Queue& queue, double* words, std::int64_t size) {
  const DeviceGuard guard(queue.device());
  const std::int64_t pairs = size / 4;
  const auto from = reinterpret_cast<double2*>(words);
  copy<<<num_blocks(pairs, tile), threads, 0, queue.stream()>>>(from, from + pairs, pairs);
  check_launch("copy", queue.stream());
}

void triad_words(Queue& queue, double* words, std::int64_t size, double factor) {
  const DeviceGuard guard(queue.device());
  const std::int64_t pairs = size / 6;
  const auto a = reinterpret_cast<double2*>(words);
  triad<<<num_blocks(pairs, tile / 2), threads, 0, queue.stream()>>>(a, a + pairs, a + 2 * pairs, pairs, factor);
  check_launch("triad", queue.stream());
}

void launch_nothing(Queue& queue) {
  const DeviceGuard guard(queue.device());
  nothing<<<1, 1, 0, queue.stream()>>>();
  check_launch("nothing", queue.stream());
}

}  // namespace millrace::cuda
