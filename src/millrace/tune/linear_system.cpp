// One try: brings vectors into the order and the scale of the system that is solved, and back.
#include "millrace/tune/linear_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/base/elapsed.hpp"
#include "millrace/solve/by_name.hpp"
#include "millrace/solve/refine.hpp"
#include "millrace/tune/plan_solve.hpp"

namespace millrace {
namespace {

template <class T>
std::vector<T> gathered(const std::vector<T>& from, const std::vector<Index>& order) {
  if (order.empty()) return from;
  std::vector<T> to(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[static_cast<std::size_t>(order[i])];
  return to;
}

}  // namespace

PrecondOptions precond_options(const Queue& queue, const SolvePlan& plan, Index num_rows, const std::string& format) {
  PrecondOptions options{.definite = find_method(plan.method).definite};
  if (!queue.device().on_host() || format.empty()) return options;
  const auto choose = [=]<class T>(Queue& own, const Csr<T>& level) {
    return make_matrix(own, level, {.format = level.num_rows == num_rows ? format : "csr", .or_csr = true});
  };
  options.amg.format_single = choose;
  options.amg.format_double = choose;
  return options;
}

template <class T>
bool LinearSystem<T>::all_finite(const std::vector<T>& v) const {
  return everywhere(std::all_of(v.begin(), v.end(), [](const T& value) { return is_finite(arith(value)); }));
}

template <class T>
const typename LinearSystem<T>::Built& LinearSystem<T>::built(const std::string& order) {
  if (built_ && built_->order == order) return *built_;
  made_ = {};  // before the next one takes memory
  made_for_.clear();
  built_.reset();
  built_ = build(order);
  built_->order = order;
  return *built_;
}

template <class T>
void LinearSystem<T>::run(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options) {
  const auto begin = Clock::now();
  const SystemMatrix<T>& matrix = *built_->matrix;
  if (made_for_ != attempt.plan.name()) {
    made_for_.clear();  // nothing is there until the next one is made, and making it may fail
    made_ = {};
    made_ = matrix.preconditioner(queue_, attempt.plan);
    made_for_ = attempt.plan.name();
  }
  attempt.note = made_.note;
  attempt.multigrid = made_.multigrid;
  attempt.setup_seconds += seconds_since(begin);
  attempt.report = run_method<T>(attempt.plan.method, queue_, matrix.a(), *made_.op, b, x, options);
  attempt.iteration_bytes = attempt.report.iteration_bytes;
}

// The matrix and the preconditioner in float; the outer loop sees A as it is. The inner solver has all iterations.
template <class T>
void LinearSystem<T>::run_mixed(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options) {
  using Low = Single<T>;
  if constexpr (std::is_same_v<T, Low>) {
    throw Unsupported("mixed precision refines numbers in double; these are float already");
  } else {
    constexpr double inner_tolerance = 1e-4;
    const auto begin = Clock::now();
    const std::unique_ptr<SystemMatrix<Low>> low = build_narrow(*built_);
    const Preconditioner<Low> m = low->preconditioner(queue_, attempt.plan);
    attempt.note = m.note;
    attempt.multigrid = m.multigrid;
    attempt.setup_seconds += seconds_since(begin);
    attempt.narrow_bytes = low->a().traffic().total();
    int used = 0;
    SolveOptions outer = options, inner = options;
    outer.monitor = nullptr;
    outer.max_iterations = 50;  // corrections; each gains three decimals or more, or it ends by itself
    inner.tolerance = inner_tolerance;
    inner.absolute = 0;
    const Solver<Low> solver = [&](Queue& queue, const Operator<Low>& a, const Operator<Low>& inner_m,
                                   Vectors<const Low> r, Vectors<Low> c, const SolveOptions& asked) {
      SolveOptions mine = asked;
      mine.max_iterations = std::max(0, options.max_iterations - used);
      if (options.monitor)
        mine.monitor = [&](int iteration, double relative) { return options.monitor(used + iteration, relative); };
      const SolveReport report = run_method<Low>(attempt.plan.method, queue, a, inner_m, r, c, mine);
      used += report.iterations;
      attempt.iteration_bytes = report.iteration_bytes;
      return report;
    };
    attempt.report = refine<T>(queue_, built_->matrix->a(), low->a(), *m.op, solver, b, x, outer, inner);
  }
}

template <class T>
void LinearSystem<T>::attempt_iterations(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x,
                                         const SolveOptions& asked) {
  const auto begin = Clock::now();
  const Built& system = built(attempt.plan.order);
  attempt.product_bytes = system.matrix->a().traffic().total();
  attempt.setup_seconds = seconds_since(begin);
  SolveOptions options = asked;
  options.restart = attempt.plan.restart;
  std::vector<T> rhs = b, start = x;
  scale_by(rhs, system.scaling.rows);
  std::vector<int> back = system.scaling.cols;
  for (int& exponent : back) exponent = -exponent;
  scale_by(start, back);
  rhs = gathered(rhs, system.rows);
  if (system.negated)
    for (T& value : rhs) value = -value;
  const Array<T> b_there = Array<T>(std::span<const T>(rhs)).to(queue_.device());
  Array<T> x_there = Array<T>(std::span<const T>(gathered(start, system.cols))).to(queue_.device());
  attempt.plan.mixed ? run_mixed(attempt, b_there, x_there, options) : run(attempt, b_there, x_there, options);
  const std::vector<T> found = x_there.to_vector();
  if (!all_finite(found)) return;
  std::vector<T> ordered(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ordered[system.cols.empty() ? i : static_cast<std::size_t>(system.cols[i])] = found[i];
  scale_by(ordered, system.scaling.cols);
  if (all_finite(ordered)) x = std::move(ordered);
}

// The aim of a scaled try was that of the scaled system. Until x reaches that of the given one, too: again from there,
// as much closer as it takes.
template <class T>
void LinearSystem<T>::solve_closer(SolveAttempt& attempt, const std::vector<T>& b, std::vector<T>& x,
                                   const SolveOptions& asked) {
  constexpr int max_rounds = 3;
  SolveOptions options = asked;
  options.absolute = 0;
  for (int round = 1;; ++round) {
    measure_residual(b, x, attempt.report);
    const double aim = relative_aim(asked, attempt.report.rhs_norm), reached = attempt.report.relative;
    options.max_iterations -= attempt.iterations();
    if (!attempt.report.ok() || reached <= aim) return;
    if (round == max_rounds || options.max_iterations <= 0) {
      attempt.report.end = SolveEnd::stagnation;
      attempt.report.reason =
          fmt::format("the scaled system is solved to {:.1e}, but |b - A x| is {:.1e} |b|", options.tolerance, reached);
      return;
    }
    options.tolerance = std::max(options.tolerance * 0.3 * aim / reached, static_cast<double>(epsilon<T>));
    SolveAttempt next{.plan = attempt.plan};
    attempt_iterations(next, b, x, options);
    next.report.iterations += attempt.report.iterations;
    next.report.inner_iterations += attempt.report.inner_iterations;
    next.report.seconds += attempt.report.seconds;
    next.setup_seconds += attempt.setup_seconds;
    std::vector<double>& history = attempt.report.history;
    if (!next.report.history.empty())
      history.insert(history.end(), next.report.history.begin() + 1, next.report.history.end());
    next.report.history = std::move(history);
    attempt = std::move(next);
  }
}

template <class T>
SolveAttempt LinearSystem<T>::attempt(const SolvePlan& plan, const std::vector<T>& b, std::vector<T>& x,
                                      const SolveOptions& asked) {
  SolveAttempt attempt{.plan = plan};
  try {
    if (direct_kind(plan.method)) {
      attempt_direct(attempt, b, x, asked);
      return attempt;
    }
    attempt_iterations(attempt, b, x, asked);
    if (built_->scaling.needed()) solve_closer(attempt, b, x, asked);
  } catch (const Error& error) {  // an ordering or the preconditioner, most likely
    const bool ordered = built_ != nullptr;
    if (plan.why.empty() || (plan.precond_named && ordered && dynamic_cast<const Unsupported*>(&error))) throw;
    attempt.report.end = SolveEnd::breakdown;
    attempt.report.reason = error.what();
    attempt.report.relative = attempt.report.residual = std::nan("");
  }
  return attempt;
}

#define MILLRACE_INSTANTIATE(T) template class LinearSystem<T>
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
