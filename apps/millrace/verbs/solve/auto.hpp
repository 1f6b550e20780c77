// --method auto: what can be seen of a matrix before solving, the tries that follow from it, and when to give one up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/sparse/stats.hpp"
#include "verbs/solve/system.hpp"

namespace millrace::command {

/// What decides about the method.
struct SystemFacts {
  MatrixStats stats{};
  double asymmetry = 1;  // |A - A^H| over |A|, as sums of squares; a matrix with rounding errors counts as Hermitian
  bool hermitian = false;
  bool finite = true;
  Index zero_diagonal = 0;      // missing entries, too
  Index negative_diagonal = 0;  // or not real
  Index dominant_rows = 0;      // |a_ii| >= the sum of the others: Gershgorin's circle does not reach behind zero
  bool positive() const { return zero_diagonal == 0 && negative_diagonal == 0; }
  bool negative() const { return zero_diagonal == 0 && negative_diagonal == stats.num_rows; }
  std::string text() const;  // "symmetric, positive diagonal, all rows diagonally dominant"
};
template <class T>
SystemFacts system_facts(const Csr<T>& a, MatrixStats stats);

struct AutoRequest {
  std::string method = "auto", precond = "auto";
  int max_iterations = 1000;
  int restart = 0;  // 0: as many as are worth it
  double scalar_bytes = 8;
  bool mixed = false;
};
/// The tries in their order, each with its reason. A method asked for by name is one try.
std::vector<Plan> plan_solve(const SystemFacts& facts, const AutoRequest& request);

/// Is that try worth it, after those that came before it?
bool worth_trying(const Plan& plan, const std::vector<Attempt>& before);

/// How many iterations that try may go without progress.
int patience_window(const Plan& plan, int max_iterations);

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

}  // namespace millrace::command
