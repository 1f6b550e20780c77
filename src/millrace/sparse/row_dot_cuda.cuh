// The dot product of x, or of the result, with the result, beside a product that gives one thread a row.
#pragma once

#include <optional>

#include "millrace/base/dot_cuda.cuh"
#include "millrace/base/operator.hpp"

namespace millrace::cuda {

template <class A>
struct DotRequest {
  DotWith with = DotWith::nothing;
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

/// The memory of a dot product beside a launch of so many rows, and the small launch that ends it.
template <class A>
class RowDotScratch {
 public:
  RowDotScratch(Queue& queue, std::int64_t num_rows, const DotRequest<A>& request)
      : queue_(queue), request_(request), num_sums_(num_blocks(num_rows, dot_threads)) {
    if (request.with == DotWith::nothing) return;
    block_sums_.emplace(queue, num_sums_);
  }
  RowDot<A> dot() const { return {block_sums_->data(), request_.with == DotWith::x}; }
  void finish() const { add_block_sums(queue_, num_sums_, block_sums_->data(), request_.result); }

 private:
  Queue& queue_;
  DotRequest<A> request_;
  unsigned num_sums_;
  std::optional<Scratch<A>> block_sums_{};
};

/// Does the schedule of a view take a DotRequest?
template <class View, class A>
concept FusesDot = requires(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, const Vectors<A>& y,
                            const DotRequest<A>& dot) {
  multiply(queue, a, alpha, x, alpha, y, dot);
};

}  // namespace millrace::cuda
