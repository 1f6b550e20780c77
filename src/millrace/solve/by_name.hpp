// The methods for A x = b by their names: one table, which calls by name, help and error texts follow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/operator.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// What the table says of a method.
struct MethodFacts {
  std::string_view name;
  std::string_view help;     // a line
  std::string_view precond;  // the preconditioner that usually goes with it, as precond/by_name.hpp names it
  bool hermitian;            // it needs A = A^H,
  bool definite;             // ... and a preconditioner that is positive definite
  bool flexible = false;     // it takes a preconditioner that is another map in every iteration
};

/// The table of all methods.
const std::vector<MethodFacts>& methods();
/// "cg minres ..."
std::string method_names();
/// Throws an Error that lists the names. `besides`: a name that the caller takes, too, for that list.
const MethodFacts& find_method(std::string_view name, std::string_view besides = {});

/// Runs the method of that name from the start vector x. `chebyshev` estimates the bounds of the spectrum first.
template <class T>
SolveReport run_method(std::string_view name, Queue& queue, const Operator<T>& a, const Operator<T>& m,
                       std::type_identity_t<Vectors<const T>> b, std::type_identity_t<Vectors<T>> x,
                       const SolveOptions& options = {});

}  // namespace millrace
