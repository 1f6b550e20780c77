// MINRES, for symmetric (Hermitian) matrices that may be indefinite or singular.
#pragma once

#include "millrace/solve/identity.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// Solves A x = b; x is the start vector and the result. M, symmetric positive definite, approximates the inverse of A
/// (or of its absolute value). C. C. Paige and M. A. Saunders (1975); with M after H. Elman, D.
/// Silvester and A. Wathen (2005). Traffic of an iteration: A's product with <z, A z>, M's application with <v, M v>
/// (dot products cost 2 vectors each where they are not fused), and 10 vectors: 4 for the Lanczos vector, 6 for x and
/// its direction. With M 3 more, which follow the residual itself, so that |b - A x| is what the recurrence sees. In
/// double without a preconditioner: 80 bytes per unknown beside the product. Ends with `indefinite` when M is not
/// positive definite, with `stagnation` when A is singular and b not in its range (x is then a least-squares solution).
template <class T>
SolveReport minres(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {});
/// The same without a preconditioner.
template <class T>
SolveReport minres(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {}) {
  return minres(queue, a, Identity<T>(a), b, x, options);
}

}  // namespace millrace
