// A direct try: factors on the host in double, wherever the system lives, refinement, and what is known of x.
#include <fmt/format.h>

#include "millrace/base/elapsed.hpp"
#include "millrace/tune/local_system.hpp"
#include "millrace/tune/plan_solve.hpp"

namespace millrace {
namespace {

std::string singular_text(double rcond) {
  return fmt::format("the matrix is singular to working precision (reciprocal condition {:.1e})", rcond);
}

}  // namespace

template <class T>
void LocalSystem<T>::attempt_direct(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x,
                                    const SolveOptions& asked) {
  constexpr bool narrow = !std::is_same_v<T, Wide>;
  SolveReport& report = attempt.report;
  measure_residual(b, x, report);
  if (report.relative <= relative_aim(asked, report.rhs_norm)) {
    report.reason = fmt::format("the start vector reaches the aim: |b - A x| = {:.1e} |b|", report.relative);
    report.history = {report.relative};
    return;
  }
  const auto setup_begin = Clock::now();
  Queue host(Device::host(), queue_.device().on_host() ? queue_.num_threads() : 0);
  if (factorised_.method != attempt.plan.method) {
    factorised_ = {};
    if constexpr (narrow) factorised_.own = convert_values<Wide>(csr_);
  }
  const Csr<Wide>& a = [&]() -> const Csr<Wide>& {
    if constexpr (narrow)
      return factorised_.own;
    else
      return csr_;
  }();
  if (!factorised_.inverse) {
    const DirectOptions options{.kind = *direct_kind(attempt.plan.method), .max_bytes = max_factor_bytes_};
    factorised_.inverse = std::make_unique<Direct<Wide>>(host, a, options);
    factorised_.method = attempt.plan.method;
  }
  const DirectReport& factors = factorised_.inverse->report();
  attempt.note = factors.text();
  if (!queue_.device().on_host()) attempt.note += fmt::format("; on the host, not on {}", to_string(queue_.device()));
  attempt.rcond = factors.rcond;
  attempt.setup_seconds = seconds_since(setup_begin);
  attempt.iteration_bytes = factorised_.inverse->traffic().total();
  report.iteration_bytes = attempt.iteration_bytes;
  const auto begin = Clock::now();
  const std::vector<Wide> rhs(b.begin(), b.end());
  std::vector<Wide> found(x.begin(), x.end());
  std::string by = "the factors", singular;
  const auto solve_by = [&](const Direct<Wide>& inverse, const DirectSolveOptions& options) {
    const DirectSolution solution = solve_direct<Wide>(host, inverse, a, rhs, found, options);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(found[i]);
    report.iterations += solution.num_solves;
    report.history.insert(report.history.end(), solution.history.begin() + (report.history.empty() ? 0 : 1),
                          solution.history.end());
    report.residual = solution.residual;
    report.relative = solution.relative;
    if constexpr (narrow) measure_residual(b, x, report);
    attempt.forward = solution.forward;
  };
  const auto reached = [&] { return report.relative <= relative_aim(asked, report.rhs_norm); };
  if (!factors.singular()) solve_by(*factorised_.inverse, {});
  if (factors.rcond < DirectReport::min_rcond) {
    singular = singular_text(factors.rcond) + ": ";
    if (!reached()) {  // systems that have solutions are solved with shifted factors
      constexpr double shift = 1e-8;
      if (!factorised_.shifted)
        factorised_.shifted =
            std::make_unique<Direct<Wide>>(host, a, DirectOptions{.max_bytes = max_factor_bytes_, .shift = shift});
      by = fmt::format("factors of A + {:.0e} |A|", shift);
      if (!factorised_.shifted->report().singular())
        solve_by(*factorised_.shifted, {.max_solves = 50, .tolerance = relative_aim(asked, report.rhs_norm)});
    }
  }
  report.seconds = seconds_since(begin);
  report.end = reached() ? SolveEnd::converged : singular.empty() ? SolveEnd::stagnation : SolveEnd::breakdown;
  report.reason = fmt::format("{}{} with {} {} |b - A x| = {:.1e} |b|", singular,
                              report.iterations == 1 ? "1 solve" : fmt::format("{} solves", report.iterations), by,
                              reached() ? "reached" : "came no further than", report.relative);
  if (!singular.empty() && reached()) report.reason += "; x is one of many";
  attempt.conclusive = factors.kind != Factorisation::ldl && (reached() || singular.empty());
  if (asked.monitor) asked.monitor(report.iterations, report.relative);
}

#define MILLRACE_INSTANTIATE(T)                                                                       \
  template void LocalSystem<T>::attempt_direct(SolveAttempt&, const std::vector<T>&, std::vector<T>&, \
                                               const SolveOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
