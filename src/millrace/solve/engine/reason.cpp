// What happened, in words: one sentence for every way to end.
#include "millrace/solve/engine/reason.hpp"

#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {
namespace {

std::string not_a_number_reason(const Progress& state) {
  if (state.detail == ResidualStep<double>::bad_rhs)
    return "the right-hand side holds NaN or Inf, or its norm overflows";
  if (state.detail == ResidualStep<double>::bad_product)
    return "b - A x is NaN or Inf for the start vector x: look for NaN in the matrix and in x";
  return join("a number became NaN or Inf after ", state.iterations,
              " iterations: the matrix or the preconditioner holds one, or the numbers overflowed");
}

std::string stagnation_reason(const Progress& state, double relative, double aim, double epsilon,
                              const std::string& own) {
  if (relative <= reachable_epsilons * epsilon)
    return join("|b - A x| stays at ", relative, " of the right-hand side after ", state.iterations,
                " iterations, which is what this precision can reach; the aim of ", aim, " is below that");
  if (state.status == static_cast<int>(SolveEnd::stagnation) && !own.empty()) return own;
  return join("the recurrence says ", state.residual / state.rhs_norm, ", but |b - A x| is ", relative,
              " of the right-hand side, and restarts from there did not help: the aim of ", aim,
              " is below what this precision can reach for this matrix, or the matrix is not of the kind that ",
              "the method needs (symmetric or Hermitian for cg, minres and chebyshev)");
}

}  // namespace

std::string reason(const Method& method, const Progress& state, SolveEnd end, double goal, double epsilon) {
  const std::string own = method.explain ? method.explain(state) : std::string();
  const double rhs = state.rhs_norm > 0 ? state.rhs_norm : 1;
  const double relative = state.true_residual / rhs, aim = goal / rhs;
  switch (end) {
    case SolveEnd::converged:
      return join("|b - A x|, recomputed, is ", relative, " of the right-hand side after ", state.iterations,
                  " iterations");
    case SolveEnd::nearly_converged:
      return join("the recurrence reached the aim of ", aim, " after ", state.iterations,
                  " iterations, but |b - A x|, recomputed, is ", relative, " of the right-hand side, ", relative / aim,
                  " times the aim, and goes no lower: rounding errors of this matrix are that large");
    case SolveEnd::max_iterations:
      return join("the residual is ", relative, " of the right-hand side after ", state.iterations,
                  " iterations, the most that were allowed; ", aim,
                  " was the aim: allow more, or take a better preconditioner");
    case SolveEnd::stagnation:
      return stagnation_reason(state, relative, aim, epsilon, own);
    case SolveEnd::not_a_number:
      return not_a_number_reason(state);
    case SolveEnd::stopped:
      return join("the monitor stopped it after ", state.iterations, " iterations");
    case SolveEnd::breakdown:
      if (state.detail == Progress::diverged)
        return join("the residual grew to ", state.residual / rhs, " of the right-hand side: the method diverges",
                    own.empty() ? "" : "; ", own);
      break;
    case SolveEnd::indefinite:
      break;
  }
  return own.empty() ? std::string(to_string(end)) : own;
}

}  // namespace millrace::detail
