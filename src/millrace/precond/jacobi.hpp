// Jacobi: the inverse of the diagonal, stored in full or in narrow numbers.
#pragma once

#include "millrace/precond/narrow_array.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// How Jacobi is made.
struct JacobiOptions {
  Precision precision = Precision::full;
  bool zero_as_one = false;  // a diagonal entry that is missing or zero counts as 1; else it is an error
};

/// y = D^-1 x. Traffic: the inverse diagonal, x and y once.
template <class T>
class Jacobi final : public Operator<T> {
 public:
  /// Made where the matrix lives.
  Jacobi(Queue& queue, const Csr<T>& a, const JacobiOptions& options = {});
  /// From the diagonal itself, on the device of the queue.
  Jacobi(Queue& queue, Vectors<const T> diagonal, const JacobiOptions& options = {});
  /// From an operator that writes its diagonal: one of finite elements, a sum of them. On the device of the operator.
  template <class A>
    requires requires(const A& a, Queue& queue, Vectors<T> y) { a.diagonal(queue, y); }
  Jacobi(Queue& queue, const A& a, const JacobiOptions& options = {})
      : options_(options), inverse_(a.device(), a.shape().rows, options.precision) {
    Array<T> diagonal(a.device(), a.shape().rows);
    a.diagonal(queue, diagonal);
    update_diagonal(queue, diagonal);
  }

  Shape shape() const override { return {inverse_.size(), inverse_.size()}; }
  Device device() const override { return inverse_.device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return true; }

  Jacobi to(Device device) const;
  /// New values of a matrix of the same size, on the same device.
  void update_values(Queue& queue, const Csr<T>& a);
  /// The same with a new diagonal.
  void update_diagonal(Queue& queue, Vectors<const T> diagonal);
  const NarrowArray<T>& inverse_diagonal() const { return inverse_; }

 private:
  Jacobi() = default;
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  JacobiOptions options_;
  NarrowArray<T> inverse_;  // [num_rows]
};

extern template class Jacobi<float>;
extern template class Jacobi<double>;
extern template class Jacobi<std::complex<float>>;
extern template class Jacobi<std::complex<double>>;

/// Refuses a matrix that is not square, or that lives elsewhere than the queue.
template <class T>
void require_square_here(const char* what, const Queue& queue, const Csr<T>& a) {
  require(a.num_rows == a.num_cols, what, ": the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require(
      queue.device() == a.device(), what, ": the matrix lives on ", [&] { return to_string(a.device()); },
      ", the queue on ", [&] { return to_string(queue.device()); }, "; both must be on one device");
}

}  // namespace millrace
