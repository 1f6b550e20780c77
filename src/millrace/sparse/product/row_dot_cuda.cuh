// The dot product of x, or of the result, with the result, beside a product with one thread per row.
#pragma once

#include "millrace/base/dot_cuda.cuh"
#include "millrace/sparse/product/request.hpp"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {

/// In this namespace: it is by this argument that FusesDot finds the schedules of all views.
template <class A>
struct DotRequest {
  DotWith with = DotWith::none;
  A* result = nullptr;
};

/// What a kernel carries of it: every thread block leaves its sum, and waits for nobody (a fence at the end of each
/// cost 25 us of 4 million rows on an H200). All threads of a block call add() together at their end.
template <class A>
struct RowDot {
  static constexpr bool asked = true;
  A* block_sums;  // [num_blocks]
  bool with_x;

  /// What a row adds: `result` is its entry of y, and x has the same basis.
  __device__ A of_row(const A* x, std::int64_t row, A result) const {
    A left = result;
    if (with_x) left = x[row];
    return multiply_add(conjugate(left), result, A{});
  }
  __device__ void add(A product) const {
    const A sum = block_sum(product);
    if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
  }
};

/// The same where nobody asks: a kernel without it keeps its registers.
template <class A>
struct NoDot {
  static constexpr bool asked = false;
  __device__ void add(A) const {}
};

/// Calls launch<K>(v, dot) for the vectors of a product; a dot product belongs to the only vector, for which it
/// launches num_threads in blocks of dot_threads, and a small launch ends it.
template <class A, class Launch>
void launch_with_dot(Queue& queue, std::int64_t num_threads, int num_vectors, const DotRequest<A>& request,
                     Launch&& launch) {
  if (request.with == DotWith::none)
    return for_vector_groups(num_vectors, [&]<int K>(int v) { launch.template operator()<K>(v, NoDot<A>{}); });
  const unsigned num_sums = num_blocks(num_threads, dot_threads);
  const Scratch<A> block_sums(queue, num_sums);
  launch.template operator()<1>(0, RowDot<A>{block_sums.data(), request.with == DotWith::x});
  add_block_sums(queue, num_sums, block_sums.data(), request.result);
}

/// Does the schedule of a view take a DotRequest?
template <class View, class A>
concept FusesDot = requires(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, const Vectors<A>& y,
                            const DotRequest<A>& dot) { multiply(queue, a, alpha, x, alpha, y, dot); };

}  // namespace millrace::cuda
