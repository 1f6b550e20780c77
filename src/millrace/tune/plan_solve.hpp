// What can be seen of a matrix before solving, the tries that follow from it, and when to give one up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "millrace/sparse/stats.hpp"
#include "millrace/tune/attempt.hpp"

namespace millrace {

/// What decides about the method.
struct SystemFacts {
  MatrixStats stats{};
  double asymmetry = 1;  // |A - A^H| over |A|, as sums of squares; a matrix with rounding errors counts as Hermitian
  bool hermitian = false;
  bool finite = true;
  Index zero_diagonal = 0;      // missing entries, too
  Index negative_diagonal = 0;  // or not real
  Index dominant_rows = 0;      // |a_ii| >= the sum of the others: Gershgorin's circle does not reach beyond zero
  bool positive() const { return zero_diagonal == 0 && negative_diagonal == 0; }
  bool negative() const { return zero_diagonal == 0 && negative_diagonal == stats.num_rows; }
  std::string text() const;  // "symmetric, positive diagonal, all rows diagonally dominant"
};
/// Of a square matrix on the host whose rows are sorted.
template <class T>
SystemFacts system_facts(const Csr<T>& a, MatrixStats stats);

/// What a user leaves open or asks for.
struct PlanRequest {
  std::string method = "auto", precond = "auto";  // or a name
  int max_iterations = 1000;
  int restart = 0;  // length of a cycle of GMRES; 0: as long as is worth it
  double scalar_bytes = 8;
  bool mixed = false;
};
/// The tries in their order, each with its reason. A method asked for by name is one try.
std::vector<SolvePlan> plan_solve(const SystemFacts& facts, const PlanRequest& request);

/// What `method` and `precond` of a request may be, for help: "auto cg minres ..."; and the checks, which throw an
/// Error with that list.
std::string method_choices();
std::string precond_choices();
void check_method_choice(std::string_view text);
void check_precond_choice(std::string_view text);

/// Is that try worth it, after those that came before it?
bool worth_trying(const SolvePlan& plan, const std::vector<SolveAttempt>& before);

/// For how many iterations that try may go without progress.
int patience_window(const SolvePlan& plan, int max_iterations);

/// Looks at residuals as they come and says when a try will not get there within its iterations: when the best of the
/// last `window` is hardly better than the best before.
class Patience {
 public:
  Patience(double tolerance, int max_iterations, int window)
      : tolerance_(tolerance), max_(max_iterations), window_(window) {}
  /// False: give it up.
  bool operator()(int iteration, double relative);

 private:
  double tolerance_;
  int max_, window_;
  std::vector<double> best_;  // of all iterations up to one
};

}  // namespace millrace
