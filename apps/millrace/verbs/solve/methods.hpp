// The solvers by the names a user writes: one list, which the help, the error texts and the command follow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace::command {

struct MethodFacts {
  std::string_view name;
  std::string_view precond;  // what --precond auto takes with it
  bool hermitian;            // needs A = A^H
  bool definite;             // ... and a preconditioner that is positive definite
};

const std::vector<MethodFacts>& methods();
/// Throws an Error that lists what there is.
const MethodFacts& find_method(std::string_view name);
std::string method_names();  // "cg minres ..."

/// Runs the solver of that name; chebyshev estimates the bounds of the spectrum first.
template <class T>
SolveReport run_method(std::string_view name, Queue& queue, const Operator<T>& a, const Operator<T>& m,
                       Vectors<const T> b, Vectors<T> x, const SolveOptions& options);

}  // namespace millrace::command
