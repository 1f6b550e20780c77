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
  DotParts<A> parts;
  bool with_x;

  /// The thread has written y[row], where x has the same basis, or (row < 0) nothing.
  __device__ void add(const A* x, const A* y, std::int64_t row) const {
    if (!parts.result) return;
    A product{};
    if (row >= 0) product = multiply_add(conjugate(with_x ? x[row] : y[row]), y[row], A{});
    add_up(product, parts);
  }
};

/// Its memory for one launch of so many thread blocks.
template <class A>
class RowDotScratch {
 public:
  RowDotScratch(Queue& queue, unsigned num_blocks, const DotRequest<A>& request) : request_(request) {
    if (request.with != DotWith::nothing) scratch_.emplace(queue, num_blocks);
  }
  RowDot<A> dot() const {
    return {scratch_ ? scratch_->parts(request_.result) : DotParts<A>{}, request_.with == DotWith::x};
  }

 private:
  DotRequest<A> request_;
  std::optional<DotScratch<A>> scratch_{};
};

/// Does the schedule of a view take a DotRequest?
template <class View, class A>
concept FusesDot = requires(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, const Vectors<A>& y,
                            const DotRequest<A>& dot) {
  multiply(queue, a, alpha, x, alpha, y, dot);
};

}  // namespace millrace::cuda
