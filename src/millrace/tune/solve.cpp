// The tries one after another, each with the iterations that are left, until one reaches the aim.
#include "millrace/tune/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace millrace {
namespace {

constexpr int kept_for_the_last = 100;  // iterations that earlier tries leave for the last one

template <class T>
std::vector<T> on_host(const Vectors<const T>& v, int column) {
  std::vector<T> copy(static_cast<std::size_t>(v.size));
  copy_bytes(Device::host(), copy.data(), v.device, v.data + column * v.stride, copy.size() * sizeof(T));
  return copy;
}

/// Do the columns of every row rise, each one once?
template <class T>
bool is_sorted(const Csr<T>& a) {
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r) + 1; k < a.row_begin(r + 1); ++k)
      if (a.cols.data()[k - 1] >= a.cols.data()[k]) return false;
  return true;
}

template <class T>
class AutoSolve {
 public:
  AutoSolve(Queue& queue, const Csr<T>& a, const AutoOptions& asked) : queue_(queue), a_(a), asked_(asked) {
    const int num_threads = queue.device().on_host() ? queue.num_threads() : 0;
    facts_ = system_facts(a, compute_stats(a, num_threads));
    require(facts_.finite, "solve: the matrix holds NaN or Inf; a system needs finite entries");
    report_.facts = facts_.text();
    report_.symmetric = facts_.hermitian;
    report_.positive_diagonal = facts_.positive();
    report_.tolerance = asked.tolerance >= 0 ? asked.tolerance : sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-8;
    const bool plain_cg = asked.method == "cg" && asked.precond == "none";
    report_.format =
        asked.format == "auto" ? choose_format(facts_.stats, queue.device(), plain_cg) : FormatChoice{asked.format, ""};
  }

  /// One right-hand side after another.
  void operator()(const std::vector<T>& b, std::vector<T>& x) {
    if (column_ == 0) plan();
    left_ = asked_.max_iterations;
    kept_ = std::min(left_ / 5, kept_for_the_last);
    SolveReport start;
    measure_residual(a_, b, x, start);
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
    if (const FormatChoice* used = system_->format()) report_.format = *used;
    static_cast<SolveReport&>(report_) = report_.columns[static_cast<std::size_t>(report_.worst_column)];
    return std::move(report_);
  }

  bool stopped() const { return stopped_; }

 private:
  void plan() {
    system_ = std::make_unique<LinearSystem<T>>(
        queue_, a_, MatrixOptions{.format = report_.format.format, .or_csr = asked_.format == "auto"},
        asked_.max_factor_bytes);
    plans_ = make_plans();
    if (direct_kind(plans_.front().method) && asked_.format == "auto")
      report_.format = {"csr", "the factorisation takes it as it is"};
    if (asked_.on.planned) asked_.on.planned(report_);
  }

  std::vector<SolvePlan> make_plans() const {
    std::vector<SolvePlan> plans = plan_solve(facts_, {.method = asked_.method,
                                                       .precond = asked_.precond,
                                                       .max_iterations = asked_.max_iterations,
                                                       .restart = asked_.restart,
                                                       .scalar_bytes = sizeof(T),
                                                       .mixed = asked_.mixed,
                                                       .amg = std::is_same_v<T, double> && queue_.device().on_host(),
                                                       .without = asked_.without});
    for (SolvePlan& plan : plans)
      if (!asked_.order.empty() && !direct_kind(plan.method)) plan.order = asked_.order;
    return plans;
  }

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
      report_.backward = backward_error<T>(a_, b, x);
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
    Patience patience(options.tolerance, iterations, patience_window(plan, iterations));
    if (asked_.on.monitor || others)
      options.monitor = [&](int iteration, double relative) {
        if (asked_.on.monitor && !asked_.on.monitor(iteration, relative)) stopped_ = true;
        return !stopped_ && (!others || patience(iteration, relative));
      };
    if (asked_.on.started) asked_.on.started(plan, options);
    std::vector<T> next = x;
    report_.attempts.push_back(system_->attempt(plan, b, next, options));
    SolveAttempt& made = report_.attempts.back();
    made.column = column_;
    if (made.report.end == SolveEnd::stopped && !stopped_)
      made.report.reason =
          fmt::format("given up after {} iterations with a residual of {:.1e}: at this rate the aim is too far",
                      made.iterations(), made.report.relative);
    if (made.report.relative < reached_ || made.report.ok()) {
      reached_ = made.report.relative;
      x = std::move(next);
    }
    left_ -= made.iterations();
    if (asked_.on.finished) asked_.on.finished(report_);
  }

  Queue& queue_;
  const Csr<T>& a_;
  const AutoOptions& asked_;
  SystemFacts facts_;
  AutoReport report_;
  std::unique_ptr<LinearSystem<T>> system_;
  std::vector<SolvePlan> plans_;  // after the first column, what has solved it comes first
  int column_ = 0, worst_ = 0;
  int left_ = 0, kept_ = 0;
  double reached_ = 1;
  bool stopped_ = false;  // by the caller
};

}  // namespace

const SolveAttempt& AutoReport::best() const {
  require(!attempts.empty(), "solve: there was no try, for there are no unknowns");
  const SolveAttempt* found = nullptr;
  for (const SolveAttempt& a : attempts) {
    if (a.column != worst_column) continue;
    if (!found || a.report.ok() || a.report.relative < found->report.relative || std::isnan(found->report.relative))
      found = &a;
  }
  require(found != nullptr, "solve: there was no try for right-hand side ", worst_column);
  return *found;
}
std::string AutoReport::doubt() const {
  constexpr double hardly = 1e-4, no_digit = 0.1;
  if (singular()) return "singular to working precision: x is one of many, if it is one";
  if (forward && *forward > no_digit) return "no digit of x is certain";
  if (!forward && backward.rows > hardly)
    return fmt::format("some equations hold only up to {:.0e}, so x may be of no use", backward.rows);
  return {};
}
int AutoReport::total_iterations() const {
  int sum = 0;
  for (const SolveAttempt& a : attempts) sum += a.iterations();
  return sum;
}
double AutoReport::total_seconds() const {
  double sum = 0;
  for (const SolveAttempt& a : attempts) sum += a.report.seconds;
  return sum;
}
double AutoReport::setup_seconds() const {
  double sum = 0;
  for (const SolveAttempt& a : attempts) sum += a.setup_seconds;
  return sum;
}
std::vector<double> AutoReport::total_history() const {
  std::vector<double> all;
  for (const SolveAttempt& a : attempts) {
    const auto& part = a.report.history;  // a later try begins with the residual that the one before has left
    all.insert(all.end(), part.begin() + (all.empty() || part.empty() ? 0 : 1), part.end());
  }
  return all;
}
std::string AutoReport::text() const {
  std::string text =
      fmt::format("{}; format {}{}{}\n", facts, format.format, format.reason.empty() ? "" : ": ", format.reason);
  for (const SolveAttempt& a : attempts)
    text += fmt::format("{}{}{}: {}: {}\n", a.plan.name(), a.plan.why.empty() ? "" : ", ", a.plan.why,
                        to_string(a.report.end), a.report.reason);
  for (const std::string& line : skipped) text += "skipped: " + line + "\n";
  return text;
}

template <class T>
AutoReport solve(Queue& queue, const Csr<T>& a, std::type_identity_t<Vectors<const T>> b,
                 std::type_identity_t<Vectors<T>> x, const AutoOptions& options) {
  require(a.num_rows == a.num_cols, "solve: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require(b.num == x.num && b.num >= 1 && b.size == a.num_rows && x.size == a.num_rows, "solve: the matrix has ",
          a.num_rows, " rows, so b and x need as many vectors of ", a.num_rows, " each; they have ", b.num, " of ",
          b.size, " and ", x.num, " of ", x.size);
  require(options.max_iterations >= 0, "solve: max_iterations is ", options.max_iterations, "; 0 or more");
  require(options.restart >= 0, "solve: restart is ", options.restart, "; 1 or more, or 0 for the usual one");
  require<Unsupported>(!options.mixed || sizeof(RealOf<T>) == 8, "solve: mixed precision was asked for, but the ",
                       "numbers are ", scalar_name<T>(), " already; it takes double or complex-double");
  check_method_choice(options.method);
  check_precond_choice(options.precond);
  order_words(options.order);
  if (options.format != "auto") make_format(Csr<T>(), options.format);  // is there such a format?
  for (const std::string& part : options.without) check_solve_part(part);
  require(!direct_kind(options.method) || (options.precond == "auto" && options.order.empty() && !options.mixed),
          "solve: ", options.method,
          " orders and scales by itself, and takes no preconditioner, no order and no mixed ", "precision");
  if (a.num_rows == 0) {
    AutoReport report;
    report.reason = "there are no unknowns";
    return report;
  }
  queue.wait();  // what it still has to do may be about the matrix or the vectors
  const Csr<T> moved = a.device().on_host() ? Csr<T>() : a.to(Device::host());
  const Csr<T>& here = a.device().on_host() ? a : moved;
  const bool in_order = is_sorted(here);
  const Csr<T> sorted = in_order ? Csr<T>() : sort_rows(here);
  AutoSolve<T> solve_next(queue, in_order ? here : sorted, options);
  for (int column = 0; column < b.num && !solve_next.stopped(); ++column) {
    std::vector<T> x_here = on_host<T>(x, column);
    solve_next(on_host<T>(b, column), x_here);
    copy_bytes(x.device, x.data + column * x.stride, Device::host(), x_here.data(), x_here.size() * sizeof(T));
  }
  return solve_next.report();
}

#define MILLRACE_INSTANTIATE(T)                                                            \
  template AutoReport solve(Queue&, const Csr<T>&, std::type_identity_t<Vectors<const T>>, \
                            std::type_identity_t<Vectors<T>>, const AutoOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
