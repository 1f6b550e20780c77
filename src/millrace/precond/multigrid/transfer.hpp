// Prolongation and restriction as the cycle uses them: products with dense blocks, or two matrices in CSR whose values
// can be set again.
#pragma once

#include <memory>

#include "millrace/precond/multigrid/dense_transfer.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::multigrid {

/// On the host nodes of several unknowns have dense blocks. Then the prolongator and the Galerkin product must live
/// longer, at the places where they are.
template <class W>
class Transfer {
 public:
  Transfer(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);
  /// New values; the patterns are those of before.
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);

  const Operator<W>& prolongation() const { return *prolongation_; }
  const Operator<W>& restriction() const { return *restriction_; }
  /// Values of the prolongator's transpose in the order of its rows; null where blocks are dense.
  const W* restriction_values() const { return dense_ ? nullptr : r_.vals.data(); }
  std::int64_t bytes() const;
  /// Of these, what is the prolongator's and the Galerkin product's own.
  std::int64_t shared_bytes() const { return shared_bytes_; }

 private:
  Csr<W> p_, r_;  // the arrays; empty where blocks are dense
  std::unique_ptr<Operator<W>> prolongation_, restriction_;
  DenseRestriction<W>* dense_ = nullptr;  // is restriction_; null: that looks at r_
  std::int64_t shared_bytes_ = 0;
};

}  // namespace millrace::multigrid
