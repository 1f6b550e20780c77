// A x = b for a matrix of which nothing is known: method, preconditioner and format follow from what can be seen of it,
// and when a try leads nowhere the next one follows.
#pragma once

#include "millrace/precond/direct_solve.hpp"
#include "millrace/tune/choose_format.hpp"
#include "millrace/tune/plan_solve.hpp"

namespace millrace {

/// What came of a solve. The members of SolveReport are those of the try that x is from: the smallest residual. With
/// several right-hand sides they, backward, rcond and forward are of the one that went worst.
struct AutoReport : SolveReport {
  std::string facts{};  // what was seen of the matrix: "symmetric, positive diagonal, all rows diagonally dominant"
  bool symmetric = false, positive_diagonal = false;  // symmetric: Hermitian, where numbers are complex
  FormatChoice format{};
  double tolerance = 0;                  // that was aimed at
  std::vector<SolveAttempt> attempts{};  // all tries, in their order; none when there are no unknowns
  std::vector<std::string> skipped{};    // tries that this build cannot make: "cg + amg: this build has no hypre"
  std::vector<SolveReport> columns{};    // one for each right-hand side
  int worst_column = 0;
  BackwardError backward{};         // of x
  std::optional<double> rcond{};    // reciprocal condition number, where a try has factorised (or a bound of it),
  std::optional<double> forward{};  // ... and a bound of the relative error of x, where x is from such a try

  bool singular() const { return rcond && *rcond < DirectReport::min_rcond; }  // to working precision
  /// What there is to doubt in an x that has reached its aim: one sentence, or nothing.
  std::string doubt() const;
  const SolveAttempt& best() const;  // the try that x is from; there must be one
  int total_iterations() const;      // these four: of all tries together
  double total_seconds() const;
  double setup_seconds() const;
  std::vector<double> total_history() const;
  std::string text() const;  // a line per try: what, why, how it ended
};

/// Called on the way; each may be empty.
struct SolveEvents {
  std::function<void(const AutoReport&)> planned{};                      // facts and format are known
  std::function<void(const SolvePlan&, const SolveOptions&)> started{};  // a try begins, under these options
  std::function<bool(int iteration, double relative)> monitor{};         // as SolveOptions::monitor; false ends it all
  std::function<void(const AutoReport&)> finished{};                     // a try has ended: attempts.back()
  std::function<void(const AutoReport&)> skipped{};                      // ... or cannot be made: skipped.back()
};

/// What solve is told; all of it can be left to solve.
struct AutoOptions {
  std::string method = "auto";         // or a name of solve/by_name.hpp, "direct", "direct-lu", ...: see direct_kind
  std::string precond = "auto";        // or a name of precond/by_name.hpp
  std::string format = "auto";         // or one that make_format takes
  std::string order{};                 // as order_words takes it, for all tries; empty: as each try wants it
  double tolerance = -1;               // |b - A x| <= tolerance |b| is the aim; negative: 1e-8, in float 1e-5
  double absolute = 0;                 // or |b - A x| <= absolute where that is more
  int max_iterations = 1000;           // of all tries together
  int restart = 0;                     // length of a cycle of GMRES; 0: 30, or with method "auto" what memory allows
  bool mixed = false;                  // solve in float and refine in double
  double max_factor_bytes = 0;         // for the factors of a direct try; 0: half of the machine's memory
  std::vector<std::string> without{};  // parts that "auto" leaves out, of solve_parts()
  SolveEvents on{};
};

/// Solves A x = b; x is the start vector and the result. b and x may hold several vectors: each is solved for, and what
/// was set up for the first one serves the next. The matrix must be square and finite; it, b and x may live on
/// the host or a GPU, and the work is done on the queue's device. Matrix and vectors are copied (statistics, orderings
/// and the starts of tries are on the host), so this is for one solve, not for an inner loop.
/// What is tried in which order: docs/solvers.md. A request by name is one try, and what it throws is thrown here;
/// otherwise a try that fails is a try, and the report says why. Not solved is no Error: ask report.ok().
template <class T>
AutoReport solve(Queue& queue, const Csr<T>& a, std::type_identity_t<Vectors<const T>> b,
                 std::type_identity_t<Vectors<T>> x, const AutoOptions& options = {});

}  // namespace millrace
