// The identity as an operator: "no preconditioner". Solvers recognise it and skip the copy.
#pragma once

#include "millrace/base/operator.hpp"

namespace millrace {

/// y = alpha x + beta y, for vectors of one size. Solvers that are given none as a preconditioner use it.
template <class T>
class Identity final : public Operator<T> {
 public:
  explicit Identity(std::int64_t size, Device device = Device::host(), Comm comm = {})
      : size_(size), device_(device), comm_(comm) {}
  /// For the vectors of that operator.
  explicit Identity(const Operator<T>& a) : Identity(a.shape().rows, a.device(), a.comm()) {}

  Shape shape() const override { return {size_, size_}; }
  Device device() const override { return device_; }
  Comm comm() const override { return comm_; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return true; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  std::int64_t size_;
  Device device_;
  Comm comm_;
};

extern template class Identity<float>;
extern template class Identity<double>;
extern template class Identity<std::complex<float>>;
extern template class Identity<std::complex<double>>;

}  // namespace millrace
