// Diagonals on a GPU: a thread walks the diagonals of its row; neighbouring rows read neighbouring values and x.
#pragma once

#include "millrace/sparse/format/dia.hpp"
#include "millrace/sparse/product/row_dot_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {

/// Rows of a thread, 256 apart: two of floats, so that as many bytes are on their way as with one of doubles.
template <int K, class A>
constexpr int dia_rows = K == 1 && sizeof(A) == 4 ? 2 : 1;

// Mapping  one or two rows per thread, K vectors at once; a dot product belongs to the only vector.
// Traffic  the values of the diagonals inside the matrix once, offsets from the cache, x along every diagonal, y once.
// Result   repeatable: every row is summed with its diagonals ascending.
template <int K, class A, class Dot>
__global__ void __launch_bounds__(256, K == 1 && !is_complex<A> ? 8 : 1)
    multiply_diagonals(DiaView<A> a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta, A* __restrict__ y,
                       std::int64_t ldy, Dot dot) {
  constexpr int rows = dia_rows<K, A>;
  const std::int64_t row = blockIdx.x * std::int64_t{256 * rows} + threadIdx.x;
  A product{};
  const auto finish = [&](std::int64_t at, const A* r_sum) {
#pragma unroll
    for (int j = 0; j < K; ++j) update(y[j * ldy + at], alpha, r_sum[j], beta);
    if constexpr (Dot::asked) product += dot.of_row(x, at, y[at]);
  };
  const auto run_row = [&](std::int64_t at) {
    const auto r = static_cast<Index>(at);
    const Index first = a.first_diag(r), end = a.end_diag(r), stride = a.tile_rows(r - r % a.tile);
    const A* value = a.vals + a.slot_of(r, first);
    A r_sum[K]{};
    for (Index d = first; d < end; ++d, value += stride) {
      const A* entry = x + r + a.offsets[d];
#pragma unroll
      for (int j = 0; j < K; ++j) r_sum[j] = multiply_add(*value, entry[j * ldx], r_sum[j]);
    }
    finish(at, r_sum);
  };
  if constexpr (rows == 1) {
    if (row < a.num_rows) run_row(row);
  } else {
    const auto r = static_cast<Index>(row), other = r + 256;
    const bool inside = row + 256 < a.num_rows && a.first_diag(r) == 0 && a.end_diag(other) == a.num_diags &&
                        a.tile_rows(other - other % a.tile) == a.tile;
    if (inside) {  // both have all diagonals
      const A *value = a.vals + a.slot_of(r, 0), *value2 = a.vals + a.slot_of(other, 0);
      A sum{}, sum2{};
#pragma unroll 4
      for (Index d = 0; d < a.num_diags; ++d, value += a.tile, value2 += a.tile) {
        const A* entry = x + r + a.offsets[d];
        sum = multiply_add(*value, entry[0], sum);
        sum2 = multiply_add(*value2, entry[256], sum2);
      }
      finish(row, &sum);
      finish(row + 256, &sum2);
    } else {
      if (row < a.num_rows) run_row(row);
      if (row + 256 < a.num_rows) run_row(row + 256);
    }
  }
  dot.add(product);
}

template <class A>
void multiply(Queue& queue, const DiaView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
              const DotRequest<A>& dot = {}) {
  if (a.num_rows == 0) return;
  const std::int64_t of_one = dia_rows<1, A>, num_threads = (a.num_rows + of_one - 1) / of_one;  // for one vector
  launch_with_dot(queue, num_threads, x.num, dot, [&]<int K>(int v, auto row_dot) {
    multiply_diagonals<K><<<num_blocks(a.num_rows, dot_threads * dia_rows<K, A>), dot_threads, 0, queue.stream()>>>(
        a, alpha, x.data + v * x.stride, x.stride, beta, y.data + v * y.stride, y.stride, row_dot);
    check_launch("multiply_diagonals", queue.stream());
  });
}

}  // namespace millrace::cuda
