// The method of conjugate gradients, for symmetric (Hermitian) definite A and M.
#pragma once

#include "millrace/solve/identity.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// Solves A x = b; x is the start vector and the result. M approximates the inverse of A.
/// M. R. Hestenes and E. Stiefel (1952).
/// Traffic of an iteration: A's product and <p, A p> (nothing more where A fuses it, else 2 vectors), M's application
/// and <r, M r> likewise, and 8 vectors: 3 to update r with |r|, 5 to update x and the direction. Without a
/// preconditioner in double that is 64 bytes per unknown beside the product.
/// Where <p, A p> or <r, M r> is negative at once, -A x = -b is solved. Ends with `indefinite` when one of them is
/// negative later, `breakdown` when it is zero.
template <class T>
SolveReport cg(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
               std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {});
/// The same without a preconditioner.
template <class T>
SolveReport cg(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> b,
               std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {}) {
  return cg(queue, a, Identity<T>(a), b, x, options);
}

}  // namespace millrace
