// Chebyshev iteration for symmetric positive definite systems whose spectrum is known: no dot products. As a solver, as
// a polynomial preconditioner, and the estimate of the spectrum's bounds.
#pragma once

#include "millrace/solve/identity.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// An interval that holds the eigenvalues of M A.
struct SpectralBounds {
  double smallest = 0, largest = 0;
};

/// Estimates them by a few steps of C. Lanczos' method (1950) from a fixed random vector; M, symmetric positive
/// definite, is for instance the inverse of the diagonal. `largest` is the largest Ritz value and a tenth more,
/// `smallest` the smallest Ritz value: the true one may be well below.
template <class T>
SpectralBounds estimate_bounds(Queue& queue, const Operator<T>& a, const Operator<T>& m, int num_steps = 12);
/// The same for the eigenvalues of A itself.
template <class T>
SpectralBounds estimate_bounds(Queue& queue, const Operator<T>& a, int num_steps = 12) {
  return estimate_bounds(queue, a, Identity<T>(a), num_steps);
}

/// Solves A x = b; x is the start vector and the result. G. H. Golub and R. S. Varga (1961), in the form of Y. Saad.
/// Traffic of an iteration: A's product, and 7 vectors in one sweep; with M its application and 9 vectors. Nothing has
/// to be known before the sweep; its one sum, |r|, only says when to end. In double without a preconditioner: 56 bytes
/// per unknown beside the product. Eigenvalues below the interval only make it slow, those above it make it diverge:
/// `breakdown`.
template <class T>
SolveReport chebyshev(Queue& queue, const Operator<T>& a, const Operator<T>& m,
                      std::type_identity_t<Vectors<const T>> b, std::type_identity_t<Vectors<T>> x,
                      const SpectralBounds& bounds, const SolveOptions& options = {});
/// The same without a preconditioner.
template <class T>
SolveReport chebyshev(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> b,
                      std::type_identity_t<Vectors<T>> x, const SpectralBounds& bounds,
                      const SolveOptions& options = {}) {
  return chebyshev(queue, a, Identity<T>(a), b, x, bounds, options);
}

/// y = p(M A) M x with Chebyshev's polynomial p, which makes y close to the solution of A y = x: `degree` steps of the
/// iteration above from zero, a fixed linear map, symmetric when A and M are. A and M must live longer than this;
/// temporaries are refused. Traffic: `degree` products, degree + 1 applications of M, and what traffic() counts of
/// vectors.
template <class T>
class ChebyshevPolynomial final : public Operator<T> {
 public:
  ChebyshevPolynomial(const Operator<T>& a, const Operator<T>& m, SpectralBounds bounds, int degree);
  /// Without a preconditioner M.
  ChebyshevPolynomial(const Operator<T>& a, SpectralBounds bounds, int degree);
  ChebyshevPolynomial(const Operator<T>&& a, const Operator<T>& m, SpectralBounds bounds, int degree) = delete;
  ChebyshevPolynomial(const Operator<T>& a, const Operator<T>&& m, SpectralBounds bounds, int degree) = delete;
  ChebyshevPolynomial(const Operator<T>&& a, const Operator<T>&& m, SpectralBounds bounds, int degree) = delete;
  ChebyshevPolynomial(const Operator<T>&& a, SpectralBounds bounds, int degree) = delete;

  Shape shape() const override { return a_.shape(); }
  Device device() const override { return a_.device(); }
  Comm comm() const override { return a_.comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  const Array<Index>* permutation() const override { return a_.permutation(); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;
  void apply_one(Queue& queue, const T* x, T* y) const;

  const Operator<T>& a_;
  const Operator<T>* m_;  // null: none
  SpectralBounds bounds_;
  int degree_;
};

extern template class ChebyshevPolynomial<float>;
extern template class ChebyshevPolynomial<double>;
extern template class ChebyshevPolynomial<std::complex<float>>;
extern template class ChebyshevPolynomial<std::complex<double>>;

}  // namespace millrace
