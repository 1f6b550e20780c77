// Dot products inside other kernels of a GPU: every thread brings its part, and the last thread blocks to come add them
// all up in the same launch, in a fixed tree.
#pragma once

#include <algorithm>

#include "millrace/base/warp.cuh"

namespace millrace::cuda {

constexpr int dot_threads = 256;     // of every thread block that takes part
constexpr unsigned dot_group = 256;  // thread blocks whose sums are added up first, then the groups

/// Where a dot product of one launch goes; a null result asks for none.
template <class A>
struct DotParts {
  A* result = nullptr;
  A* parts = nullptr;           // [num_blocks + num_groups]
  unsigned* arrived = nullptr;  // [num_groups + 1], zeros before and after a launch
};

/// The memory behind DotParts for `num_products` of them beside each other, as long as this lives.
template <class A>
class DotScratch {
 public:
  DotScratch(Queue& queue, unsigned num_blocks, int num_products = 1)
      : groups_((num_blocks + dot_group - 1) / dot_group),
        parts_(queue, std::int64_t{num_blocks + groups_} * num_products),
        arrived_(queue.zeros(std::int64_t{groups_ + 1} * num_products)) {}
  DotParts<A> parts(A* result) const { return {result, parts_.data(), arrived_.data()}; }

 private:
  unsigned groups_;
  Scratch<A> parts_;
  Scratch<unsigned> arrived_;
};

/// Sum over a block of dot_threads, in a tree that depends on nothing else; thread 0 has it.
template <class A>
__device__ A block_sum(A value) {
  return block_sum<dot_threads>(value);
}

/// Called by all threads of all thread blocks of a launch (grid x; grid y has other products): adds their values.
/// Result: repeatable, for the tree depends on the number of blocks alone.
template <class A>
__device__ void add_up(A value, const DotParts<A>& dot) {
  const unsigned num_groups = (gridDim.x + dot_group - 1) / dot_group, group = blockIdx.x / dot_group;
  A* parts = dot.parts + blockIdx.y * (gridDim.x + num_groups);
  unsigned* arrived = dot.arrived + blockIdx.y * (num_groups + 1);
  A sum = block_sum(value);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  const unsigned size = min(dot_group, gridDim.x - group * dot_group);
  if (!arrive_last(arrived + group, size)) return;
  sum = block_sum(threadIdx.x < size ? load_fresh(parts + group * dot_group + threadIdx.x) : A{});
  if (threadIdx.x == 0) parts[gridDim.x + group] = sum;
  if (!arrive_last(arrived + num_groups, num_groups)) return;
  A total{};
  for (unsigned g = threadIdx.x; g < num_groups; g += dot_threads) total += load_fresh(parts + gridDim.x + g);
  total = block_sum(total);
  if (threadIdx.x == 0) dot.result[blockIdx.y] = total;
}

// Mapping  all threads stride over the sums; the last thread block adds theirs.
// Traffic  the sums once.
// Result   repeatable: a fixed tree of num_sums.
template <class A>
__global__ void __launch_bounds__(dot_threads)
    add_sums(unsigned num_sums, const A* __restrict__ block_sums, DotParts<A> dot) {
  A sum{};
  for (unsigned i = blockIdx.x * dot_threads + threadIdx.x; i < num_sums; i += gridDim.x * dot_threads)
    sum += block_sums[i];
  add_up(sum, dot);
}

/// *result = the sum of what the thread blocks of an earlier kernel have left: a fixed tree of num_sums.
template <class A>
void add_block_sums(Queue& queue, unsigned num_sums, const A* block_sums, A* result) {
  const unsigned blocks = std::clamp(num_sums / (4 * dot_threads), 1u, 64u);
  const DotScratch<A> scratch(queue, blocks);
  add_sums<<<blocks, dot_threads, 0, queue.stream()>>>(num_sums, block_sums, scratch.parts(result));
  check_launch("add_sums", queue.stream());
}

}  // namespace millrace::cuda
