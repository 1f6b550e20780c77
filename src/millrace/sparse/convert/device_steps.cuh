// The stage of conversions that is a GPU: one queue, a kernel for every step, CUB for running sums and sorts.
#pragma once

#include "millrace/base/array.hpp"
#include "millrace/base/cuda.cuh"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/steps.hpp"

namespace millrace::cuda {

// Mapping  one thread an item.
// Traffic  what f touches.
// Result   repeatable when f is: items do not meet but in atomics of integers.
template <class F>
__global__ void __launch_bounds__(256) run_each(Offset n, F f) {
  const Offset i = blockIdx.x * Offset{256} + threadIdx.x;
  if (i < n) f(i);
}

enum class Fold { sum, largest, smallest };

template <Fold fold>
__device__ inline long long folded(long long a, long long b) {
  if constexpr (fold == Fold::sum)
    return a + b;
  else if constexpr (fold == Fold::largest)
    return a > b ? a : b;
  else
    return a < b ? a : b;
}

// Mapping  grid-stride over the items; a warp folds its own in a tree, then one atomic a warp.
// Traffic  what f touches.
// Result   repeatable: the sum, the largest or the smallest of integers.
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
  else if constexpr (fold == Fold::largest)
    atomicMax(result, value);
  else
    atomicMin(result, value);
}

class DeviceStage : convert::FindsConversions {
 public:
  /// Begins when all work given to that GPU before is done.
  explicit DeviceStage(Device device) : guard_(device), queue_(device) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  /// In the order of a queue's work.
  explicit DeviceStage(const Queue& queue)
      : guard_(queue.device()), queue_(Queue::borrow(queue.device(), queue.stream())) {}

  Device device() const { return queue_.device(); }
  void wait() const { queue_.wait(); }

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

  template <class F>
  Offset sum(Offset n, F f) {
    return fold<Fold::sum>(n, f, 0);
  }
  template <class F>
  Offset largest(Offset n, F f) {
    return fold<Fold::largest>(n, f, 0);
  }
  template <class F>
  Offset first(Offset n, F f) {
    return fold<Fold::smallest>(
        n, [=] __device__(Offset i) { return f(i) ? i : n; }, n);
  }

  template <class U>
  U read(const U* from) {
    U value{};
    copy_bytes(queue_, Device::host(), &value, device(), from, sizeof(U));
    queue_.wait();
    return value;
  }

  void scan(Offset* values, Offset n);
  void sort(Array<convert::Key>& keys, convert::Key largest);
  void sort(Array<convert::Key>& keys, Array<convert::Place>& places, convert::Key largest);

 private:
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
  Queue queue_;
};

/// Runs f with a stage on that GPU, or in the order of a queue, and waits for what it did.
template <class Where, class F>
auto on_stage(const Where& where, F&& f) {
  DeviceStage stage(where);
  auto result = f(stage);
  stage.wait();
  return result;
}

/// By the `make` of the format among the conversions; instantiated where that is at hand.
template <class Format>
Format from_csr(const Csr<typename Format::value_type>& a, const FormatSpec& spec) {
  return on_stage(a.device(), [&](DeviceStage& stage) {
    Format b;
    make(stage, a, spec, b);
    return b;
  });
}

}  // namespace millrace::cuda
