// Strips of rows on host threads, diagonal by diagonal, while their sums are in a cache.
#include "millrace/precond/multigrid/narrow_diagonals.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"

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
NarrowDiagonals<W>::NarrowDiagonals(Queue& queue, const Csr<W>& a, std::span<const Index> diagonals)
    : NarrowMatrix<W>(a.num_rows), offsets_(ascending_beside_main(diagonals)) {
  vals_ = Array<Bfloat16>(offsets_.size() * a.num_rows);
  update(queue, a);
}

template <class W>
void NarrowDiagonals<W>::update(Queue& queue, const Csr<W>& a) {
  const std::int64_t n = a.num_rows;
  const std::span<const Index> offsets = offsets_.span();
  a.visit_view([&](const auto& view) {
    parallel_for(queue.num_threads(), n, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double> sums(offsets.size());
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        double own = 0;
        std::ranges::fill(sums, 0.0);
        for (Index k = 0; k < view.length(r); ++k) {
          const Offset s = view.slot(r, k);
          const Index offset = view.column(s) - r;
          if (offset == 0)
            own += static_cast<double>(view.value(s));
          else
            sums[to_size(std::ranges::lower_bound(offsets, offset) - offsets.begin())] +=
                static_cast<double>(view.value(s));
        }
        for (std::size_t d = 0; d < offsets.size(); ++d)
          own += this->round_to(vals_.data()[static_cast<std::int64_t>(d) * n + r], sums[d]);
        this->set_diagonal(r, own);
      }
    });
  });
}

template <class W>
void NarrowDiagonals<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  constexpr std::int64_t strip = 512;
  const std::int64_t n = diagonal_.size();
  for (int v = 0; v < request.x.num; ++v) {
    const W* const x = request.x.data + v * request.x.stride;
    W* const y = request.y.data + v * request.y.stride;
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
