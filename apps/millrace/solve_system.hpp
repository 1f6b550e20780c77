// A x = b as the command solves it: reordered if that was asked for, stored in a format, on a device, with tries of
// solvers and preconditioners on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/solve/solve.hpp"
#include "millrace/sparse/matrix.hpp"
#include "residual_view.hpp"
#include "solve_preconds.hpp"

namespace millrace::command {

/// One try: who, and in which order of rows and columns.
struct Plan {
  std::string method;   // of solve_methods.hpp
  std::string precond;  // of solve_preconds.hpp
  std::string order;    // "", or words joined by '+': "match" (large entries onto the diagonal), then an Ordering
  std::string why{};    // a clause for the reader
  int restart = 30;
  Precision precision = Precision::full;  // of the preconditioner
};

/// What came of it.
struct Attempt {
  Plan plan;
  std::string note;  // of the preconditioner
  SolveReport report;
  double setup_seconds = 0;  // reordering, the format, the preconditioner
  std::string name() const;  // "gmres(30) + ilu0, rows matched"
};

template <class T>
class SystemToSolve {
 public:
  /// The matrix on the host; it must live longer than this.
  SystemToSolve(Queue& queue, const Csr<T>& a, std::string format)
      : queue_(queue), csr_(a), asked_format_(std::move(format)) {}

  /// Solves from x and leaves the result there, unless numbers overflowed: then x stays. An Error of the preconditioner
  /// becomes a report that says breakdown.
  Attempt attempt(const Plan& plan, const std::vector<T>& b, std::vector<T>& x, SolveOptions options);

  const std::string& format() const { return format_; }           // as it was made in the last try
  const std::string& format_details() const { return details_; }  // "blocks of 5, 99 % full"; "csr, because ..."

 private:
  struct Built {
    std::string order;
    std::vector<Index> rows, cols;  // new to old; empty: as they are
    Csr<T> csr;                     // on the device, in the basis of `a`
    std::unique_ptr<SparseMatrix<T>> a;
  };
  const Built& built(const std::string& order);
  SparseMatrix<T> made(const Csr<T>& csr);

  Queue& queue_;
  const Csr<T>& csr_;
  std::string asked_format_, format_, details_;
  std::unique_ptr<Built> built_;
};

/// b = A times ones, on the host.
template <class T>
std::vector<T> product_with_ones(Queue& queue, const Csr<T>& a);

}  // namespace millrace::command
