// Gauss-Jordan with pivots from the diagonal, the largest first, so that a symmetric matrix has a symmetric inverse.
#include "millrace/precond/multigrid/coarsest.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {

template <class W>
void Coarsest<W>::update(Queue& queue, const Csr<W>& a) {
  const Index n = a.num_rows;
  const bool on_host = queue.device().on_host();
  num_rows_ = n;
  if (inverse_.size() != Offset{n} * n) {
    inverse_ = Array<W>(queue, Offset{n} * n);
    factors_ = Array<double>(queue, Offset{n} * n * (on_host ? 1 : 2));
    work_ = Array<double>(queue, n);
    used_ = Array<int>(queue, n);
  }
  if (on_host) return update_on_host(queue.num_threads(), a);
  if constexpr (build::cuda)
    num_left_out_ = cuda::invert(queue, a, factors_.data(), work_.data(), used_.data(), inverse_.data());
}

template <class W>
void Coarsest<W>::update_on_host(int num_threads, const Csr<W>& a) {
  const Index n = num_rows_;
  double *const m = factors_.data(), *const size = work_.data();
  int* const used = used_.data();
  std::fill_n(m, Offset{n} * n, 0.0);
  std::fill_n(used, n, 0);
  for (Index r = 0; r < n; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      m[Offset{r} * n + a.cols.data()[s]] += static_cast<double>(a.vals.data()[s]);
  for (Index r = 0; r < n; ++r) size[r] = std::abs(m[Offset{r} * n + r]);
  num_left_out_ = n;
  for (Index step = 0; step < n; ++step) {
    Index best = -1;  // the largest part of a diagonal entry that is left
    double most = no_pivot<W>;
    for (Index r = 0; r < n; ++r)
      if (used[r] == 0 && size[r] > 0)
        if (const double part = std::abs(m[Offset{r} * n + r]) / size[r]; part > most) best = r, most = part;
    if (best < 0) break;
    used[best] = 1;
    --num_left_out_;
    double* const row = m + Offset{best} * n;
    const double inverse = 1 / row[best];
    parallel(threads_for(num_threads, Offset{n} * n, {.bytes = 16}), [&](int thread, int count) {
      const auto [begin, end] = even_part(n, thread, count);
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        if (r == best) continue;
        double* const other = m + Offset{r} * n;
        const double factor = other[best] * inverse;
        if (factor == 0) continue;
        for (Index c = 0; c < n; ++c) other[c] -= factor * row[c];
        other[best] = -factor;
      }
    });
    for (Index c = 0; c < n; ++c) row[c] *= inverse;
    row[best] = inverse;
  }
  for (Index r = 0; r < n; ++r)
    for (Index c = 0; c < n; ++c)
      inverse_.data()[Offset{r} * n + c] = used[r] == 0 || used[c] == 0 ? W{0} : static_cast<W>(m[Offset{r} * n + c]);
}

template <class W>
void Coarsest<W>::apply(Queue& queue, const W* b, W* x) const {
  const Index n = num_rows_;
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::apply_inverse(queue, n, inverse_.data(), b, x);
  constexpr int lanes = 8;
  parallel(threads_for(queue.num_threads(), Offset{n} * n, {.bytes = sizeof(W)}), [&](int thread, int count) {
    const auto [begin, end] = even_part(n, thread, count);
    for (std::int64_t r = begin; r < end; ++r) {
      const W* const row = inverse_.data() + r * n;
      W sums[lanes] = {};
      Index c = 0;
      for (; c + lanes <= n; c += lanes)
        for (int l = 0; l < lanes; ++l) sums[l] += row[c + l] * b[c + l];
      for (; c < n; ++c) sums[0] += row[c] * b[c];
      for (int width = lanes / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) sums[l] += sums[l + width];
      x[r] = sums[0];
    }
  });
}

template class Coarsest<float>;
template class Coarsest<double>;

}  // namespace millrace::multigrid
