// What goes into a solver and what comes out of it. Solvers are functions: report = cg(queue, A, b, x, options), or
// cg(queue, A, M, b, x, options) with a preconditioner.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/precision.hpp"

namespace millrace {

/// Every way a solver can end; there is no other, and it always ends. `converged` is what |b - A x| says, recomputed
/// from x: not above the aim. `nearly_converged`: above it, up to ten times, and it would not go lower.
enum class SolveEnd {
  converged,
  nearly_converged,
  max_iterations,
  breakdown,
  stagnation,
  indefinite,
  not_a_number,
  stopped
};

/// "converged", "max_iterations", ...
std::string_view to_string(SolveEnd end);

/// Where the preconditioner stands: M A x = M b, or A M y = b with x = M y.
enum class Side { left, right };

/// What goes into a solver.
struct SolveOptions {
  double tolerance = 1e-8;    // |b - A x| <= tolerance |b| is the aim; 0: as far as the precision goes,
  double absolute = 0;        // or |b - A x| <= absolute where that is more
  int max_iterations = 1000;  // products with A, more or less: each solver says what its iteration is
  int restart = 30;           // vectors of a GMRES cycle
  Side side = Side::right;    // of the preconditioner, for gmres and bicgstab
  Precision krylov_precision = Precision::full;  // in which gmres stores its Krylov basis: full or single
  bool never_worse = true;  // x becomes the start vector again where a method leaves a larger residual
  bool graph = true;        // on a GPU: batches of iterations are captured in a CUDA graph
  /// Called after every iteration; false ends the solver. On a GPU it hears of a batch of iterations at once, while the
  /// next batch runs, so a stop comes up to two batches late; the report counts the iterations that x has seen.
  std::function<bool(int iteration, double relative_residual)> monitor{};
};

/// What comes out of it. |b - A x| of the x that is handed back never exceeds that of the start vector: where a method
/// leaves a larger one, x is the start vector, and the reason says so.
struct SolveReport {
  SolveEnd end = SolveEnd::converged;
  int iterations = 0;
  double rhs_norm = 0;            // |b|
  double residual = 0;            // |b - A x|, computed from x at the end
  double relative = 0;            // that over |b|
  std::vector<double> history{};  // relative residuals as the recurrence saw them, [0] at the start; the first 2^20
  std::string reason{};           // what happened, in a sentence, and what might help
  double seconds = 0;
  double iteration_bytes = 0;  // memory traffic of one iteration by the solver's model; the mean of those made
  double bytes = 0;            // of the whole: the start, all iterations, residuals that were recomputed
  int inner_iterations = 0;    // of a solver inside this one (refine)
  bool ok() const { return end == SolveEnd::converged; }
};

}  // namespace millrace
