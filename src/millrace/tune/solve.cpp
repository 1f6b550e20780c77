// The tries one after another, each with the iterations that are left, until one reaches the aim.
#include "millrace/tune/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "millrace/precond/by_name.hpp"
#include "millrace/solve/by_name.hpp"

namespace millrace {
namespace {

constexpr int kept_for_the_last = 100;  // iterations that earlier tries leave for the last one

template <class T>
std::vector<T> on_host(const Vectors<const T>& v) {
  std::vector<T> copy(static_cast<std::size_t>(v.size));
  copy_bytes(Device::host(), copy.data(), v.device, v.data, copy.size() * sizeof(T));
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
double norm(const std::vector<T>& v) {
  double sum = 0;
  for (const T& value : v) sum += static_cast<double>(std::norm(value));
  return std::sqrt(sum);
}

/// |b - A x| over |b| at the start.
template <class T>
double start_residual(const Csr<T>& a, const std::vector<T>& b, const std::vector<T>& x) {
  if (std::all_of(x.begin(), x.end(), [](const T& value) { return value == T{}; })) return 1;
  std::vector<T> r = b;
  for (Index i = 0; i < a.num_rows; ++i)
    for (Offset k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
      r[static_cast<std::size_t>(i)] -= a.vals.data()[k] * x[static_cast<std::size_t>(a.cols.data()[k])];
  return norm(r) / norm(b);
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
    report_.tolerance = asked.tolerance > 0 ? asked.tolerance : sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-8;
    const bool plain_cg = asked.method == "cg" && asked.precond == "none";
    report_.format =
        asked.format == "auto" ? choose_format(facts_.stats, queue.device(), plain_cg) : FormatChoice{asked.format, ""};
  }

  AutoReport operator()(const std::vector<T>& b, std::vector<T>& x) {
    if (asked_.on.planned) asked_.on.planned(report_);
    LinearSystem<T> system(queue_, a_, {.format = report_.format.format, .or_csr = asked_.format == "auto"});
    const std::vector<SolvePlan> plans = make_plans();
    left_ = asked_.max_iterations;
    kept_ = std::min(left_ / 5, kept_for_the_last);
    reached_ = start_residual(a_, b, x);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      if (!worth_trying(plans[k], report_.attempts)) continue;
      const bool others = k + 1 < plans.size();
      const int iterations = others ? std::max(0, left_ - kept_) : left_;
      if (iterations == 0 && left_ > 0) continue;
      attempt(system, plans[k], others, iterations, b, x);
      if (report_.attempts.back().report.ok() || left_ <= 0 || stopped_) break;
    }
    if (system.format().format != report_.format.format) report_.format = system.format();
    static_cast<SolveReport&>(report_) = report_.best().report;
    return std::move(report_);
  }

 private:
  std::vector<SolvePlan> make_plans() const {
    std::vector<SolvePlan> plans = plan_solve(
        facts_, {asked_.method, asked_.precond, asked_.max_iterations, asked_.restart, sizeof(T), asked_.mixed});
    for (SolvePlan& plan : plans)
      if (!asked_.order.empty()) plan.order = asked_.order;
    return plans;
  }

  void attempt(LinearSystem<T>& system, const SolvePlan& plan, bool others, int iterations, const std::vector<T>& b,
               std::vector<T>& x) {
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
    report_.attempts.push_back(system.attempt(plan, b, next, options));
    SolveAttempt& made = report_.attempts.back();
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
  int left_ = 0, kept_ = 0;
  double reached_ = 1;
  bool stopped_ = false;  // by the caller
};

}  // namespace

const SolveAttempt& AutoReport::best() const {
  require(!attempts.empty(), "solve: there was no try, for there are no unknowns");
  const SolveAttempt* found = &attempts.back();
  for (const SolveAttempt& a : attempts)
    if (a.report.relative < found->report.relative || std::isnan(found->report.relative)) found = &a;
  return attempts.back().report.ok() ? attempts.back() : *found;
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
  return text;
}

template <class T>
AutoReport solve(Queue& queue, const Csr<T>& a, std::type_identity_t<Vectors<const T>> b,
                 std::type_identity_t<Vectors<T>> x, const AutoOptions& options) {
  require(a.num_rows == a.num_cols, "solve: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require(b.num == 1 && x.num == 1 && b.size == a.num_rows && x.size == a.num_rows, "solve: the matrix has ",
          a.num_rows, " rows, so b and x need one vector of ", a.num_rows, " each; they have ", b.num, " of ", b.size,
          " and ", x.num, " of ", x.size);
  require(options.max_iterations >= 0, "solve: max_iterations is ", options.max_iterations, "; 0 or more");
  require(options.restart >= 0, "solve: restart is ", options.restart, "; 1 or more, or 0 for the usual one");
  require<Unsupported>(!options.mixed || sizeof(RealOf<T>) == 8, "solve: mixed precision was asked for, but the ",
                       "numbers are ", scalar_name<T>(), " already; it takes double or complex-double");
  check_method_choice(options.method);
  check_precond_choice(options.precond);
  order_words(options.order);
  if (a.num_rows == 0) {
    AutoReport report;
    report.reason = "there are no unknowns";
    return report;
  }
  queue.wait();  // what it still has to do may be about the matrix or the vectors
  const std::vector<T> b_here = on_host<T>(b);
  std::vector<T> x_here = on_host<T>(x);
  const Csr<T> moved = a.device().on_host() ? Csr<T>() : a.to(Device::host());
  const Csr<T>& here = a.device().on_host() ? a : moved;
  AutoReport report = is_sorted(here) ? AutoSolve<T>(queue, here, options)(b_here, x_here)
                                      : AutoSolve<T>(queue, sort_rows(here), options)(b_here, x_here);
  copy_bytes(x.device, x.data, Device::host(), x_here.data(), x_here.size() * sizeof(T));
  return report;
}

#define MILLRACE_INSTANTIATE(T)                                                            \
  template AutoReport solve(Queue&, const Csr<T>&, std::type_identity_t<Vectors<const T>>, \
                            std::type_identity_t<Vectors<T>>, const AutoOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
