// A row loop on host threads, or kernels.
#include "millrace/precond/multigrid/narrow_rows.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/precond/multigrid/set_narrow.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {

template <class W>
template <class Self>
auto NarrowRows<W>::pointers(Self& self) {
  using Number = std::conditional_t<std::is_const_v<Self>, const W, W>;
  return NarrowRowsView<Number>{self.row_ptr_.data(), self.cols_.data(), self.vals_.data(), self.diagonal_.data()};
}

template <class W>
NarrowRows<W>::NarrowRows(Queue& queue, const Csr<W>& a) : NarrowMatrix<W>(queue, a.num_rows) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) {
      cuda::find_narrow_rows(queue, a, row_ptr_, cols_);
      vals_ = Array<Bfloat16>(queue, cols_.size());
      update(queue, a);
      return;
    }
  row_ptr_ = Array<Offset>(Offset{a.num_rows} + 1);
  a.visit_view([&](const auto& view) {
    parallel_for(queue.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        Offset num = 0;
        for (Index k = 0; k < view.length(r); ++k) num += view.column(view.slot(r, k)) != r;
        row_ptr_.data()[r] = num;
      }
    });
    const Offset num = lengths_to_offsets(queue.num_threads(), row_ptr_.data(), a.num_rows);
    cols_ = Array<Index>(num);
    vals_ = Array<Bfloat16>(num);
    parallel_for(queue.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        Index* to = cols_.data() + row_ptr_.data()[r];
        for (Index k = 0; k < view.length(r); ++k)
          if (const Index c = view.column(view.slot(r, k)); c != r) *to++ = c;
      }
    });
  });
  update(queue, a);
}

template <class W>
void NarrowRows<W>::update(Queue& queue, const Csr<W>& a) {
  require_in_range(set_narrow(queue, pointers(*this), a));
}

template <class W>
template <class To>
void NarrowRows<W>::multiply(Queue& queue, const W* x, const To& to) const {
  if constexpr (build::cuda) cuda::multiply_narrow(queue, pointers(*this), diagonal_.size(), vals_.size(), x, to);
}

template <class W>
void NarrowRows<W>::step(Queue& queue, const FusedStep<W>& step) const {
  multiply(queue, step.x, step);
}

template <class W>
void NarrowRows<W>::residual(Queue& queue, const W* x, const FusedResidual<W>& residual) const {
  multiply(queue, x, residual);
}

template <class W>
void NarrowRows<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  for (int v = 0; v < request.x.num; ++v) {
    const W* const x = request.x.data + v * request.x.stride;
    W* const y = request.y.data + v * request.y.stride;
    if constexpr (build::cuda)
      if (!queue.device().on_host()) {
        multiply(queue, x, FusedUpdate<W>{request.alpha, request.beta, y});
        continue;
      }
    parallel_for(queue.num_threads(), diagonal_.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        W sum = diagonal_.data()[r] * x[r];
        for (Offset s = row_ptr_.data()[r]; s < row_ptr_.data()[r + 1]; ++s)
          sum += static_cast<W>(static_cast<float>(vals_.data()[s])) * x[cols_.data()[s]];
        millrace::update(y[r], request.alpha, sum, request.beta);
      }
    });
  }
}

template class NarrowRows<float>;
template class NarrowRows<double>;

}  // namespace millrace::multigrid
