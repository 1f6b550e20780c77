// What can be seen of a matrix before solving, the tries that follow from it, and when to give one up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/precond/direct.hpp"
#include "millrace/sparse/stats.hpp"
#include "millrace/tune/attempt.hpp"

namespace millrace {

/// What decides about the method.
struct SystemFacts {
  MatrixStats stats{};
  double asymmetry = 1;  // |A - A^H| over |A|, as sums of squares; a matrix with rounding errors counts as Hermitian
  bool hermitian = false;
  bool complex_numbers = false;  // then it is Hermitian, and not symmetric
  bool finite = true;
  Index zero_diagonal = 0;      // missing entries, too
  Index negative_diagonal = 0;  // or not real
  Index dominant_rows = 0;      // |a_ii| >= the sum of the others: Gershgorin's circle does not reach beyond zero
  Index strict_rows = 0;        // |a_ii| > that sum: without any, A may well be singular
  double spread = 1;            // of the norms of rows or columns, smallest over largest: see precond/equilibrate.hpp
  std::optional<DirectForecast> direct{};  // what a factorisation would cost; none: not known, or far too much
  bool positive() const { return zero_diagonal == 0 && negative_diagonal == 0; }
  bool negative() const { return zero_diagonal == 0 && negative_diagonal == stats.num_rows; }
  bool badly_scaled() const { return spread < 1e-3; }
  std::string text() const;  // "symmetric, positive diagonal, all rows diagonally dominant"
};
/// Signs and zeros of the diagonal, and whether rows are dominated by it and finite, into the facts. These may be some
/// rows of a matrix, whose first columns are those of these rows.
template <class T>
void look_at_rows(const Csr<T>& a, SystemFacts& facts);
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
  bool amg = true;                     // numbers and device are such that multigrid takes them
  std::vector<std::string> without{};  // parts that "auto" leaves out: "direct", "amg", "amd"
  int num_ranks = 1;                   // on several there are no factors and no orders of the whole
};
/// The tries in their order, each with its reason. A method asked for by name is one try. What this build lacks is in
/// the list, too, with `skip` set.
std::vector<SolvePlan> plan_solve(const SystemFacts& facts, const PlanRequest& request);

/// The parts that `without` may name: "direct amg amd"; an Error for other words.
std::string solve_parts();
void check_solve_part(std::string_view text);

/// "direct" or "direct-lu", ...: the factorisation that it names; nothing for another method.
std::optional<Factorisation> direct_kind(std::string_view method);
/// A line on "direct", as the tables of methods have.
std::string_view direct_help();

/// What `method` and `precond` of a request may be, for help: "auto cg minres ..."; and the checks, which throw an
/// Error with that list.
std::string method_choices();
std::string precond_choices();
void check_method_choice(std::string_view text);
void check_precond_choice(std::string_view text);

/// Is that try worth it, after those that came before it?
bool worth_trying(const SolvePlan& plan, std::span<const SolveAttempt> before);

/// For how many iterations that try may go without progress.
int patience_window(const SolvePlan& plan, int max_iterations);

/// Looks at residuals as they come and says when a try will not get there within its iterations: when the best of the
/// last `window` is hardly better than the best before. One that `gives_way` is looked at after 40, 60, 80 and 100
/// iterations, and ends where more than 120 seem to be missing: what the next try would cost.
class Patience {
 public:
  Patience(double tolerance, int max_iterations, int window, bool gives_way = false)
      : tolerance_(tolerance), max_(max_iterations), window_(window), gives_way_(gives_way) {}
  /// False: give it up.
  bool operator()(int iteration, double relative);

 private:
  /// Iterations until the aim, if it goes on as in the last `window` ones.
  double missing(int iteration, int window) const;

  double tolerance_;
  int max_, window_;
  bool gives_way_;
  std::vector<double> best_;  // of all iterations up to one
};

}  // namespace millrace
