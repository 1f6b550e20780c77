// ComplexOperator: a sum of real operators with complex factors on vectors of complex numbers, such as the K - k^2 M -
// i k B of a wave equation with losses and a boundary that absorbs. On the host.
#pragma once

#include <complex>
#include <concepts>
#include <functional>
#include <vector>

#include "millrace/base/operator.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// y = (f_1 A_1 + f_2 A_2 + ...) x with real A_k: each is applied to the real and the imaginary part at once. The
/// operators live on the host and longer than this. Traffic: that of the parts with two vectors for each of these.
template <class T>
class ComplexOperator final : public Operator<std::complex<T>> {
 public:
  using Number = std::complex<T>;
  /// constrained: entries of the vectors whose rows and columns act as the identity. The parts have no constraints of
  /// their own.
  explicit ComplexOperator(std::vector<Index> constrained = {});

  /// One more part, factor * a.
  template <std::derived_from<Operator<T>> A>
  void add(Number factor, const A& a) {
    bool constrained = false;
    if constexpr (requires { a.data().constrained.empty(); }) constrained = !a.data().constrained.empty();
    if constexpr (requires { a.parts().front().data().constrained; })  // a sum over blocks: the first has the identity
      constrained = !a.parts().front().data().constrained.empty();
    Part part{factor, &a, {}, {}};
    if constexpr (requires(Queue& queue, Vectors<T> y) { a.diagonal(queue, y); })
      part.diagonal = [&a](Queue& queue, Vectors<T> y) { a.diagonal(queue, y); };
    if constexpr (requires(Queue& queue) { Csr<T>(a.assemble(queue)); })
      part.assemble = [&a](Queue& queue) { return a.assemble(queue); };
    add_part(std::move(part), constrained);
  }
  template <std::derived_from<Operator<T>> A>
  void add(Number factor, const A&& a) = delete;  // it would not live long enough

  Shape shape() const override { return parts_.empty() ? Shape{} : parts_.front().a->shape(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override;

  /// y = the diagonal, 1 at constrained entries; where every part has one.
  void diagonal(Queue& queue, Vectors<Number> y) const;
  /// The matrix; columns of a row ascend, and rows and columns of constrained entries hold the identity alone. Where
  /// every part has one.
  Csr<Number> assemble(Queue& queue) const;

 private:
  struct Part {
    Number factor;
    const Operator<T>* a;
    std::function<void(Queue&, Vectors<T>)> diagonal;
    std::function<Csr<T>(Queue&)> assemble;
  };
  void add_part(Part part, bool constrained);
  void do_apply(Queue& queue, const ApplyRequest<Number>& request) const override;

  std::vector<Part> parts_;
  std::vector<Index> constrained_;  // ascending
};

extern template class ComplexOperator<float>;
extern template class ComplexOperator<double>;

}  // namespace millrace
