// The preconditioners by the names a user writes: one list, as for the solvers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "millrace/precond/stored.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::command {

/// "jacobi", "block-jacobi-4", "ilu0", "ilu2": the name of the list, and the number behind it or 0.
struct PrecondSpec {
  std::string name;
  Index size = 0;
};
/// Throws an Error that lists what there is.
PrecondSpec parse_precond(std::string_view text);
std::string precond_usage();  // "none jacobi block-jacobi[-N] iluK ..."

struct PrecondRequest {
  PrecondSpec spec;
  Precision precision = Precision::full;  // in which it is stored
  bool positive = false;                  // the method needs it positive definite: Jacobi takes |D|
};

template <class T>
struct Preconditioner {
  std::unique_ptr<Operator<T>> op;
  std::unique_ptr<Operator<T>> inner;  // what op is made of, where it refers to another
  std::string note;                    // what it says of itself: "5 levels", "shifted by 1e-3"
};

/// On the device of the queue. `csr` are the entries of `a`, there, in the basis that `a` works in. An Error says why
/// there is none; zero and missing diagonal entries are none.
template <class T>
Preconditioner<T> make_preconditioner(Queue& queue, const PrecondRequest& request, const Csr<T>& csr,
                                      const SparseMatrix<T>& a);

}  // namespace millrace::command
