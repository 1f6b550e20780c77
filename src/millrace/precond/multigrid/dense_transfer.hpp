// The prolongator and its transpose as products with its dense blocks.
#pragma once

#include "millrace/precond/multigrid/galerkin.hpp"

namespace millrace::multigrid {

/// Is there a kernel for blocks of that many rows and columns?
bool has_dense_transfer(Index block, Index num);

/// y = P x on the host, from the prolongator's own arrays: it must live longer, and new values are seen at once.
/// Traffic: blocks of values once, 4 bytes a block for its column, x and y once.
template <class W>
class DenseProlongation final : public Operator<W> {
 public:
  explicit DenseProlongation(const Prolongator<W>& p) : p_(p) {}

  Shape shape() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;
  const Prolongator<W>& p_;
};

/// y = P^T x, with the pattern of the Galerkin product, which must live longer, and a copy of the blocks in its order:
/// from where P has them a product would take thrice the time.
/// Traffic: as the prolongation.
template <class W>
class DenseRestriction final : public Operator<W> {
 public:
  DenseRestriction(const Prolongator<W>& p, const Galerkin<W>& galerkin);
  /// New values.
  void update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin);

  Shape shape() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  std::int64_t bytes() const { return values_.bytes(); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  Index block_, num_;
  const RowPattern& pattern_;  // aggregates by nodes
  Array<W> values_;            // [entries of the pattern, block, num]
};

extern template class DenseProlongation<float>;
extern template class DenseProlongation<double>;
extern template class DenseRestriction<float>;
extern template class DenseRestriction<double>;

}  // namespace millrace::multigrid
