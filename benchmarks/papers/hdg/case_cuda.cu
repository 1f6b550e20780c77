// Values of a case, made on the GPU from their positions, and the check of a product that makes them once more instead
// of reading them.
#include "case.hpp"

#include <limits>

#include "millrace/base/cuda.cuh"

namespace millrace::hdg_case::cuda {
namespace {

using millrace::cuda::check;
using millrace::cuda::check_launch;
using millrace::cuda::DeviceGuard;
using millrace::cuda::num_blocks;

constexpr int threads = 256;

/// The mixing step of SplitMix64 (Steele, Lea, Flood 2014), twice.
template <class T>
__device__ T value_at(std::uint64_t position) {
  const auto mix = [](std::uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  const std::uint64_t bits = mix(2 ^ mix(position));
  const double size = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  return static_cast<T>(bits & 1 ? -size : size);
}

// Mapping  grid-stride over the values; position of column k, row i of face l: i + m (k + q l).
// Traffic  every value written once.
// Result   repeatable: a function of the position.
template <class T>
__global__ void __launch_bounds__(threads) fill(Sizes s, bool all_in_one_group, T* __restrict__ values) {
  const auto size = static_cast<std::uint64_t>(s.num_values()), rows = static_cast<std::uint64_t>(s.num_rows());
  const std::uint64_t step = std::uint64_t{gridDim.x} * threads;
  for (std::uint64_t slot = blockIdx.x * std::uint64_t{threads} + threadIdx.x; slot < size; slot += step) {
    std::uint64_t position = slot;
    if (all_in_one_group) {
      const auto m = static_cast<unsigned>(s.m), row = static_cast<unsigned>(slot % rows);
      position = row % m + m * (slot / rows + static_cast<std::uint64_t>(s.q) * (row / m));
    }
    values[slot] = value_at<T>(position);
  }
}

// Mapping  one thread per row of y.
// Traffic  neighbours, x by gathers, y once; no value of the matrix.
// Result   repeatable: the smallest number of a row that is wrong, by an atomic minimum of integers.
template <class T>
__global__ void __launch_bounds__(threads)
    compare(Sizes s, const Index* __restrict__ neighbours, const T* __restrict__ x, const T* __restrict__ y,
            double epsilon, unsigned* wrong) {
  const unsigned row = blockIdx.x * threads + threadIdx.x;
  if (row >= s.num_rows()) return;
  const unsigned m = static_cast<unsigned>(s.m), face = row / m;
  const Index* table = neighbours + static_cast<Offset>(face) * s.na;
  std::uint64_t position = row % m + static_cast<std::uint64_t>(m) * static_cast<unsigned>(s.q) * face;
  double sum = 0, magnitude = 0;
  for (Index k = 0; k < s.na; ++k) {
    const T* from = x + static_cast<Offset>(table[k]) * s.m;
    for (unsigned j = 0; j < m; ++j, position += m) {
      const double product = static_cast<double>(value_at<T>(position)) * static_cast<double>(from[j]);
      sum += product;
      magnitude += fabs(product);
    }
  }
  const double bound = 2 * (s.q + 2.0) * epsilon * magnitude;
  if (!(fabs(static_cast<double>(y[row]) - sum) <= bound)) atomicMin(wrong, row);  // a NaN is wrong, too
}

}  // namespace

template <class T>
void fill_values(Queue& queue, const Sizes& sizes, bool all_in_one_group, DeviceSpan<T> values) {
  require(values.size() == sizes.num_values(), "fill_values: there is room for ", values.size(), " of ",
          sizes.num_values(), " values");
  const DeviceGuard guard(queue.device());
  fill<<<4096, threads, 0, queue.stream()>>>(sizes, all_in_one_group, values.data());
  check_launch("fill", queue.stream());
}

template <class T>
void poison(Queue& queue, DeviceSpan<T> values) {
  const DeviceGuard guard(queue.device());
  const auto bytes = static_cast<std::size_t>(values.size()) * sizeof(T);
  check(cudaMemsetAsync(values.data(), 0xff, bytes, queue.stream()), "cudaMemsetAsync");  // all bits set is a NaN
}

template <class T>
std::optional<Offset> wrong_row(Queue& queue, const Sizes& sizes, DeviceSpan<const Index> neighbours,
                                DeviceSpan<const T> x, DeviceSpan<const T> y) {
  const DeviceGuard guard(queue.device());
  constexpr unsigned none = std::numeric_limits<unsigned>::max();
  Array<unsigned> found = Array<unsigned>{none}.to(queue.device());
  compare<<<num_blocks(sizes.num_rows(), threads), threads, 0, queue.stream()>>>(
      sizes, neighbours.data(), x.data(), y.data(), std::numeric_limits<T>::epsilon(), found.data());
  check_launch("compare", queue.stream());
  queue.wait();
  const unsigned row = found.to_vector().front();
  return row == none ? std::nullopt : std::optional<Offset>(row);
}

#define MILLRACE_INSTANTIATE(T)                                                                                \
  template void fill_values(Queue&, const Sizes&, bool, DeviceSpan<T>);                                        \
  template void poison(Queue&, DeviceSpan<T>);                                                                 \
  template std::optional<Offset> wrong_row(Queue&, const Sizes&, DeviceSpan<const Index>, DeviceSpan<const T>, \
                                           DeviceSpan<const T>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::hdg_case::cuda
