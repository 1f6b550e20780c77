// A x = b with a named method and preconditioner: one try, on a matrix that is reordered if that was asked for and
// stored in a format on the queue's device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/precision.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/precond/direct_solve.hpp"
#include "millrace/precond/equilibrate.hpp"
#include "millrace/solve/options.hpp"
#include "millrace/sparse/matrix.hpp"
#include "millrace/tune/choose_format.hpp"

namespace millrace {

/// One try: which method and preconditioner, and in which order of rows and columns.
struct SolvePlan {
  std::string method{};   // of solve/by_name.hpp, or "direct", "direct-lu", ...
  std::string precond{};  // of precond/by_name.hpp
  std::string order{};    // "", or words joined by '+', see order_words
  std::string why{};      // a clause for the reader; empty: the user asked for it, and an Error is an error
  int restart = 30;
  bool mixed = false;        // solved in float, refined in double
  std::string skip{};        // why it is not tried; empty: it is
  std::string name() const;  // "gmres(30) + ilu0, order match"
};

/// "scale" (equilibrated rows and columns), "negate" (-A x = -b), "match" (large entries onto the diagonal), and the
/// names of orderings, as they are applied one after another. Throws an Error for other words.
std::vector<std::string> order_words(std::string_view order);

/// What came of a try.
struct SolveAttempt {
  SolvePlan plan{};
  std::string note{};  // of the preconditioner
  SolveReport report{};
  double setup_seconds = 0;         // reordering, the format, the preconditioner
  double product_bytes = 0;         // of one product with A in the full precision,
  double narrow_bytes = 0;          // ... and as the inner solver of a mixed try has it
  double iteration_bytes = 0;       // of one iteration; of the inner solver in a mixed try
  int column = 0;                   // of b
  std::optional<double> rcond{};    // of a direct try: the reciprocal condition number,
  bool conclusive = false;          // ... by factors that no other try can do better than,
  std::optional<double> forward{};  // ... and a bound of the relative error of x
  int iterations() const { return plan.mixed ? report.inner_iterations : report.iterations; }
};

/// |b|, |b - A x| and their ratio into the report, from vectors on the host.
template <class T>
void measure_residual(const Csr<T>& a, const std::vector<T>& b, const std::vector<T>& x, SolveReport& report);
/// The relative residual that the options aim at for |b| = rhs_norm.
double relative_aim(const SolveOptions& options, double rhs_norm);

/// A matrix as a solver and its preconditioner take it.
template <class T>
class SystemMatrix {
 public:
  /// `host` must live longer than this.
  SystemMatrix(Queue& queue, const Csr<T>& host, const MatrixOptions& options);
  const SparseMatrix<T>& a() const { return *a_; }
  const Csr<T>& entries() const { return own_.num_rows > 0 ? own_ : *host_; }  // on the device, in the basis of a()
  const FormatChoice& format() const { return format_; }

 private:
  const Csr<T>* host_;
  Csr<T> own_;  // where it is not the matrix that was given
  FormatChoice format_;
  std::unique_ptr<SparseMatrix<T>> a_;
};

template <class T>
class LinearSystem {
 public:
  /// A square matrix on the host, with sorted rows; it must live longer than this. `max_factor_bytes`: of a direct try,
  /// as DirectOptions has it.
  LinearSystem(Queue& queue, const Csr<T>& a, MatrixOptions options, double max_factor_bytes = 0)
      : queue_(queue), csr_(a), options_(std::move(options)), max_factor_bytes_(max_factor_bytes) {}

  /// Solves from x and leaves the result there, unless numbers overflowed: then x stays. An Error of the set-up becomes
  /// a report that says breakdown, unless the user asked for the plan. What one try has set up is kept for a next one
  /// with the same plan.
  SolveAttempt attempt(const SolvePlan& plan, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& options);

  /// The format of the last try that multiplied; null: there was none.
  const FormatChoice* format() const { return built_ ? &built_->matrix->format() : nullptr; }

 private:
  using Wide = WithReal<T, double>;
  struct Built {
    std::string order{};
    std::vector<Index> rows{}, cols{};  // new to old; empty: as they are
    Scaling scaling{};                  // before they are reordered
    bool negated = false;               // -A x = -b
    Csr<T> csr{};                       // reordered, on the host
    std::unique_ptr<SystemMatrix<T>> matrix{};
  };
  struct Factorised {
    std::string method{};
    Csr<Wide> own{};  // where T is narrower
    std::unique_ptr<Direct<Wide>> inverse{};
    std::unique_ptr<Direct<Wide>> shifted{};  // for a singular matrix
  };
  const Built& built(const std::string& order);
  void attempt_iterations(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& asked);
  void solve_closer(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& asked);
  void attempt_direct(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x, const SolveOptions& asked);
  void run(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options);
  void run_mixed(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options);

  Queue& queue_;
  const Csr<T>& csr_;
  MatrixOptions options_;
  double max_factor_bytes_;
  std::unique_ptr<Built> built_;
  std::string made_for_;  // the plan that made_ was made for
  Preconditioner<T> made_{};
  Factorised factorised_{};
};

}  // namespace millrace
