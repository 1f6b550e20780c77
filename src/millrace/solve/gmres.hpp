// GMRES and flexible GMRES with restarts, for any square A.
#pragma once

#include "millrace/solve/identity.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// Solves A x = b; x is the start vector and the result. M approximates the inverse of A.
/// Y. Saad and M. H. Schultz (1986); orthogonalised with one reduction per iteration and re-orthogonalised one
/// iteration later: K. Swirydowicz, J. Langou, S. Ananthan, U. Yang, S. Thomas (2021), D. Bielich et al. (2022); the
/// Krylov basis in float on request: J. I. Aliaga, H. Anzt et al. (2022). An iteration is one product with A. Iteration
/// k = 0..m-1 of a cycle of m = options.restart moves A's product, M's application and 2 k vectors of the basis, 4
/// vectors read and 1 vector and 1 basis vector written (the last one of a cycle: k and 2, nothing written, unless
/// rounding hides what is left of its product); the end of a cycle reads the basis once more and computes the true
/// residual. SolveReport::iteration_bytes is the mean of the iterations that were made, about (m - 1) basis vectors
/// beside the products in full cycles. Every cycle ends with the true residual, which alone says `converged`.
/// `stagnation`: several cycles in a row changed it by less than one per cent. `breakdown`: the space maps into itself
/// and holds no solution (A is singular). options: restart (at most 400 on a GPU), side, krylov_precision.
template <class T>
SolveReport gmres(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                  std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {});
/// The same without a preconditioner.
template <class T>
SolveReport gmres(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> b,
                  std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {}) {
  return gmres(queue, a, Identity<T>(a), b, x, options);
}

/// The same where M may change from one application to the next, for instance a solver: Y. Saad (1993). M stands on the
/// right. It keeps the m vectors that M made, in T, beside the basis.
template <class T>
SolveReport fgmres(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {});
/// The same without a preconditioner.
template <class T>
SolveReport fgmres(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {}) {
  return fgmres(queue, a, Identity<T>(a), b, x, options);
}

}  // namespace millrace
