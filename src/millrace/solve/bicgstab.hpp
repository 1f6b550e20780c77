// BiCGStab, for square matrices without symmetry: short recurrences, two products per iteration.
#pragma once

#include "millrace/solve/identity.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// Solves A x = b; x is the start vector and the result. M approximates the inverse of A.
/// H. A. van der Vorst (1992).
/// Traffic of an iteration: two products, two applications of M, and 18 vectors: 4 for the direction, 2 for <shadow,
/// v>, 3 for the half step, 2 for <t, s> and <t, t>, 7 to update x and r with its sums (8, so 19 in all, with M on the
/// right). In double without a preconditioner that is 144 bytes per unknown beside the products.
/// With options.side = left the recurrence sees |M r|, scaled by |b| / |M b|; the true residual is checked at the end.
/// Ends with `breakdown` when a product vanishes and restarts from the current x, each with another shadow residual of
/// random numbers, did not help.
template <class T>
SolveReport bicgstab(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                     std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {});
/// The same without a preconditioner.
template <class T>
SolveReport bicgstab(Queue& queue, const Operator<T>& a, std::type_identity_t<Vectors<const T>> b,
                     std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {}) {
  return bicgstab(queue, a, Identity<T>(a), b, x, options);
}

}  // namespace millrace
