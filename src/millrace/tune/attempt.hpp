// One try at A x = b: which method and preconditioner, in which order, and what came of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/precond/amg.hpp"
#include "millrace/solve/options.hpp"

namespace millrace {

/// One try: which method and preconditioner, and in which order of rows and columns.
struct SolvePlan {
  std::string method{};   // of solve/by_name.hpp, or "direct", "direct-lu", ...
  std::string precond{};  // of precond/by_name.hpp
  std::string order{};    // "", or words joined by '+', see order_words
  std::string why{};      // a clause for the reader; empty: the user asked for it, and an Error is an error
  int restart = 30;
  bool mixed = false;          // solved in float, refined in double
  std::string skip{};          // why it is not tried; empty: it is
  bool gives_way = false;      // to the next try, unless few iterations seem to be missing: see Patience
  bool precond_named = false;  // by the user: that it cannot be had is an error, not a failed try
  std::string name() const;    // "gmres(30) + ilu0, order match"
};

/// "scale" (equilibrated rows and columns), "negate" (-A x = -b), "match" (large entries onto the diagonal), and the
/// names of orderings, as they are applied one after another. Throws an Error for other words.
std::vector<std::string> order_words(std::string_view order);

/// What came of a try.
struct SolveAttempt {
  SolvePlan plan{};
  std::string note{};  // of the preconditioner
  std::optional<AmgReport> multigrid{};
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

/// The relative residual that the options aim at for |b| = rhs_norm.
double relative_aim(const SolveOptions& options, double rhs_norm);

}  // namespace millrace
