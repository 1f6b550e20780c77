// Iterative refinement: residuals in double, corrections by a solver in float, the accuracy of double.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/solve/solver.hpp"

namespace millrace {

/// Solves A x = b; x is the start vector and the result. Each iteration computes r = b - A x with A as it is, solves
/// inner_a c = r / |r| with the inner solver, and adds |r| c to x. inner_a is A stored in float (or lower), inner_m its
/// preconditioner. J. H. Wilkinson (1963).
/// Traffic of an iteration beside the inner solver: A's product, 3 vectors for the residual, 2 and 2 half ones for the
/// way to float and back, and one half for the start of the inner solver: 6.5 vectors.
/// report.iterations counts corrections, report.inner_iterations those of the inner solver. Ends with `stagnation` when
/// a correction does not halve the residual.
template <class T>
SolveReport refine(Queue& queue, const Operator<T>& a, const Operator<Single<T>>& inner_a,
                   const Operator<Single<T>>& inner_m, const Solver<Single<T>>& inner,
                   std::type_identity_t<Vectors<const T>> b, std::type_identity_t<Vectors<T>> x,
                   const SolveOptions& options = {}, const SolveOptions& inner_options = {.tolerance = 1e-4});
/// The same without a preconditioner of the inner solver.
template <class T>
SolveReport refine(Queue& queue, const Operator<T>& a, const Operator<Single<T>>& inner_a,
                   const Solver<Single<T>>& inner, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options = {},
                   const SolveOptions& inner_options = {.tolerance = 1e-4}) {
  return refine<T>(queue, a, inner_a, Identity<Single<T>>(inner_a), inner, b, x, options, inner_options);
}

}  // namespace millrace
