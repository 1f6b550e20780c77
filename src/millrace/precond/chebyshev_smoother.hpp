// Chebyshev's polynomial straight from an operator: with the inverse of its diagonal, and bounds that are estimated. A
// smoother of multigrid, or a preconditioner without dot products; no matrix is needed.
#pragma once

#include <memory>

#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/chebyshev.hpp"

namespace millrace {

/// How a ChebyshevSmoother is made.
struct ChebyshevSmootherOptions {
  int degree = 3;      // products of one application
  double ratio = 20;   // the polynomial is small between largest / ratio and largest; 0: from the smallest estimate on
  int num_steps = 12;  // of the estimate
};

/// y = p(D^-1 A) D^-1 x with the diagonal D of A and Chebyshev's polynomial p, a fixed linear map, symmetric when A is.
/// A, symmetric positive definite, must live longer than this; temporaries are refused.
template <class T>
class ChebyshevSmoother final : public Operator<T> {
 public:
  /// Of an operator that writes its diagonal.
  template <class A>
    requires requires(const A& a, Queue& queue, Vectors<T> y) { a.diagonal(queue, y); }
  ChebyshevSmoother(Queue& queue, const A& a, const ChebyshevSmootherOptions& options = {})
      : ChebyshevSmoother(queue, a, Jacobi<T>(queue, a), options) {}
  /// With a Jacobi that was made before: of an operator on a GPU whose diagonal was taken on the host.
  ChebyshevSmoother(Queue& queue, const Operator<T>& a, Jacobi<T> jacobi, const ChebyshevSmootherOptions& options = {});
  ChebyshevSmoother(Queue& queue, const Operator<T>&& a, const ChebyshevSmootherOptions& options = {}) = delete;
  ChebyshevSmoother(Queue& queue, const Operator<T>&& a, Jacobi<T> jacobi,
                    const ChebyshevSmootherOptions& options = {}) = delete;

  Shape shape() const override { return polynomial_->shape(); }
  Device device() const override { return polynomial_->device(); }
  Comm comm() const override { return polynomial_->comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    return polynomial_->traffic(num_vectors, reads_y);
  }
  /// The interval of the polynomial, for eigenvalues of D^-1 A.
  const SpectralBounds& bounds() const { return bounds_; }
  const Jacobi<T>& jacobi() const { return *jacobi_; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override { polynomial_->apply(queue, request); }

  std::unique_ptr<Jacobi<T>> jacobi_;
  SpectralBounds bounds_;
  std::unique_ptr<ChebyshevPolynomial<T>> polynomial_;  // looks at jacobi_
};

extern template class ChebyshevSmoother<float>;
extern template class ChebyshevSmoother<double>;
extern template class ChebyshevSmoother<std::complex<float>>;
extern template class ChebyshevSmoother<std::complex<double>>;

}  // namespace millrace
