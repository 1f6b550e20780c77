// The tries one after another, each with the iterations that are left, until one reaches the aim.
#include "millrace/tune/tries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/precond/by_name.hpp"
#include "millrace/solve/by_name.hpp"

namespace millrace {
namespace {

constexpr int kept_for_the_last = 100;  // iterations that earlier tries leave for the last one

template <class T>
std::vector<T> on_host(const Vectors<const T>& v, int column) {
  std::vector<T> copy(static_cast<std::size_t>(v.size));
  copy_bytes(Device::host(), copy.data(), v.device, v.data + column * v.stride, copy.size() * sizeof(T));
  return copy;
}

template <class T>
class Tries {
 public:
  Tries(LinearSystem<T>& system, const SystemFacts& facts, const FormatChoice& format, const PlanRequest& request,
        const AutoOptions& asked)
      : system_(system), asked_(asked), plans_(plan_solve(facts, request)) {
    require(facts.finite, "solve: the matrix holds NaN or Inf; a system needs finite entries");
    for (SolvePlan& plan : plans_)
      if (!asked_.order.empty() && !direct_kind(plan.method)) plan.order = asked_.order;
    report_.facts = facts.text();
    report_.symmetric = facts.hermitian;
    report_.positive_diagonal = facts.positive();
    report_.tolerance = asked.tolerance >= 0 ? asked.tolerance : sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-8;
    report_.format = format;
    if (direct_kind(plans_.front().method) && asked_.format == "auto")
      report_.format = {"csr", "the factorisation takes it as it is"};
    if (asked_.on.planned) asked_.on.planned(report_);
  }

  /// One right-hand side after another.
  void operator()(const std::vector<T>& b, std::vector<T>& x) {
    left_ = asked_.max_iterations;
    kept_ = std::min(left_ / 5, kept_for_the_last);
    SolveReport start;
    system_.measure_residual(b, x, start);
    reached_ = start.relative;
    const std::size_t from = report_.attempts.size();
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      if (!plans_[k].skip.empty()) {
        skip(plans_[k]);
        continue;
      }
      if (!worth_trying(plans_[k], std::span(report_.attempts).subspan(from))) continue;
      const bool others = k + 1 < plans_.size();
      const int iterations = others ? std::max(0, left_ - kept_) : left_;
      if (iterations == 0 && left_ > 0) continue;
      attempt(plans_[k], others, iterations, b, x);
      if (report_.attempts.back().report.ok())
        std::rotate(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(k),
                    plans_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      if (report_.attempts.back().report.ok() || left_ <= 0 || stopped_) break;
    }
    finish_column(b, x);
  }

  AutoReport report() {
    if (const FormatChoice* used = system_.format()) report_.format = *used;
    static_cast<SolveReport&>(report_) = report_.columns[static_cast<std::size_t>(report_.worst_column)];
    return std::move(report_);
  }

  bool stopped() const { return stopped_; }

 private:
  void skip(const SolvePlan& plan) {
    const std::string line = plan.name() + ": " + plan.skip;
    if (std::find(report_.skipped.begin(), report_.skipped.end(), line) != report_.skipped.end()) return;
    report_.skipped.push_back(line);
    if (asked_.on.skipped) asked_.on.skipped(report_);
  }

  void finish_column(const std::vector<T>& b, const std::vector<T>& x) {
    report_.worst_column = column_;  // for best(), which looks at the tries of one column
    const SolveAttempt& best = report_.best();
    SolveReport mine = best.report;
    for (const SolveAttempt& made : report_.attempts)
      if (made.rcond) report_.rcond = made.rcond;
    if (!mine.ok() && mine.end != SolveEnd::stopped && mine.relative <= report_.tolerance) {
      mine.end = SolveEnd::converged;  // in the norm that was asked for, but not when rows are scaled
      mine.reason += "; |b - A x| is small enough, but not in every row";
    }
    if (!mine.ok() && report_.singular() && !best.rcond)
      mine.reason = fmt::format("the matrix is singular to working precision; {}", mine.reason);
    const bool worse = [&] {
      if (report_.columns.empty()) return true;
      const SolveReport& worst = report_.columns[static_cast<std::size_t>(worst_)];
      return mine.ok() != worst.ok() ? worst.ok() : !(mine.relative <= worst.relative);
    }();
    report_.columns.push_back(mine);
    if (worse) {
      worst_ = column_;
      report_.backward = system_.backward(b, x);
      report_.forward = best.forward;
    }
    report_.worst_column = worst_;
    ++column_;
  }

  void attempt(const SolvePlan& plan, bool others, int iterations, const std::vector<T>& b, std::vector<T>& x) {
    SolveOptions options;
    options.tolerance = report_.tolerance;
    options.absolute = asked_.absolute;
    options.max_iterations = iterations;
    options.restart = plan.restart;
    Patience patience(options.tolerance, iterations, patience_window(plan, iterations), plan.gives_way);
    if (asked_.on.monitor || others)
      options.monitor = [&](int iteration, double relative) {
        if (asked_.on.monitor && !asked_.on.monitor(iteration, relative)) stopped_ = true;
        return !stopped_ && (!others || patience(iteration, relative));
      };
    if (asked_.on.started) asked_.on.started(plan, options);
    std::vector<T> next = x;
    report_.attempts.push_back(system_.attempt(plan, b, next, options));
    SolveAttempt& made = report_.attempts.back();
    made.column = column_;
    if (made.report.end == SolveEnd::stopped && !stopped_)
      made.report.reason = fmt::format(
          "given up after {} iterations with a residual of {:.1e}: at this rate the aim is too far{}",
          made.iterations(), made.report.relative, plan.gives_way ? ", and the next try may be faster" : "");
    if (made.report.relative < reached_ || made.report.ok()) {
      reached_ = made.report.relative;
      x = std::move(next);
    }
    left_ -= made.iterations();
    if (asked_.on.finished) asked_.on.finished(report_);
  }

  LinearSystem<T>& system_;
  const AutoOptions& asked_;
  std::vector<SolvePlan> plans_;  // after the first column, what has solved it comes first
  AutoReport report_;
  int column_ = 0, worst_ = 0;
  int left_ = 0, kept_ = 0;
  double reached_ = 1;
  bool stopped_ = false;  // by the caller
};

}  // namespace

template <class T>
AutoReport run_tries(LinearSystem<T>& system, const SystemFacts& facts, const FormatChoice& format,
                     const PlanRequest& request, std::type_identity_t<Vectors<const T>> b,
                     std::type_identity_t<Vectors<T>> x, const AutoOptions& options) {
  Tries<T> solve_next(system, facts, format, request, options);
  for (int column = 0; column < b.num && !solve_next.stopped(); ++column) {
    std::vector<T> x_here = on_host<T>(x, column);
    solve_next(on_host<T>(b, column), x_here);
    copy_bytes(x.device, x.data + column * x.stride, Device::host(), x_here.data(), x_here.size() * sizeof(T));
  }
  return solve_next.report();
}

void check_options(const AutoOptions& options) {
  require(options.max_iterations >= 0, "solve: max_iterations is ", options.max_iterations, "; 0 or more");
  require(options.restart >= 0, "solve: restart is ", options.restart, "; 1 or more, or 0 for the usual one");
  check_method_choice(options.method);
  check_precond_choice(options.precond);
  order_words(options.order);
  if (options.format != "auto") make_format(Csr<double>(), options.format);  // is there such a format?
  for (const std::string& part : options.without) check_solve_part(part);
  require(!direct_kind(options.method) || (options.precond == "auto" && options.order.empty() && !options.mixed),
          "solve: ", options.method,
          " orders and scales by itself, and takes no preconditioner, no order and no mixed ", "precision");
  const bool flexible = options.precond != "auto" && needs_flexible(parse_precond(options.precond));
  require(!flexible || options.method == "auto" || find_method(options.method).flexible, "solve: preconditioner ",
          options.precond, " is another map in every iteration, and ", options.method,
          " needs one that stays; accepted are method fgmres, and cycles v and w");
}

template <class T>
PlanRequest plan_request(const AutoOptions& asked) {
  return {.method = asked.method,
          .precond = asked.precond,
          .max_iterations = asked.max_iterations,
          .restart = asked.restart,
          .scalar_bytes = sizeof(T),
          .mixed = asked.mixed,
          .amg = !is_complex<T>,
          .without = asked.without};
}

#define MILLRACE_INSTANTIATE(T)                                                                                \
  template PlanRequest plan_request<T>(const AutoOptions&);                                                    \
  template AutoReport run_tries(LinearSystem<T>&, const SystemFacts&, const FormatChoice&, const PlanRequest&, \
                                std::type_identity_t<Vectors<const T>>, std::type_identity_t<Vectors<T>>,      \
                                const AutoOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
