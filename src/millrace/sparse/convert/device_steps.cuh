// The steps of conversions on a GPU, in the order of a queue: one kernel per step, CUB for running sums and sorts.
#pragma once

#include "millrace/base/array.hpp"
#include "millrace/base/cuda.cuh"
#include "millrace/base/read_back.hpp"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/steps.hpp"

namespace millrace::cuda {

// Mapping  one thread per item.
// Traffic  what f touches.
// Result   repeatable when f is: items meet in atomics of integers only.
template <class F>
__global__ void __launch_bounds__(256) run_each(Offset n, F f) {
  const Offset i = blockIdx.x * Offset{256} + threadIdx.x;
  if (i < n) f(i);
}

// Mapping  a thread takes 8 items, 256 apart. A block's first and last group are found among all, those of its items
//          between them: the search among all is long, and 2048 items share it.
// Traffic  what f touches, and the starts of the groups once.
// Result   repeatable when f is.
constexpr int items_per_thread = 8;
template <class G, class F>
__global__ void __launch_bounds__(256) run_each_in(G groups, Offset n, F f) {
  __shared__ Offset s_ends[2];
  constexpr int num_items = 256 * items_per_thread;
  const Offset first = blockIdx.x * Offset{num_items}, end = first + num_items < n ? first + num_items : n;
  if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
    s_ends[threadIdx.x / 32] = convert::group_of(groups, threadIdx.x == 0 ? first : end - 1);
  __syncthreads();
  Offset group = s_ends[0];
  for (Offset i = first + threadIdx.x; i < end; i += 256) {
    group = convert::group_between(groups, group, s_ends[1], i);
    f(group, i);
  }
}

enum class Fold { sum, max, min };

template <Fold fold>
__device__ inline long long folded(long long a, long long b) {
  if constexpr (fold == Fold::sum)
    return a + b;
  else if constexpr (fold == Fold::max)
    return a > b ? a : b;
  else
    return a < b ? a : b;
}

// Mapping  grid-stride over the items; a warp folds its own in a tree, then one atomic per warp.
// Traffic  what f touches.
// Result   repeatable: the sum, the maximum or the minimum of integers.
template <Fold fold, class F>
__global__ void __launch_bounds__(256) fold_each(Offset n, F f, long long start, long long* result) {
  long long value = start;
  for (Offset i = blockIdx.x * Offset{256} + threadIdx.x; i < n; i += gridDim.x * Offset{256})
    value = folded<fold>(value, static_cast<long long>(f(i)));
  for (int offset = 16; offset > 0; offset /= 2)
    value = folded<fold>(value, __shfl_down_sync(0xffffffffu, value, offset));
  if (threadIdx.x % 32 != 0) return;
  if constexpr (fold == Fold::sum)
    atomicAdd(reinterpret_cast<unsigned long long*>(result), static_cast<unsigned long long>(value));
  else if constexpr (fold == Fold::max)
    atomicMax(result, value);
  else
    atomicMin(result, value);
}

class DeviceSteps {
 public:
  static constexpr bool few_threads = false;

  explicit DeviceSteps(Queue& queue) : guard_(queue.device()), queue_(queue) {}

  Device device() const { return queue_.device(); }

  template <class U>
  Array<U> make(Offset size) const {
    return Array<U>(device(), size);
  }
  template <class U>
  Array<U> scratch(Offset size) {
    return Array<U>(queue_, size);
  }

  template <class F>
  void for_each(Offset n, F f) const {
    if (n <= 0) return;
    run_each<<<num_blocks(n, 256), 256, 0, queue_.stream()>>>(n, f);
    check_launch("run_each", queue_.stream());
  }

  template <convert::Groups G, class F>
  void for_each_in(const G& groups, F f) const {
    const Offset n = groups.num_items();
    if (n <= 0) return;
    run_each_in<<<num_blocks(n, 256 * items_per_thread), 256, 0, queue_.stream()>>>(groups, n, f);
    check_launch("run_each_in", queue_.stream());
  }

  template <class F>
  Offset sum(Offset n, F f) {
    return fold<Fold::sum>(n, f, 0);
  }
  template <class F>
  Offset max(Offset n, F f) {
    return fold<Fold::max>(n, f, 0);
  }
  template <class F>
  Offset first(Offset n, F f) {
    return fold<Fold::min>(
        n, [=] __device__(Offset i) { return f(i) ? i : n; }, n);
  }

  template <convert::Groups G, class F>
  Offset first_in(const G& groups, F f) {
    const Offset n = groups.num_items();
    if (n <= 0) return n < 0 ? 0 : n;
    Array<Offset> result = scratch<Offset>(1);
    Offset* at = result.data();
    copy_bytes(queue_, device(), at, Device::host(), &n, sizeof(n));
    for_each_in(groups, [=] __device__(Offset g, Offset i) {
      if (f(g, i) && i < *static_cast<volatile Offset*>(at)) convert::fetch_min(at, i);
    });
    return read(at);
  }

  template <class U>
  U read(const U* from) {
    return read_back(queue_, from);
  }
  template <class U>
  void set(U* to, U value) const {
    for_each(1, [=] __device__(Offset) { *to = value; });
  }

  void scan(Offset* values, Offset n);
  void sort(Array<convert::Key>& keys, convert::Key max_key);
  void sort(Array<convert::Key>& keys, Array<convert::Place>& places, convert::Key max_key);
  void sort(Array<std::uint32_t>& keys, Array<convert::Place>& places, std::uint32_t max_key);

 private:
  template <class K>
  void sort_pairs(Array<K>& keys, Array<convert::Place>& places, K max_key);
  template <Fold how, class F>
  Offset fold(Offset n, F f, Offset start) {
    if (n <= 0) return start;
    Array<Offset> result = scratch<Offset>(1);
    Offset* at = result.data();
    copy_bytes(queue_, device(), at, Device::host(), &start, sizeof(start));
    const unsigned blocks = num_blocks(n, 256) < 2048 ? num_blocks(n, 256) : 2048;
    fold_each<how><<<blocks, 256, 0, queue_.stream()>>>(n, f, start, reinterpret_cast<long long*>(at));
    check_launch("fold_each", queue_.stream());
    return read(at);
  }

  DeviceGuard guard_;
  Queue& queue_;
};

static_assert(convert::Steps<DeviceSteps>);

/// By the steps of the format; instantiated where these are at hand.
template <class Format>
Format from_csr(Queue& queue, const Csr<typename Format::value_type>& a, const FormatSpec& spec) {
  DeviceSteps steps(queue);
  return convert::Conversion<Format>::run(steps, a, spec);
}

}  // namespace millrace::cuda
