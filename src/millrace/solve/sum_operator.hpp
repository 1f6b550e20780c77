// A sum of operators as an operator: a volume term and a boundary term, or a mass matrix over a time step and a
// stiffness matrix.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/solve/operator_ref.hpp"

namespace millrace {

/// y = alpha (f_1 A_1 + f_2 A_2 + ...) x + beta y: the parts are applied one after another, in the order given, and
/// nothing is fused. They are of one shape, on one device, and must live longer than this; temporaries are refused.
/// Traffic: that of the parts; all but the first read y.
template <class T>
class SumOperator final : public Operator<T> {
 public:
  /// A + B + ..., each with the factor 1.
  template <class... A>
    requires(sizeof...(A) >= 2 && (std::derived_from<std::remove_cvref_t<A>, Operator<T>> && ...))
  SumOperator(A&&... parts) {
    (add(std::forward<A>(parts)), ...);
  }
  /// f A; `add` more.
  SumOperator(T factor, const OperatorRef<T>& a) { add(a, factor); }

  /// One more part, factor * A.
  void add(const OperatorRef<T>& a, T factor = T{1});

  Shape shape() const override { return parts_.front().a->shape(); }
  Device device() const override { return parts_.front().a->device(); }
  Comm comm() const override { return parts_.front().a->comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override;

  /// Can all parts write their diagonal?
  bool has_diagonal() const;
  /// y = the diagonal, on the device of the parts, if all of them write theirs there.
  void diagonal(Queue& queue, Vectors<T> y) const;

 private:
  struct Part {
    OperatorRef<T> a;
    T factor;
  };
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  std::vector<Part> parts_;
};

extern template class SumOperator<float>;
extern template class SumOperator<double>;
extern template class SumOperator<std::complex<float>>;
extern template class SumOperator<std::complex<double>>;

}  // namespace millrace
