// A x = b as the command solves it: reordered if that was asked for, stored in a format, on a device, with tries of
// solvers and preconditioners on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/solve/options.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::command {

/// One try: who, and in which order of rows and columns.
struct Plan {
  std::string method{};   // of solve_methods.hpp
  std::string precond{};  // of solve_preconds.hpp
  std::string order{};    // "", or words joined by '+': "negate" (-A x = -b), "match" (large entries onto the
                          // diagonal), then an Ordering
  std::string why{};      // a clause for the reader; empty: the user asked for it, and an Error is an error
  int restart = 30;
  bool mixed = false;  // solved in float, refined in double
};

/// What came of it.
struct Attempt {
  Plan plan{};
  std::string note{};  // of the preconditioner
  SolveReport report{};
  double setup_seconds = 0;    // reordering, the format, the preconditioner
  double product_bytes = 0;    // of one product with A in the full precision,
  double narrow_bytes = 0;     // ... and as the inner solver of a mixed try has it
  double iteration_bytes = 0;  // of one iteration; of the inner solver in a mixed try
  std::string name() const;    // "gmres(30) + ilu0, order match"
  int iterations() const { return plan.mixed ? report.inner_iterations : report.iterations; }
};

/// A matrix as a solver takes it.
template <class T>
struct StoredMatrix {
  std::unique_ptr<SparseMatrix<T>> a;
  Csr<T> csr;                       // on the device, in the basis of `a`, for preconditioners; or empty:
  const Csr<T>* entries = nullptr;  // ... then it is the one that `a` was made from
  std::string format;               // as it was made
  std::string refused;              // why that is not what was asked for
};

template <class T>
class SystemToSolve {
 public:
  /// The matrix on the host, with sorted rows; it must live longer than this.
  /// `or_csr`: a format that cannot hold it gives way to CSR; else that is an Error.
  SystemToSolve(Queue& queue, const Csr<T>& a, std::string format, bool or_csr)
      : queue_(queue), csr_(a), format_(std::move(format)), or_csr_(or_csr) {}

  /// Solves from x and leaves the result there, unless numbers overflowed: then x stays. An Error of the preconditioner
  /// becomes a report that says breakdown, unless the user asked for it.
  Attempt attempt(const Plan& plan, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& options);

  /// Of the last try.
  const StoredMatrix<T>& stored() const { return built_->stored; }

 private:
  struct Built {
    std::string order{};
    std::vector<Index> rows{}, cols{};  // new to old; empty: as they are
    bool negated = false;               // -A x = -b
    Csr<T> csr{};                       // reordered, on the host
    StoredMatrix<T> stored{};
  };
  const Built& built(const std::string& order);
  void run(Attempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options);
  void run_mixed(Attempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options);

  Queue& queue_;
  const Csr<T>& csr_;
  std::string format_;
  bool or_csr_;
  std::unique_ptr<Built> built_;
};

/// b = A times ones, on the host.
template <class T>
std::vector<T> product_with_ones(Queue& queue, const Csr<T>& a);

}  // namespace millrace::command
