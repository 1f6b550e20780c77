// Constraints on single entries of a vector of unknowns: an operator whose rows and columns act as the identity there,
// and the right-hand side that goes with given values.
#pragma once

#include <span>

#include "millrace/solve/operator_ref.hpp"

namespace millrace {

/// P A P + (I - P), where P sets the constrained entries to zero: symmetric when A is, positive definite when A is so
/// on the free entries. A must be square and live longer than this; temporaries are refused. On host and GPU. Traffic:
/// that of A, a copy of x, and the constrained entries.
template <class T>
class ConstrainedOperator final : public Operator<T> {
 public:
  /// `entries`: numbers of the constrained ones, in any order; repeated ones count once.
  ConstrainedOperator(const OperatorRef<T>& a, std::span<const Index> entries);

  Shape shape() const override { return a_->shape(); }
  Device device() const override { return a_->device(); }
  Comm comm() const override { return a_->comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return a_->can_transpose(); }
  /// The constrained entries, ascending, on the device of A.
  const Array<Index>& entries() const { return entries_; }

  /// Can A write its diagonal?
  bool has_diagonal() const { return a_.has_diagonal(); }
  /// y = the diagonal, 1 at constrained entries, on the device of A.
  void diagonal(Queue& queue, Vectors<T> y) const;

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  OperatorRef<T> a_;
  Array<Index> entries_;  // [num_constrained]
  Array<T> zeros_;        // [num_constrained]
};

extern template class ConstrainedOperator<float>;
extern template class ConstrainedOperator<double>;
extern template class ConstrainedOperator<std::complex<float>>;
extern template class ConstrainedOperator<std::complex<double>>;

/// The right-hand side for unknowns of which some are given: b = b - A g at the free entries, where g has the values at
/// the constrained entries and zeros elsewhere, and b = g at the constrained ones. Solving with ConstrainedOperator(A)
/// then gives these values. A is the operator without constraints; entries ascend; queue and b are where A is.
template <class T>
void lift(Queue& queue, const Operator<T>& a, std::span<const Index> entries,
          std::type_identity_t<std::span<const T>> values, std::type_identity_t<Vectors<T>> b);

}  // namespace millrace
