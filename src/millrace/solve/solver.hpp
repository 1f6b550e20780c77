// Solver<T>: any of the solvers for A x = b as a value, for those that take one: nested solvers, refinement, tables.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// What all solvers for A x = b look like. Made from a solver's name (cg<double>), or from any function or lambda with
/// these arguments.
template <class T>
class Solver {
 public:
  using Pointer = SolveReport (*)(Queue&, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b, Vectors<T> x,
                                  const SolveOptions&);
  Solver() = default;
  Solver(Pointer solver) : solver_(solver) {}  // of the overloads of a name, the one with a preconditioner
  template <class F>
    requires(!std::is_same_v<F, Solver> &&
             std::is_invocable_r_v<SolveReport, F&, Queue&, const Operator<T>&, const Operator<T>&, Vectors<const T>,
                                   Vectors<T>, const SolveOptions&>)
  Solver(F solver) : solver_(std::move(solver)) {}

  SolveReport operator()(Queue& queue, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b, Vectors<T> x,
                         const SolveOptions& options = {}) const {
    require(static_cast<bool>(solver_),
            "solve: this Solver is empty; give it a method, as in Solver<double>(cg), or take one by name");
    return solver_(queue, a, m, b, x, options);
  }
  explicit operator bool() const { return static_cast<bool>(solver_); }

 private:
  std::function<std::remove_pointer_t<Pointer>> solver_{};
};

}  // namespace millrace
