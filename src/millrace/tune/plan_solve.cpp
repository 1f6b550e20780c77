// The checks, the list of tries and the rule to give one up.
#include "millrace/tune/plan_solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/precond/by_name.hpp"
#include "millrace/solve/by_name.hpp"

namespace millrace {
namespace {

constexpr double basis_bytes = 64e6;  // for the vectors of GMRES: each iteration reads half of them
constexpr Index max_filled = 20000;   // rows for which factors with much fill are tried
constexpr int max_cycle = 400;        // what a GPU takes
constexpr int usual_cycle = 30;

int cycle_length(const SystemFacts& facts, const PlanRequest& request) {
  if (request.restart > 0) return request.restart;
  const double fit = basis_bytes / (request.scalar_bytes * std::max<double>(1, facts.stats.num_rows));
  const int max = std::min(request.max_iterations, max_cycle);
  return std::max(usual_cycle, static_cast<int>(std::min<double>(fit, max)));
}

}  // namespace

template <class T>
SystemFacts system_facts(const Csr<T>& a, MatrixStats stats) {
  SystemFacts facts;
  facts.asymmetry = stats.pattern_symmetry > 0.5 ? asymmetry(a) : 1;
  facts.hermitian = facts.asymmetry <= max_asymmetry || stats.hermitian;
  for (Index r = 0; r < a.num_rows; ++r) {
    double diagonal = 0, others = 0;
    bool negative = false;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const T value = a.vals.data()[k];
      if (!is_finite(arith(value))) facts.finite = false;
      if (a.cols.data()[k] != r) {
        others += std::abs(value);
        continue;
      }
      diagonal = std::abs(value);
      if constexpr (is_complex<T>)
        negative = value.real() < 0 || value.imag() != 0;
      else
        negative = value < 0;
    }
    if (diagonal == 0) ++facts.zero_diagonal;
    if (negative) ++facts.negative_diagonal;
    if (diagonal >= others && diagonal > 0) ++facts.dominant_rows;
  }
  facts.stats = std::move(stats);
  return facts;
}
template SystemFacts system_facts(const Csr<float>&, MatrixStats);
template SystemFacts system_facts(const Csr<double>&, MatrixStats);
template SystemFacts system_facts(const Csr<std::complex<float>>&, MatrixStats);
template SystemFacts system_facts(const Csr<std::complex<double>>&, MatrixStats);

std::string SystemFacts::text() const {
  const Index n = stats.num_rows;
  std::string text = hermitian ? "symmetric" : stats.pattern_symmetric ? "symmetric pattern" : "not symmetric";
  if (hermitian && asymmetry > 0) text += fmt::format(" up to {:.0e}", asymmetry);
  if (zero_diagonal > 0)
    text += fmt::format(", {} zeros on the diagonal", zero_diagonal);
  else if (negative_diagonal == 0)
    text += ", positive diagonal";
  else
    text += negative_diagonal == n ? ", negative diagonal" : ", diagonal of both signs";
  if (dominant_rows == n)
    text += ", all rows diagonally dominant";
  else
    text += fmt::format(", {:.0f} % of the rows diagonally dominant", n ? 100.0 * dominant_rows / n : 0);
  if (stats.empty_rows > 0) text += fmt::format(", {} empty rows: singular", stats.empty_rows);
  if (stats.empty_rows == 0 && stats.empty_cols > 0)
    text += fmt::format(", {} empty columns: singular", stats.empty_cols);
  return text;
}

std::vector<SolvePlan> plan_solve(const SystemFacts& facts, const PlanRequest& request) {
  std::vector<SolvePlan> plans;
  const auto add = [&](const char* method, std::string precond, const char* order, const char* why, int cycle) {
    if (request.precond != "auto") precond = request.precond;
    const bool same = !plans.empty() && plans.back().method == method && plans.back().precond == precond &&
                      plans.back().order == order;
    if (!same) plans.push_back({method, std::move(precond), order, why, cycle, request.mixed});
  };
  if (request.method != "auto") {
    const MethodFacts& method = find_method(request.method);
    add(method.name.data(), std::string(method.precond), "", "", request.restart > 0 ? request.restart : usual_cycle);
    return plans;
  }
  const int cycle = cycle_length(facts, request);
  if (facts.hermitian) {
    const char* sign = facts.negative() ? "negate" : "";
    if (facts.positive())
      add("cg", "ic0", "", "symmetric with a positive diagonal, so perhaps positive definite", cycle);
    if (facts.negative())
      add("cg", "ic0", sign, "symmetric with a negative diagonal, so -A may be positive definite", cycle);
    add("minres", "jacobi", sign, "symmetric, but not positive definite", cycle);
  }
  add("gmres", facts.stats.block_size > 1 ? "block-ilu0" : "ilu0", "", "needs nothing of the matrix", cycle);
  if (facts.zero_diagonal > 0 && !facts.hermitian)
    add("gmres", "ilu0", "match", "large entries brought onto the diagonal", cycle);
  if (facts.stats.num_rows <= max_filled)
    add("gmres", "ilu20", "match+amd", "nearly complete factors, for the system is not large", cycle);
  return plans;
}

std::string method_choices() { return "auto " + method_names(); }
std::string precond_choices() { return "auto " + precond_usage(); }
void check_method_choice(std::string_view text) {
  if (text != "auto") find_method(text, "auto");
}
void check_precond_choice(std::string_view text) {
  if (text != "auto") parse_precond(text, "auto");
}

bool worth_trying(const SolvePlan& plan, const std::vector<SolveAttempt>& before) {
  if (before.empty() || plan.method != "minres") return true;
  const SolveEnd end = before.back().report.end;  // of conjugate gradients
  return end == SolveEnd::indefinite || end == SolveEnd::breakdown;
}

int patience_window(const SolvePlan& plan, int max_iterations) {
  constexpr int min_window = 60;  // two usual cycles of GMRES
  // Short recurrences are cheap, and often become fast only when they have found the ends of the spectrum.
  return plan.method == "gmres" ? min_window : std::max(min_window, max_iterations / 4);
}

bool Patience::operator()(int iteration, double relative) {
  const double before = best_.empty() ? relative : best_.back();
  while (static_cast<int>(best_.size()) <= iteration) best_.push_back(std::min(before, relative));
  constexpr double hope = 5;  // convergence often becomes faster
  if (iteration < 2 * window_) return true;
  const double then = best_[static_cast<std::size_t>(iteration - window_)], now = best_.back();
  const double gained = std::log(then / now), missing = std::log(now / tolerance_);
  const double needed = gained > 0 ? missing / gained * window_ : 1e300;
  return needed < hope * (max_ - iteration);
}

}  // namespace millrace
