// Progress: how far a solver is. It lives beside the solver's scalars on the device of the operator, so that a GPU can
// decide about convergence and failure by itself, and every sweep asks it whether there is still something to do.
#pragma once

#include "millrace/base/build.hpp"
#include "millrace/solve/options.hpp"

namespace millrace::detail {

struct Progress {
  static constexpr int running = -1;
  static constexpr double max_number = 1.7976931348623157e308;

  int status = running;  // running, or a SolveEnd
  int detail = 0;        // which of the solver's own reasons it was
  int iterations = 0;
  int max_iterations = 0;
  double tolerance = 0, absolute = 0;
  double rhs_norm = 0;        // |b|
  double target = 0;          // the recurrence's residual at which it says converged
  double shrink = 1;          // of that target, for methods whose recurrence sees another norm (left preconditioning)
  double limit = max_number;  // a residual above this is a breakdown: the method diverges
  double residual = 0;        // as the recurrence sees it
  double true_residual = 0;   // |b - A x| when it was last computed
  double* history = nullptr;  // [history_size] residuals of the recurrence, on the same device
  int history_size = 0;

  /// The target that follows from |b|. Residuals far below the precision say nothing, so it is never lower than that.
  MILLRACE_HD void aim(double epsilon) {
    const double relative = tolerance * rhs_norm, floor = epsilon * epsilon * rhs_norm;
    target = relative > absolute ? relative : absolute;
    if (target < floor) target = floor;
  }
  MILLRACE_HD bool active() const { return status == running; }
  MILLRACE_HD void end(SolveEnd how, int why = 0) {
    status = static_cast<int>(how);
    detail = why;
  }
  /// Takes note of the residual that iteration `iterations` has left, and decides whether that was the last one.
  MILLRACE_HD void note(double norm) {
    residual = norm;
    if (iterations < history_size) history[iterations] = norm;
    if (!(norm <= max_number))
      end(SolveEnd::not_a_number);
    else if (norm <= target)
      end(SolveEnd::converged);
    else if (norm > limit)
      end(SolveEnd::breakdown, diverged);
    else if (iterations >= max_iterations)
      end(SolveEnd::max_iterations);
  }
  /// One iteration more.
  MILLRACE_HD void advance(double norm) {
    ++iterations;
    note(norm);
  }
  static constexpr int diverged = 100;  // a detail that all solvers share; their own are below it
};

}  // namespace millrace::detail
