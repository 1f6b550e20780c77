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

/// What a kernel carries of it. All threads of a block call add() together at their end.
template <class A>
struct RowDot {
  static constexpr bool asked = true;
  DotParts<A> parts;
  bool with_x;

  /// `sum` and what a row adds to it; the thread has written y[row], and x has the same basis.
  __device__ A with_row(const A* x, const A* y, std::int64_t row, A sum) const {
    return multiply_add(conjugate(with_x ? x[row] : y[row]), y[row], sum);
  }
  __device__ void add(A sum) const { add_up(sum, parts); }
};

/// The same where nobody asks: a kernel without it keeps its registers.
template <class A>
struct NoDot {
  static constexpr bool asked = false;
  __device__ A with_row(const A*, const A*, std::int64_t, A sum) const { return sum; }
  __device__ void add(A) const {}
};

/// Its memory for one launch, and the thread blocks of that: one for every 256 rows, but where a dot product is asked
/// for few that stride over the rows, since each of them waits for its writes before it hands its sum on.
template <class A>
class RowDotScratch {
 public:
  RowDotScratch(Queue& queue, std::int64_t num_rows, const DotRequest<A>& request)
      : request_(request), num_blocks_(cuda::num_blocks(num_rows, dot_threads)) {
    if (request.with == DotWith::nothing) return;
    num_blocks_ = std::min(num_blocks_, most_blocks);
    scratch_.emplace(queue, num_blocks_);
  }
  unsigned num_blocks() const { return num_blocks_; }
  RowDot<A> dot() const {
    return {scratch_ ? scratch_->parts(request_.result) : DotParts<A>{}, request_.with == DotWith::x};
  }

 private:
  static constexpr unsigned most_blocks = 1056;  // 8 on each multiprocessor of an H200
  DotRequest<A> request_;
  unsigned num_blocks_;
  std::optional<DotScratch<A>> scratch_{};
};

/// Does the schedule of a view take a DotRequest?
template <class View, class A>
concept FusesDot = requires(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, const Vectors<A>& y,
                            const DotRequest<A>& dot) {
  multiply(queue, a, alpha, x, alpha, y, dot);
};

}  // namespace millrace::cuda
