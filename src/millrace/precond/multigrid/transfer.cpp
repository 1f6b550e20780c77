// Blocks of the prolongator stay what they are, or become rows of numbers, and the same for its transpose.
#include "millrace/precond/multigrid/transfer.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/dense_transfer.hpp"
#include "millrace/precond/multigrid/narrow_slices.hpp"
#include "millrace/precond/multigrid/set_narrow.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/matrix.hpp"

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

/// With dense blocks, on the host.
template <class W>
class DenseTransfer final : public Transfer<W> {
 public:
  DenseTransfer(const Prolongator<W>& p, const Galerkin<W>& galerkin)
      : up_(p),
        down_(p, galerkin),
        shared_bytes_(p.pattern.bytes() + p.values.bytes() + galerkin.restriction().bytes()) {}

  const Operator<W>& prolongation() const override { return up_; }
  const Operator<W>& restriction() const override { return down_; }
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) override {
    down_.update(queue, p, galerkin);
  }
  std::int64_t bytes() const override { return shared_bytes_ + down_.bytes(); }
  std::int64_t shared_bytes() const override { return shared_bytes_; }

 private:
  DenseProlongation<W> up_;
  DenseRestriction<W> down_;
  std::int64_t shared_bytes_;
};

/// Two matrices in CSR.
template <class W>
class CsrTransfer final : public Transfer<W> {
 public:
  CsrTransfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin)
      : p_(expand<W>(queue, p.pattern, p.block, p.num)),
        r_(expand<W>(queue, galerkin.restriction(), p.num, p.block)),
        prolongation_(look_at(queue, p_)),
        restriction_(look_at(queue, r_)) {}

  const Operator<W>& prolongation() const override { return *prolongation_; }
  const Operator<W>& restriction() const override { return *restriction_; }
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) override;
  const W* restriction_values() const override { return r_.vals.data(); }
  std::int64_t bytes() const override { return p_.footprint().bytes + r_.footprint().bytes; }

 private:
  Csr<W> p_, r_;
  std::unique_ptr<Operator<W>> prolongation_, restriction_;
};

template <class W>
void CsrTransfer<W>::update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) {
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

/// y = P^T x in bfloat16 on a GPU for nodes of one unknown, several threads per row, where rows are few and long. With
/// the pattern of the Galerkin product, which must live longer.
/// Traffic: 6 bytes per entry, the vectors once.
template <class W>
class NarrowRestriction final : public Operator<W> {
 public:
  NarrowRestriction(Queue& queue, const Galerkin<W>& galerkin)
      : pattern_(galerkin.restriction()), vals_(queue, pattern_.num_entries()) {}
  /// New values.
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) {
    if constexpr (build::cuda)
      require_in_range(cuda::gather_narrow(queue, galerkin.entries(), p.values.data(), vals_.data()));
  }

  std::int64_t shared_bytes() const { return pattern_.bytes(); }
  std::int64_t bytes() const { return pattern_.bytes() + vals_.bytes(); }
  Device device() const override { return vals_.device(); }
  Shape shape() const override { return {pattern_.num_rows, pattern_.num_cols}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    return narrow_traffic<W>(shape(), bytes(), pattern_.num_entries(), num_vectors, reads_y);
  }

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  const RowPattern& pattern_;  // aggregates by nodes
  Array<Bfloat16> vals_;       // [entries of the pattern]
};

template <class W>
void NarrowRestriction<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  const NarrowRowsView<const W> rows{pattern_.row_ptr.data(), pattern_.cols.data(), vals_.data(), nullptr};
  if constexpr (build::cuda)
    for (int v = 0; v < request.x.num; ++v)
      cuda::multiply_narrow(queue, rows, pattern_.num_rows, pattern_.num_entries(),
                            static_cast<const W*>(request.x.data + v * request.x.stride),
                            FusedUpdate<W>{request.alpha, request.beta, request.y.data + v * request.y.stride});
}

/// Rows in bfloat16 in slices, both ways.
template <class W>
class SlicedTransfers final : public Transfer<W> {
 public:
  SlicedTransfers(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin)
      : up_(queue, p.pattern, nullptr, p.values.data()),
        down_(queue, galerkin.restriction(), galerkin.entries().data(), p.values.data()) {}

  const Operator<W>& prolongation() const override { return up_; }
  const Operator<W>& restriction() const override { return down_; }
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) override {
    up_.update(queue, p.pattern, nullptr, p.values.data());
    down_.update(queue, galerkin.restriction(), galerkin.entries().data(), p.values.data());
  }
  std::int64_t bytes() const override { return up_.bytes() + down_.bytes(); }

 private:
  SlicedTransfer<W> up_, down_;
};

/// Rows in bfloat16, in slices one way: there are few aggregates.
template <class W>
class FewAggregates final : public Transfer<W> {
 public:
  FewAggregates(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin)
      : up_(queue, p.pattern, nullptr, p.values.data()), down_(queue, galerkin) {
    down_.update(queue, p, galerkin);
  }

  const Operator<W>& prolongation() const override { return up_; }
  const Operator<W>& restriction() const override { return down_; }
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) override {
    up_.update(queue, p.pattern, nullptr, p.values.data());
    down_.update(queue, p, galerkin);
  }
  std::int64_t bytes() const override { return up_.bytes() + down_.bytes(); }
  std::int64_t shared_bytes() const override { return down_.shared_bytes(); }

 private:
  SlicedTransfer<W> up_;
  NarrowRestriction<W> down_;
};

}  // namespace

template <class W>
std::unique_ptr<Transfer<W>> make_transfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin,
                                           bool narrow) {
  if (narrow) {
    if (galerkin.restriction().num_rows < few_rows) return std::make_unique<FewAggregates<W>>(queue, p, galerkin);
    return std::make_unique<SlicedTransfers<W>>(queue, p, galerkin);
  }
  if (queue.device().on_host() && has_dense_transfer(p.block, p.num)) {
    auto made = std::make_unique<DenseTransfer<W>>(p, galerkin);
    made->update(queue, p, galerkin);
    return made;
  }
  auto made = std::make_unique<CsrTransfer<W>>(queue, p, galerkin);
  made->update(queue, p, galerkin);
  return made;
}

template std::unique_ptr<Transfer<float>> make_transfer(Queue&, const Prolongator<float>&, const Galerkin<float>&,
                                                        bool);
template std::unique_ptr<Transfer<double>> make_transfer(Queue&, const Prolongator<double>&, const Galerkin<double>&,
                                                         bool);

}  // namespace millrace::multigrid
