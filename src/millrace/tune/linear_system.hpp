// A x = b, wherever its rows are: what a try does with it is written once, what a rank or many have to do each for
// themselves is theirs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/precision.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/precond/direct_solve.hpp"
#include "millrace/precond/equilibrate.hpp"
#include "millrace/tune/attempt.hpp"
#include "millrace/tune/choose_format.hpp"

namespace millrace {

/// A matrix as a method and its preconditioner take it.
template <class T>
class SystemMatrix {
 public:
  virtual ~SystemMatrix() = default;
  virtual const Operator<T>& a() const = 0;
  virtual Preconditioner<T> preconditioner(Queue& queue, const SolvePlan& plan) const = 0;
  virtual const FormatChoice& format() const = 0;
};

/// How the preconditioner of that try is made: as its method needs it, and on the host with the finest level of
/// multigrid, of num_rows, in the format of the matrix, unless that is empty. Coarser levels are CSR: statistics of
/// each took a sixth of the set-up on 128^3 points, and made the cycle 4 % faster.
PrecondOptions precond_options(const Queue& queue, const SolvePlan& plan, Index num_rows, const std::string& format);

/// Vectors are on the host, and hold the entries of the rows here.
template <class T>
class LinearSystem {
 public:
  explicit LinearSystem(Queue& queue) : queue_(queue) {}
  virtual ~LinearSystem() = default;

  /// Solves from x and leaves the result there, unless numbers overflowed: then x stays. An Error of the set-up becomes
  /// a report that says breakdown, unless the user asked for the plan, or for a preconditioner that cannot be had. What
  /// one try has set up is kept for a next one with the same plan.
  SolveAttempt attempt(const SolvePlan& plan, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& options);
  /// |b|, |b - A x| and their ratio into the report.
  virtual void measure_residual(const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) = 0;
  virtual BackwardError backward(const std::vector<T>& b, const std::vector<T>& x) = 0;
  /// The format of the last try that multiplied; null: there was none.
  const FormatChoice* format() const { return built_ ? &built_->matrix->format() : nullptr; }

 protected:
  using Narrow = Single<T>;
  /// The system as a try solves it: scaled first, then reordered.
  struct Built {
    virtual ~Built() = default;
    std::string order{};
    std::vector<Index> rows{}, cols{};  // new to old; empty: as they are
    Scaling scaling{};
    bool negated = false;  // -A x = -b
    std::unique_ptr<SystemMatrix<T>> matrix{};
  };
  virtual std::unique_ptr<Built> build(const std::string& order) = 0;
  /// The same matrix in float.
  virtual std::unique_ptr<SystemMatrix<Narrow>> build_narrow(const Built& built) = 0;
  virtual void attempt_direct(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x,
                              const SolveOptions& asked) = 0;
  /// Is it so for the rows of all ranks?
  virtual bool everywhere(bool here) const { return here; }

  Queue& queue_;

 private:
  const Built& built(const std::string& order);
  void attempt_iterations(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& asked);
  void solve_closer(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& asked);
  void run(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options);
  void run_mixed(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options);
  bool all_finite(const std::vector<T>& v) const;

  std::unique_ptr<Built> built_;
  std::string made_for_;  // the plan that made_ was made for
  Preconditioner<T> made_{};
};

}  // namespace millrace
