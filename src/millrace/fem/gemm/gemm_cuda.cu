// Products of a table with many columns on a GPU: the choice among the variants, and the plain loop they are checked
// by.
#include "millrace/fem/gemm/gemm_cuda.hpp"

#include <cstring>

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {
namespace {

// Mapping  one thread per entry of the product [n, m].
// Traffic  the product once, twice where it is added to; columns and table from caches.
// Result   repeatable: ascending.
template <class T>
__global__ void __launch_bounds__(256)
    multiply_plainly(std::int64_t size, int m, int k, int row_step, int col_step, const T* __restrict__ table,
                     const T* __restrict__ in, T* __restrict__ out, bool add) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  const std::int64_t column = i / m;
  const T* a = table + i % m * row_step;
  T sum{};
  for (int c = 0; c < k; ++c) sum = fma(a[std::int64_t{c} * col_step], in[column * k + c], sum);
  out[i] = add ? out[i] + sum : sum;
}

// Mapping  a grid that stays, threads with entries in turn.
// Traffic  both vectors once.
// Result   repeatable: a maximum, of the bits of numbers that are not negative.
template <class T>
__global__ void __launch_bounds__(256) find_max_difference(std::int64_t size, const T* __restrict__ a,
                                                           const T* __restrict__ b, unsigned long long* largest) {
  double mine = 0;
  for (std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x; i < size; i += gridDim.x * std::int64_t{256}) {
    const double difference = fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    mine = difference <= mine ? mine : difference == difference ? difference : INFINITY;
  }
  if (mine > 0) atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(mine)));
}

void check_shape(const GemmShape& s) {
  require(s.m > 0 && s.k > 0 && s.n >= 0, "multiply_table: a product of ", s.m, " x ", s.k, " with ", s.k, " x ", s.n,
          " numbers; at least 1 x 1 with 1 x 0 is possible");
}

}  // namespace

template <class T>
void multiply_table(Queue& queue, const GemmShape& shape, GemmVariant variant, const T* table, const T* in, T* out,
                    Write write) {
  check_shape(shape);
  if (shape.n == 0) return;
  if (variant.kernel == GemmVariant::Kernel::library)
    multiply_by_library(queue, shape, variant.eta, table, in, out, write);
  else
    multiply_by_own_kernel(queue, shape, variant.eta, table, in, out, write);
}

template <class T>
void multiply_table(Queue& queue, const GemmShape& shape, const T* table, const T* in, T* out, Write write) {
  check_shape(shape);
  if (shape.n == 0) return;
  const GemmVariant variant = choose_gemm(gemm_table(), shape, sizeof(T), has_gemm_library(), gemm_policy());
  multiply_table(queue, shape, variant, table, in, out, write);
}

template <class T>
void multiply_table_plainly(Queue& queue, const GemmShape& shape, const T* table, const T* in, T* out, Write write) {
  check_shape(shape);
  if (shape.n == 0) return;
  const DeviceGuard guard(queue.device());
  const std::int64_t size = shape.n * shape.m;
  multiply_plainly<<<num_blocks(size, 256), 256, 0, queue.stream()>>>(
      size, shape.m, shape.k, shape.transposed ? 1 : shape.k, shape.transposed ? shape.m : 1, table, in, out,
      write == Write::add);
  check_launch("multiply_plainly", queue.stream());
}

template <class T>
double max_difference(Queue& queue, std::int64_t size, const T* a, const T* b) {
  const DeviceGuard guard(queue.device());
  Array<unsigned long long> bits = Array<unsigned long long>(1, 0ull).to(queue.device());
  constexpr std::int64_t most = 4096;  // thread blocks
  if (size > 0) {
    const auto blocks = std::min<std::int64_t>(most, (size + 255) / 256);
    find_max_difference<<<static_cast<unsigned>(blocks), 256, 0, queue.stream()>>>(size, a, b, bits.data());
    check_launch("find_max_difference", queue.stream());
    queue.wait();
  }
  double largest = 0;
  const unsigned long long found = bits.to_vector()[0];
  std::memcpy(&largest, &found, sizeof largest);
  return largest;
}

#define MILLRACE_INSTANTIATE(T)                                                                       \
  template void multiply_table(Queue&, const GemmShape&, GemmVariant, const T*, const T*, T*, Write); \
  template void multiply_table(Queue&, const GemmShape&, const T*, const T*, T*, Write);              \
  template void multiply_table_plainly(Queue&, const GemmShape&, const T*, const T*, T*, Write);      \
  template double max_difference(Queue&, std::int64_t, const T*, const T*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
