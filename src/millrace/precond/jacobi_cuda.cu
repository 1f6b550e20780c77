// Jacobi on a GPU: one thread per entry of the diagonal.
#include "millrace/base/cuda.cuh"
#include "millrace/base/scalar.hpp"
#include "millrace/precond/jacobi_cuda.hpp"

namespace millrace::cuda {
namespace {

constexpr int threads = 256;

// Mapping  one thread per row, which looks for its diagonal entry.
// Traffic  rows' columns once, up to the diagonal entries; the inverse once.
// Result   repeatable: repeated entries in stored order; *bad is the smallest row at fault.
template <class View, class A, class S>
__global__ void __launch_bounds__(threads) find_inverse_diagonal(View a, bool zero_as_one, S* inverse, Index* bad) {
  const std::int64_t r = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (r >= a.num_rows) return;
  A sum{};
  for (Offset s = a.row_ptr[r]; s < static_cast<Offset>(a.row_ptr[r + 1]); ++s)
    if (a.cols[s] == static_cast<Index>(r)) sum += a.vals[s];
  const bool zero = is_zero(sum);
  inverse[r] = change_type<S>(zero ? one<A>() : reciprocal(sum));
  if (zero && !zero_as_one) atomicMin(bad, static_cast<Index>(r));
}

// Mapping  one thread per entry, grid y: the vectors.
// Traffic  the inverse diagonal, x and y once (y twice when beta is not 0).
// Result   repeatable.
template <class A, class S>
__global__ void __launch_bounds__(threads)
    scale(const S* __restrict__ inverse, std::int64_t size, bool conjugated, A alpha, const A* __restrict__ x,
          std::int64_t ldx, A beta, A* __restrict__ y, std::int64_t ldy) {
  const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (i >= size) return;
  const A d = change_type<A>(inverse[i]);
  update(y[blockIdx.y * ldy + i], alpha, (conjugated ? conjugate(d) : d) * x[blockIdx.y * ldx + i], beta);
}

}  // namespace

template <class T>
Index invert_diagonal(Queue& queue, const Csr<T>& a, bool zero_as_one, NarrowArray<T>& inverse) {
  if (a.num_rows == 0) return 0;
  const DeviceGuard guard(queue.device());
  Array<Index> bad = Array<Index>(1, a.num_rows).to(queue.device());
  a.visit_view([&]<class View>(const View& view) {
    inverse.visit([&]<class S>(S* to) {
      find_inverse_diagonal<View, Arith<T>, S>
          <<<num_blocks(a.num_rows, threads), threads, 0, queue.stream()>>>(view, zero_as_one, to, bad.data());
      check_launch("find_inverse_diagonal", queue.stream());
    });
  });
  queue.wait();
  return bad.to_vector()[0];
}

template <class T>
void apply_jacobi(Queue& queue, const NarrowArray<T>& inverse, bool conjugated, Arith<T> alpha,
                  const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y) {
  if (y.size == 0) return;
  const DeviceGuard guard(queue.device());
  inverse.visit([&](const auto* d) {
    constexpr int max_vectors = 65535;  // of a launch
    for (int v = 0; v < y.num; v += max_vectors) {
      const dim3 blocks(num_blocks(y.size, threads), static_cast<unsigned>(std::min(max_vectors, y.num - v)));
      scale<Arith<T>><<<blocks, threads, 0, queue.stream()>>>(d, y.size, conjugated, alpha, x.data + v * x.stride,
                                                              x.stride, beta, y.data + v * y.stride, y.stride);
      check_launch("scale", queue.stream());
    }
  });
}

#define MILLRACE_INSTANTIATE(T)                                                                                       \
  template Index invert_diagonal(Queue&, const Csr<T>&, bool, NarrowArray<T>&);                                       \
  template void apply_jacobi(Queue&, const NarrowArray<T>&, bool, Arith<T>, const Vectors<const Arith<T>>&, Arith<T>, \
                             const Vectors<Arith<T>>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
