// The dot product on a GPU: partial sums of fixed parts, then a fixed tree. No atomics.
#include "millrace/base/cuda.cuh"
#include "millrace/base/dot.hpp"

namespace millrace::cuda {
namespace {

constexpr int threads = 256;
constexpr int max_parts = 1024;

// Sum over the block, in a tree that depends on the block size alone; thread 0 has it.
template <class A>
__device__ A block_sum(A value) {
  __shared__ A s_sums[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += shuffle_down(value, offset);
  if (threadIdx.x % 32 == 0) s_sums[threadIdx.x / 32] = value;
  __syncthreads();
  A sum{};
  if (threadIdx.x == 0)
    for (int w = 0; w < threads / 32; ++w) sum += s_sums[w];
  return sum;
}

// Mapping  block (p, v) sums part p of vector v, grid-stride over the entries.
// Traffic  x and y once.
// Result   repeatable: parts depend on the length alone.
// Shared   one sum a warp.
template <class A>
__global__ void __launch_bounds__(threads)
    dot_parts(const A* x, std::int64_t ldx, const A* y, std::int64_t ldy, std::int64_t size, A* parts) {
  x += blockIdx.y * ldx;
  y += blockIdx.y * ldy;
  A sum{};
  for (std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x; i < size;
       i += gridDim.x * std::int64_t{threads})
    sum = multiply_add(conjugate(x[i]), y[i], sum);
  sum = block_sum(sum);
  if (threadIdx.x == 0) parts[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

// Mapping  block v adds the parts of vector v.
// Traffic  the parts once.
// Result   repeatable: a fixed tree.
// Shared   one sum a warp.
template <class A>
__global__ void __launch_bounds__(threads) add_parts(const A* parts, int num_parts, A* result) {
  A sum{};
  for (int i = threadIdx.x; i < num_parts; i += threads) sum += parts[blockIdx.x * num_parts + i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) result[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void dot(Queue& queue, Vectors<const T> x, Vectors<const T> y, T* result) {
  using A = Arith<T>;
  const DeviceGuard guard(queue.device());
  const cudaStream_t stream = queue.stream();
  const auto parts =
      static_cast<unsigned>(std::clamp<std::int64_t>((x.size + 8 * threads - 1) / (8 * threads), 1, max_parts));
  const auto scratch = queue.scratch<A>(static_cast<std::int64_t>(parts) * x.num);
  const auto vectors = static_cast<unsigned>(x.num);
  dot_parts<A><<<dim3(parts, vectors), threads, 0, stream>>>(arith(x.data), x.stride, arith(y.data), y.stride, x.size,
                                                             scratch.data());
  check_launch("dot_parts", stream);
  add_parts<A><<<vectors, threads, 0, stream>>>(scratch.data(), static_cast<int>(parts), arith(result));
  check_launch("add_parts", stream);
}

template void dot(Queue&, Vectors<const float>, Vectors<const float>, float*);
template void dot(Queue&, Vectors<const double>, Vectors<const double>, double*);
template void dot(Queue&, Vectors<const std::complex<float>>, Vectors<const std::complex<float>>, std::complex<float>*);
template void dot(Queue&, Vectors<const std::complex<double>>, Vectors<const std::complex<double>>,
                  std::complex<double>*);

}  // namespace millrace::cuda
