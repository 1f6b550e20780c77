// Strips of rows on host threads, diagonal by diagonal, while their sums are in a cache; or kernels.
#include "millrace/precond/multigrid/narrow_diagonals.hpp"

#include <algorithm>
#include <vector>

#include "millrace/precond/multigrid/set_narrow.hpp"

namespace millrace::multigrid {
namespace {

std::vector<Index> ascending_beside_main(std::span<const Index> diagonals) {
  std::vector<Index> offsets(diagonals.begin(), diagonals.end());
  std::erase(offsets, 0);
  std::ranges::sort(offsets);
  return offsets;
}

}  // namespace

template <class W>
template <class Self>
auto NarrowDiagonals<W>::pointers(Self& self) {
  using Number = std::conditional_t<std::is_const_v<Self>, const W, W>;
  return NarrowDiagonalsView<Number>{self.diagonal_.size(), static_cast<Index>(self.offsets_.size()),
                                     self.offsets_.data(), self.vals_.data(), self.diagonal_.data()};
}

template <class W>
NarrowDiagonals<W>::NarrowDiagonals(Queue& queue, const Csr<W>& a, std::span<const Index> diagonals)
    : NarrowMatrix<W>(queue, a.num_rows),
      offset_values_(ascending_beside_main(diagonals)),
      offsets_(Array<Index>(offset_values_).to(queue.device())) {
  vals_ = Array<Bfloat16>(queue, offsets_.size() * a.num_rows);
  update(queue, a);
}

template <class W>
void NarrowDiagonals<W>::update(Queue& queue, const Csr<W>& a) {
  require_in_range(set_narrow(queue, pointers(*this), a));
}

template <class W>
template <class X, class To>
void NarrowDiagonals<W>::multiply(Queue& queue, const X& x, const To& to) const {
  if constexpr (build::cuda)
    cuda::multiply_narrow(queue, pointers(*this), std::span<const Index>(offset_values_), x, to);
}

template <class W>
void NarrowDiagonals<W>::step(Queue& queue, const FusedStep<W>& step) const {
  if (step.x) return multiply(queue, step.x, step);
  FusedStep<W> second = step;
  second.first = 0;  // there is no x before
  multiply(queue, ScaledVector<W>{step.first, step.inverse, step.b}, second);
}

template <class W>
void NarrowDiagonals<W>::residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const {
  multiply(queue, x, residual);
}

template <class W>
void NarrowDiagonals<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  constexpr std::int64_t strip = 512;
  const std::int64_t n = diagonal_.size();
  for (int v = 0; v < request.x.num; ++v) {
    const W* const x = request.x.data + v * request.x.stride;
    W* const y = request.y.data + v * request.y.stride;
    if constexpr (build::cuda)
      if (!queue.device().on_host()) {
        multiply(queue, x, FusedUpdate<W>{request.alpha, request.beta, y});
        continue;
      }
    parallel_for(queue.num_threads(), n, [&](std::int64_t begin, std::int64_t end) {
      W sums[strip];
      for (std::int64_t first = begin; first < end; first += strip) {
        const std::int64_t last = std::min(first + strip, end);
        for (std::int64_t r = first; r < last; ++r) sums[r - first] = diagonal_.data()[r] * x[r];
        for (Offset d = 0; d < offsets_.size(); ++d) {
          const std::int64_t offset = offsets_.data()[d];
          const Bfloat16* const vals = vals_.data() + d * n;
          const std::int64_t stop = std::min(last, n - offset);
          for (std::int64_t r = std::max(first, -offset); r < stop; ++r)
            sums[r - first] += static_cast<W>(static_cast<float>(vals[r])) * x[r + offset];
        }
        for (std::int64_t r = first; r < last; ++r)
          millrace::update(y[r], request.alpha, sums[r - first], request.beta);
      }
    });
  }
}

template class NarrowDiagonals<float>;
template class NarrowDiagonals<double>;

}  // namespace millrace::multigrid
