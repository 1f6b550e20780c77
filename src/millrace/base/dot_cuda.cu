// The dot product on a GPU, in one launch: sums of fixed parts, added up in a fixed tree. No atomics on numbers.
#include "millrace/base/dot_cuda.cuh"

#include "millrace/base/dot.hpp"
#include "millrace/base/multiprocessors.hpp"

namespace millrace::cuda {
namespace {

// Mapping  block (p, v) sums part p of vector v, grid-stride over the entries.
// Traffic  x and y once.
// Result   repeatable: parts depend on the length alone.
template <class A>
__global__ void __launch_bounds__(dot_threads)
    multiply_entries(const A* x, std::int64_t ldx, const A* y, std::int64_t ldy, std::int64_t size, DotParts<A> dot) {
  x += blockIdx.y * ldx;
  y += blockIdx.y * ldy;
  A sum{};
#pragma unroll 4
  for (std::int64_t i = blockIdx.x * std::int64_t{dot_threads} + threadIdx.x; i < size;
       i += gridDim.x * std::int64_t{dot_threads})
    sum = multiply_add(conjugate(x[i]), y[i], sum);
  add_up(sum, dot);
}

}  // namespace

template <class T>
void dot(Queue& queue, Vectors<const T> x, Vectors<const T> y, T* result) {
  using A = Arith<T>;
  const DeviceGuard guard(queue.device());
  const cudaStream_t stream = queue.stream();
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((x.size + 8 * dot_threads - 1) / (8 * dot_threads), 1, dot_blocks));
  constexpr int max_vectors = 65535;  // of one launch
  for (int v = 0; v < x.num; v += max_vectors) {
    const int vectors = std::min(max_vectors, x.num - v);
    const DotScratch<A> scratch(queue, blocks, vectors);
    multiply_entries<A><<<dim3(blocks, static_cast<unsigned>(vectors)), dot_threads, 0, stream>>>(
        arith(x.data) + v * x.stride, x.stride, arith(y.data) + v * y.stride, y.stride, x.size,
        scratch.parts(arith(result) + v));
    check_launch("multiply_entries", stream);
  }
}

template void dot(Queue&, Vectors<const float>, Vectors<const float>, float*);
template void dot(Queue&, Vectors<const double>, Vectors<const double>, double*);
template void dot(Queue&, Vectors<const std::complex<float>>, Vectors<const std::complex<float>>, std::complex<float>*);
template void dot(Queue&, Vectors<const std::complex<double>>, Vectors<const std::complex<double>>,
                  std::complex<double>*);

}  // namespace millrace::cuda
