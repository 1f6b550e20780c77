// Blocks of the prolongator stay what they are, or become rows of numbers, and the same for its transpose.
#include "millrace/precond/multigrid/transfer.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/set_narrow.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {
namespace {

constexpr Index few_rows = 150'000;  // fewer do not keep a GPU busy with a thread per row

template <class W>
std::unique_ptr<Operator<W>> look_at(Queue& queue, const Csr<W>& a) {
  return std::visit(
      [&]<class RowOffset>(const Array<RowOffset>& row_ptr) {
        return std::make_unique<SparseMatrix<W>>(
            queue,
            AnyFormat<W>(Csr<W>::wrap(a.num_rows, a.num_cols, row_ptr.device_span(), a.cols.device_span(),
                                      a.vals.device_span(), trust)),
            trust);
      },
      a.row_ptr);
}

}  // namespace

template <class W>
NarrowRestriction<W>::NarrowRestriction(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin)
    : pattern_(galerkin.restriction()), vals_(queue, pattern_.num_entries()) {
  update(queue, p, galerkin);
}

template <class W>
void NarrowRestriction<W>::update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) {
  if constexpr (build::cuda)
    require_in_range(cuda::gather_narrow(queue, galerkin.entries(), p.values.data(), vals_.data()));
}

template <class W>
Traffic NarrowRestriction<W>::traffic(int num_vectors, bool reads_y) const {
  return narrow_traffic<W>(shape(), pattern_.bytes() + vals_.bytes(), pattern_.num_entries(), num_vectors, reads_y);
}

template <class W>
void NarrowRestriction<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  const NarrowRowsView<const W> rows{pattern_.row_ptr.data(), pattern_.cols.data(), vals_.data(), nullptr};
  if constexpr (build::cuda)
    for (int v = 0; v < request.x.num; ++v)
      cuda::multiply_narrow(queue, rows, pattern_.num_rows, pattern_.num_entries(),
                            static_cast<const W*>(request.x.data + v * request.x.stride),
                            FusedUpdate<W>{request.alpha, request.beta, request.y.data + v * request.y.stride});
}

template <class W>
Transfer<W>::Transfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin, bool narrow) {
  if (narrow) {
    const RowPattern& restriction = galerkin.restriction();
    auto up = std::make_unique<SlicedTransfer<W>>(queue, p.pattern, nullptr, p.values.data());
    up_ = up.get();
    prolongation_ = std::move(up);
    if (restriction.num_rows < few_rows) {
      auto down = std::make_unique<NarrowRestriction<W>>(queue, p, galerkin);
      few_ = down.get();
      restriction_ = std::move(down);
      shared_bytes_ = restriction.bytes();
    } else {
      auto down = std::make_unique<SlicedTransfer<W>>(queue, restriction, galerkin.entries().data(), p.values.data());
      down_ = down.get();
      restriction_ = std::move(down);
    }
    return;
  }
  if (queue.device().on_host() && has_dense_transfer(p.block, p.num)) {
    prolongation_ = std::make_unique<DenseProlongation<W>>(p);
    auto down = std::make_unique<DenseRestriction<W>>(p, galerkin);
    dense_ = down.get();
    restriction_ = std::move(down);
    shared_bytes_ = p.pattern.bytes() + p.values.bytes() + galerkin.restriction().bytes();
  } else {
    p_ = expand<W>(queue, p.pattern, p.block, p.num);
    r_ = expand<W>(queue, galerkin.restriction(), p.num, p.block);
    prolongation_ = look_at(queue, p_);
    restriction_ = look_at(queue, r_);
  }
  update(queue, p, galerkin);
}

template <class W>
std::int64_t Transfer<W>::bytes() const {
  if (up_) return up_->bytes() + (few_ ? shared_bytes_ + few_->bytes() : down_->bytes());
  return dense_ ? shared_bytes_ + dense_->bytes() : p_.footprint().bytes + r_.footprint().bytes;
}

template <class W>
void Transfer<W>::update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) {
  if (dense_) return dense_->update(queue, p, galerkin);
  if (up_) {
    up_->update(queue, p.pattern, nullptr, p.values.data());
    if (few_) return few_->update(queue, p, galerkin);
    return down_->update(queue, galerkin.restriction(), galerkin.entries().data(), p.values.data());
  }
  const FillTransfer<W> fill{p.block,
                             p.num,
                             p.values.data(),
                             p.pattern.view(),
                             galerkin.restriction().view(),
                             galerkin.entries().data(),
                             p_.vals.data(),
                             r_.vals.data()};
  const Offset num_nodes = p.pattern.num_rows, num_aggregates = p.pattern.num_cols;
  if constexpr (build::cuda)
    if (!queue.device().on_host())
      return cuda::fill_transfer(queue, num_nodes, num_aggregates, p.pattern.num_entries(), fill);
  parallel_for(queue.num_threads(), num_nodes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) fill.node(i);
  });
  parallel_for(queue.num_threads(), num_aggregates, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) fill.aggregate(g);
  });
}

template class NarrowRestriction<float>;
template class NarrowRestriction<double>;
template class Transfer<float>;
template class Transfer<double>;

}  // namespace millrace::multigrid
