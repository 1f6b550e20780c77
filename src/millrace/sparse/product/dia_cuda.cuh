// Diagonals on a GPU: a thread walks the diagonals of its row; neighbouring rows read neighbouring values and x.
#pragma once

#include "millrace/sparse/format/dia.hpp"
#include "millrace/sparse/product/row_dot_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {

// Mapping  one thread per row, K vectors at once; a dot product belongs to the only vector.
// Traffic  the values of the diagonals inside the matrix once, offsets from the cache, x along every diagonal, y once.
// Result   repeatable: every row is summed with its diagonals ascending.
template <int K, class A, class Dot>
__global__ void __launch_bounds__(256, K == 1 && !is_complex<A> ? 8 : 1)
    multiply_diagonals(DiaView<A> a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta, A* __restrict__ y,
                       std::int64_t ldy, Dot dot) {
  const std::int64_t row = blockIdx.x * std::int64_t{256} + threadIdx.x;
  A product{};
  if (row < a.num_rows) {
    const auto r = static_cast<Index>(row);
    const Index first = a.first_diag(r), end = a.end_diag(r), stride = a.tile_rows(r - r % a.tile);
    const A* value = a.vals + a.slot_of(r, first);
    A r_sum[K]{};
    for (Index d = first; d < end; ++d, value += stride) {
      const A* entry = x + r + a.offsets[d];
#pragma unroll
      for (int j = 0; j < K; ++j) r_sum[j] = multiply_add(*value, entry[j * ldx], r_sum[j]);
    }
#pragma unroll
    for (int j = 0; j < K; ++j) update(y[j * ldy + row], alpha, r_sum[j], beta);
    if constexpr (Dot::asked) product = dot.of_row(x, row, y[row]);
  }
  dot.add(product);
}

template <class A>
void multiply(Queue& queue, const DiaView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
              const DotRequest<A>& dot = {}) {
  if (a.num_rows == 0) return;
  launch_with_dot(queue, a.num_rows, x.num, dot, [&]<int K>(int v, auto row_dot) {
    multiply_diagonals<K><<<num_blocks(a.num_rows, dot_threads), dot_threads, 0, queue.stream()>>>(
        a, alpha, x.data + v * x.stride, x.stride, beta, y.data + v * y.stride, y.stride, row_dot);
    check_launch("multiply_diagonals", queue.stream());
  });
}

}  // namespace millrace::cuda
