// A direct try: factors on the host in double, wherever the system lives, refinement, and what is known of x.
#include <fmt/format.h>

#include <chrono>

#include "millrace/base/elapsed.hpp"
#include "millrace/tune/plan_solve.hpp"

namespace millrace {
namespace {

std::string singular_text(double rcond) {
  return fmt::format("the matrix is singular to working precision (reciprocal condition {:.1e})", rcond);
}

}  // namespace

template <class T>
void LinearSystem<T>::attempt_direct(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x,
                                     const SolveOptions& asked) {
  constexpr bool narrow = !std::is_same_v<T, Wide>;
  SolveReport& report = attempt.report;
  measure_residual(csr_, b, x, report);
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
  if (factors.singular()) {
    report.end = SolveEnd::breakdown;
    report.reason = "a pivot is zero: the matrix is singular";
    return;
  }
  const auto begin = Clock::now();
  const std::vector<Wide> rhs(b.begin(), b.end());
  std::vector<Wide> found(x.begin(), x.end());
  const DirectSolution solution = solve_direct<Wide>(host, *factorised_.inverse, a, rhs, found);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(found[i]);
  report.seconds = seconds_since(begin);
  report.iterations = solution.num_solves;
  report.history = solution.history;
  report.rhs_norm = solution.rhs_norm;
  report.residual = solution.residual;
  report.relative = solution.relative;
  if constexpr (narrow) measure_residual(csr_, b, x, report);
  attempt.forward = solution.forward;
  const bool reached = report.relative <= relative_aim(asked, report.rhs_norm);
  report.end = reached ? SolveEnd::converged : SolveEnd::stagnation;
  report.reason = fmt::format("{} with the factors {} |b - A x| = {:.1e} |b|",
                              solution.num_solves == 1 ? "1 solve" : fmt::format("{} solves", solution.num_solves),
                              reached ? "reached" : "came no further than", report.relative);
  if (factors.rcond < DirectReport::min_rcond)
    report.reason += "; " + singular_text(factors.rcond) + ", so x is one of many";
  if (asked.monitor) asked.monitor(report.iterations, report.relative);
}

#define MILLRACE_INSTANTIATE(T)                                                                        \
  template void LinearSystem<T>::attempt_direct(SolveAttempt&, const std::vector<T>&, std::vector<T>&, \
                                                const SolveOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
