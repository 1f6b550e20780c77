// Prolongation and restriction as the cycle uses them: products with dense blocks, two matrices in CSR whose values can
// be set again, or rows in bfloat16.
#pragma once

#include <memory>

#include "millrace/precond/multigrid/dense_transfer.hpp"
#include "millrace/precond/multigrid/narrow_slices.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::multigrid {

/// y = P^T x in bfloat16 on a GPU for nodes of one unknown, several threads per row, where rows are few and long. With
/// the pattern of the Galerkin product, which must live longer.
/// Traffic: 6 bytes per entry, the vectors once.
template <class W>
class NarrowRestriction final : public Operator<W> {
 public:
  NarrowRestriction(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);
  /// New values.
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);

  std::int64_t bytes() const { return vals_.bytes(); }
  Device device() const override { return vals_.device(); }
  Shape shape() const override { return {pattern_.num_rows, pattern_.num_cols}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  const RowPattern& pattern_;  // aggregates by nodes
  Array<Bfloat16> vals_;       // [entries of the pattern]
};

/// On the host nodes of several unknowns have dense blocks. Then, and where rows are narrow, the prolongator and the
/// Galerkin product must live longer, at the places where they are.
template <class W>
class Transfer {
 public:
  /// narrow: in bfloat16, on a GPU and for nodes of one unknown; both are rounded alike, so that cycles stay symmetric.
  Transfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin, bool narrow = false);
  /// New values; the patterns are those of before.
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);

  const Operator<W>& prolongation() const { return *prolongation_; }
  const Operator<W>& restriction() const { return *restriction_; }
  /// Values of the prolongator's transpose in the order of its rows; null where nobody has them.
  const W* restriction_values() const { return dense_ || up_ ? nullptr : r_.vals.data(); }
  std::int64_t bytes() const;
  /// Of these, what is the prolongator's and the Galerkin product's own.
  std::int64_t shared_bytes() const { return shared_bytes_; }

 private:
  Csr<W> p_, r_;  // the arrays; empty where blocks are dense, or rows narrow
  std::unique_ptr<Operator<W>> prolongation_, restriction_;
  DenseRestriction<W>* dense_ = nullptr;              // is restriction_, or null
  SlicedTransfer<W>*up_ = nullptr, *down_ = nullptr;  // are the operators, or null
  NarrowRestriction<W>* few_ = nullptr;               // is restriction_ beside up_, or null
  std::int64_t shared_bytes_ = 0;
};

}  // namespace millrace::multigrid
