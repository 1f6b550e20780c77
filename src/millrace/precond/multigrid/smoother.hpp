// Smoothers as polynomials in D^-1 A, D a diagonal or blocks: their coefficients, and how they run.
#pragma once

#include <vector>

#include "millrace/precond/amg.hpp"
#include "millrace/precond/multigrid/fused_steps.hpp"

namespace millrace::multigrid {

/// Step k: z = keep z + add D^-1 r, x += weight z, and r is what is left without the weights.
struct SmootherStep {
  double keep = 0, add = 1, weight = 1;
};

/// The coefficients. `largest` bounds the eigenvalues of D^-1 A; D of l1-Jacobi has the sums of the absolute values of
/// the rows, which bound them by 1.
/// Fourth kind and its optimal weights: J. Lottes (2023), M. Phillips and P. Fischer (2022).
std::vector<SmootherStep> smoother_steps(const AmgOptions& options, double largest);

/// Vectors that a smoother works with, each [num_rows].
template <class W>
struct SmootherMemory {
  W *r, *z, *q;
};

/// x is near A^-1 b afterwards, from x = 0 or from what it is. Traffic: a product and 8 vectors for each step, without
/// the first product from zero.
template <class W>
void smooth(Queue& queue, const Operator<W>& a, const W* inverse, const std::vector<SmootherStep>& steps, const W* b,
            W* x, bool from_zero, const SmootherMemory<W>& memory);
/// Can a step be a product whose rows are used at once? With weights x needs the directions z.
bool can_fuse(const std::vector<SmootherStep>& steps);
/// Is the first step from zero never stored?
template <class W>
bool skips_first(const FusedMatrix<W>& a, const std::vector<SmootherStep>& steps) {
  return a.skips_first() && steps.size() > 1;
}
/// As smooth, where steps can be fused. Each writes `other`, which changes places with x then: from zero as many times
/// as there are steps, without the first one where that is skipped, and else as many as there are.
template <class W>
void smooth(Queue& queue, const FusedMatrix<W>& a, const W* inverse, const std::vector<SmootherStep>& steps, const W* b,
            W*& x, W*& other, bool from_zero);
/// The vectors that this reads and writes, without those that its products have in any case: x and the result.
template <class W>
double fused_vectors(const FusedMatrix<W>& a, const std::vector<SmootherStep>& steps, bool from_zero);
/// What is left of b before a step, without the weights: b for the first one from zero, else memory.r. `r`: what was
/// left before the step before it, b at first. For smoothers with any D^-1.
template <class W>
const W* next_residual(Queue& queue, const Operator<W>& a, const W* b, const W* x, const W* r, bool first,
                       bool from_zero, const SmootherMemory<W>& memory);
/// As smooth, with any D^-1. Traffic: a product, an application of D^-1 and 5 vectors for each step.
template <class W>
void smooth(Queue& queue, const Operator<W>& a, const Operator<W>& inverse, const std::vector<SmootherStep>& steps,
            const W* b, W* x, bool from_zero, const SmootherMemory<W>& memory);

}  // namespace millrace::multigrid
