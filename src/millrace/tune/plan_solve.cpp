// The checks, the list of tries and the rule to give one up.
#include "millrace/tune/plan_solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/base/human.hpp"
#include "millrace/precond/by_name.hpp"
#include "millrace/precond/equilibrate.hpp"
#include "millrace/solve/by_name.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace {
namespace {

constexpr double basis_bytes = 64e6;  // for the vectors of GMRES: each iteration reads half of them
constexpr Index max_filled = 20000;   // rows for which factors with much fill are tried
constexpr int max_cycle = 400;        // what a GPU takes
constexpr int usual_cycle = 30;
constexpr Index max_forecast_rows = 200'000;  // a forecast for more takes seconds,
constexpr Offset max_forecast_entries = 3'000'000;
constexpr double early_flops = 1e9;  // about a second: a factorisation is then the first try
constexpr Index min_amg_rows = 5000;

// The parts that a build may lack, and what to say then.
struct Part {
  std::string_view name;
  bool (*built)();
  std::string_view lack;
};
constexpr Part parts[] = {
    {"direct", can_factorise,
     "this build has no direct solver: CHOLMOD, UMFPACK or KLU of SuiteSparse (Debian: libsuitesparse-dev)"},
    {"amg", [] { return true; }, ""},
    {"amd", [] { return ordering_names().find("amd") != std::string::npos; },
     "this build has no SuiteSparse AMD (Debian: libsuitesparse-dev)"},
};

// Why a part is not to be used; empty: it is there.
std::string lack_of(std::string_view name, const PlanRequest& request) {
  const std::vector<std::string>& without = request.without;
  if (std::find(without.begin(), without.end(), name) != without.end()) return "left out, as asked";
  if (request.num_ranks > 1 && name != "amg")
    return fmt::format("works on one rank, and there are {}", request.num_ranks);
  for (const Part& part : parts)
    if (part.name == name && !part.built()) return std::string(part.lack);
  return {};
}

int cycle_length(const SystemFacts& facts, const PlanRequest& request) {
  if (request.restart > 0) return request.restart;
  const double fit = basis_bytes / (request.scalar_bytes * std::max<double>(1, facts.stats.num_rows));
  const int max = std::min(request.max_iterations, max_cycle);
  return std::max(usual_cycle, static_cast<int>(std::min<double>(fit, max)));
}

}  // namespace

template <class T>
void look_at_rows(const Csr<T>& a, SystemFacts& facts) {
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
    if (diagonal > others * (1 + max_asymmetry)) ++facts.strict_rows;
  }
}
template void look_at_rows(const Csr<float>&, SystemFacts&);
template void look_at_rows(const Csr<double>&, SystemFacts&);
template void look_at_rows(const Csr<std::complex<float>>&, SystemFacts&);
template void look_at_rows(const Csr<std::complex<double>>&, SystemFacts&);

template <class T>
SystemFacts system_facts(const Csr<T>& a, MatrixStats stats) {
  SystemFacts facts;
  facts.complex_numbers = is_complex<T>;
  facts.asymmetry = stats.pattern_symmetry > 0.5 ? asymmetry(a) : 1;
  facts.hermitian = facts.asymmetry <= max_asymmetry || stats.hermitian;
  look_at_rows(a, facts);
  if (facts.finite) {
    const Scaling scaling = measure_scaling(a, facts.hermitian);
    facts.spread = std::min(scaling.row_spread, scaling.col_spread);
    if (a.num_rows <= max_forecast_rows && a.num_entries() <= max_forecast_entries)
      facts.direct = forecast_direct(a, facts.hermitian);
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
  const char* kind = complex_numbers ? "Hermitian" : "symmetric";
  std::string text = hermitian                                        ? kind
                     : complex_numbers && stats.numerically_symmetric ? "symmetric, not Hermitian"
                     : stats.pattern_symmetric                        ? "symmetric pattern"
                                                                      : join("not ", kind);
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
  if (badly_scaled()) text += fmt::format(", badly scaled: norms of rows or columns differ by {:.0e}", 1 / spread);
  if (stats.empty_rows > 0) text += fmt::format(", {} empty rows: singular", stats.empty_rows);
  if (stats.empty_rows == 0 && stats.empty_cols > 0)
    text += fmt::format(", {} empty columns: singular", stats.empty_cols);
  return text;
}

std::vector<SolvePlan> plan_solve(const SystemFacts& facts, const PlanRequest& request) {
  std::vector<SolvePlan> plans;
  const auto add = [&](const char* method, std::string precond, const std::string& order, std::string why, int cycle,
                       std::string skip = {}) {
    if (request.precond != "auto") precond = request.precond;
    const bool same = !plans.empty() && plans.back().method == method && plans.back().precond == precond &&
                      plans.back().order == order;
    if (same) return;
    plans.push_back({method, std::move(precond), order, std::move(why), cycle, request.mixed, std::move(skip)});
    plans.back().precond_named = request.precond != "auto";
  };
  const int named_cycle = request.restart > 0 ? request.restart : usual_cycle;
  if (direct_kind(request.method)) {
    plans.push_back({request.method, "none", "", "", named_cycle});
    return plans;
  }
  if (request.method != "auto") {
    const MethodFacts& method = find_method(request.method);
    add(method.name.data(), std::string(method.precond), "", "", named_cycle);
    return plans;
  }
  const int cycle = cycle_length(facts, request);
  if (request.precond != "auto" && needs_flexible(parse_precond(request.precond))) {
    add("fgmres", request.precond, "", "a cycle k is another map in every iteration", cycle);
    return plans;
  }
  const Index n = facts.stats.num_rows;
  // A factorisation is no preconditioner, and nothing that could be mixed: who asks for these wants iterations.
  const bool may_factorise = request.precond == "auto" && !request.mixed && request.max_iterations > 0;
  const std::string no_direct = lack_of("direct", request);
  const bool easy = facts.dominant_rows == n && facts.strict_rows > 0 && !facts.badly_scaled();
  const bool early = may_factorise && no_direct.empty() && !easy && facts.direct && facts.direct->flops <= early_flops;
  const auto add_direct = [&](std::string why) {
    plans.push_back({"direct", "none", "", std::move(why), named_cycle, false, no_direct});
  };
  if (early)
    add_direct(fmt::format("factors of about {:.2g} entries are cheap, and more certain than iterations",
                           facts.direct->factor_entries));
  const std::string scale = facts.badly_scaled() ? "scale" : "";
  const auto after_scaling = [&](const char* order) {
    return scale.empty() ? order : *order ? scale + "+" + order : scale;
  };
  if (facts.hermitian) {
    const std::string sign = after_scaling(facts.negative() ? "negate" : "");
    if (facts.positive())
      add("cg", "ic0", sign, "symmetric with a positive diagonal, so perhaps positive definite", cycle);
    if (facts.negative())
      add("cg", "ic0", sign, "symmetric with a negative diagonal, so -A may be positive definite", cycle);
    if ((facts.positive() || facts.negative()) && n >= min_amg_rows && request.amg && request.precond == "auto") {
      const std::string no_amg = lack_of("amg", request);
      plans.back().gives_way = no_amg.empty() && !request.mixed;
      add("cg", "amg", sign, "multigrid, whose iterations hardly grow with the system", cycle, no_amg);
      if (plans[plans.size() - 2].gives_way) {
        plans.back().gives_way = true;
        add("cg", "ic0", sign, "again, for multigrid has not helped", cycle);
      }
    }
    add("minres", "jacobi", sign, "symmetric, of any signs", cycle);
  }
  add("gmres", facts.stats.block_size > 1 ? "block-ilu0" : "ilu0", scale, "needs nothing of the matrix", cycle);
  if (facts.zero_diagonal > 0 && !facts.hermitian)
    add("gmres", "ilu0", after_scaling("match"), "large entries brought onto the diagonal", cycle,
        request.num_ranks > 1 ? lack_of("match", request) : "");
  if (may_factorise && !early) add_direct("factors, after iterations have failed");
  if (n <= max_filled)  // of singular matrices, too
    add("gmres", "ilu20", after_scaling("match+amd"), "nearly complete factors, for the system is not large", cycle,
        lack_of("amd", request));
  if (!scale.empty()) add("gmres", "ilu0", "", "as it is, for scaling has not helped", cycle);
  for (SolvePlan& plan : plans)
    if (facts.complex_numbers && plan.why.starts_with("symmetric")) plan.why.replace(0, 9, "Hermitian");
  return plans;
}

std::string solve_parts() {
  std::string names;
  for (const Part& part : parts) names += (names.empty() ? "" : " ") + std::string(part.name);
  return names;
}
void check_solve_part(std::string_view text) {
  const bool known = std::any_of(std::begin(parts), std::end(parts), [&](const Part& p) { return p.name == text; });
  require(known, "unknown part '", text, "'; there are: ", [] { return solve_parts(); });
}

std::optional<Factorisation> direct_kind(std::string_view method) {
  if (method == "direct") return Factorisation::automatic;
  for (const Factorisation kind : {Factorisation::cholesky, Factorisation::ldl, Factorisation::lu, Factorisation::klu})
    if (method == join("direct-", to_string(kind))) return kind;
  return {};
}
std::string_view direct_help() { return "a factorisation on the host, by SuiteSparse; KIND: cholesky, ldl, lu, klu"; }

std::string method_choices() { return "auto " + method_names() + " direct[-KIND]"; }
std::string precond_choices() { return "auto " + precond_usage(); }
void check_method_choice(std::string_view text) {
  const auto& table = methods();
  const bool known = text == "auto" || direct_kind(text) ||
                     std::any_of(table.begin(), table.end(), [&](const MethodFacts& m) { return m.name == text; });
  require(known, "unknown method '", text, "'; there are: ", [] { return method_choices(); });
}
void check_precond_choice(std::string_view text) {
  if (text != "auto") parse_precond(text, "auto");
}

bool worth_trying(const SolvePlan& plan, std::span<const SolveAttempt> before) {
  for (const SolveAttempt& made : before)
    if (made.conclusive) return false;
  // That CG is indefinite with multigrid may be the fault of multigrid, and says nothing to CG with factors.
  const bool factors = plan.method == "cg" && plan.precond != "amg";
  const auto by_cg = std::find_if(before.rbegin(), before.rend(), [&](const SolveAttempt& attempt) {
    return attempt.plan.method == "cg" && !(factors && attempt.plan.precond == "amg");
  });
  if (by_cg == before.rend() || (plan.method != "minres" && plan.method != "cg")) return true;
  const SolveEnd end = by_cg->report.end;
  const bool indefinite = end == SolveEnd::indefinite || end == SolveEnd::breakdown;
  return plan.method == "minres" ? indefinite : end != SolveEnd::indefinite;
}

int patience_window(const SolvePlan& plan, int max_iterations) {
  constexpr int min_window = 60;  // two usual cycles of GMRES
  // Short recurrences are cheap, and often become fast only when they have found the ends of the spectrum.
  return plan.method == "gmres" ? min_window : std::max(min_window, max_iterations / 4);
}

double Patience::missing(int iteration, int window) const {
  const double then = best_[static_cast<std::size_t>(iteration - window)], now = best_.back();
  const double gained = std::log(then / now);
  return gained > 0 ? std::log(now / tolerance_) / gained * window : 1e300;
}

bool Patience::operator()(int iteration, double relative) {
  const double before = best_.empty() ? relative : best_.back();
  while (static_cast<int>(best_.size()) <= iteration) best_.push_back(std::min(before, relative));
  constexpr int glance = 20;        // iterations from one look to the next: at 40, 60, 80 and 100
  constexpr double worth_it = 120;  // iterations with IC(0) that multigrid costs: docs/multigrid.md
  const bool looks = gives_way_ && iteration >= 2 * glance && iteration <= 5 * glance && iteration % glance == 0;
  if (looks && missing(iteration, glance) > worth_it) return false;
  constexpr double hope = 5;  // convergence often becomes faster
  return iteration < 2 * window_ || missing(iteration, window_) < hope * (max_ - iteration);
}

}  // namespace millrace
