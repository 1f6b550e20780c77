// Brings matrix and vectors where a try needs them, and back.
#include "millrace/tune/attempt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "millrace/base/elapsed.hpp"
#include "millrace/solve/by_name.hpp"
#include "millrace/solve/refine.hpp"
#include "millrace/sparse/matching.hpp"
#include "millrace/sparse/order.hpp"
#include "millrace/sparse/stats.hpp"
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

template <class T>
bool all_finite(const std::vector<T>& v) {
  return std::all_of(v.begin(), v.end(), [](const T& value) { return is_finite(arith(value)); });
}

template <class T>
Preconditioner<T> preconditioner(Queue& queue, const SolvePlan& plan, const SystemMatrix<T>& matrix) {
  return make_preconditioner(queue, plan.precond, matrix.entries(), matrix.a(),
                             {.definite = find_method(plan.method).definite});
}

}  // namespace

template <class T>
void measure_residual(const Csr<T>& a, const std::vector<T>& b, const std::vector<T>& x, SolveReport& report) {
  double residual = 0, rhs = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    T sum = b[static_cast<std::size_t>(r)];
    rhs = std::hypot(rhs, std::abs(sum));
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      sum -= a.vals.data()[k] * x[static_cast<std::size_t>(a.cols.data()[k])];
    residual = std::hypot(residual, std::abs(sum));
  }
  report.rhs_norm = rhs;
  report.residual = residual;
  report.relative = rhs > 0 ? residual / rhs : residual;
}
double relative_aim(const SolveOptions& options, double rhs_norm) {
  return std::max(options.tolerance, rhs_norm > 0 ? options.absolute / rhs_norm : options.absolute);
}

std::string SolvePlan::name() const {
  std::string text = method;
  if (method.ends_with("gmres")) text += fmt::format("({})", restart);
  if (precond != "none") text += " + " + precond;
  if (mixed) text += " in float, refined";
  return order.empty() ? text : fmt::format("{}, order {}", text, order);
}

std::vector<std::string> order_words(std::string_view order) {
  std::vector<std::string> words;
  while (!order.empty()) {
    const std::size_t end = std::min(order.find('+'), order.size());
    if (end > 0) words.emplace_back(order.substr(0, end));
    order.remove_prefix(std::min(end + 1, order.size()));
  }
  for (const std::string& word : words)
    if (word != "match" && word != "negate" && word != "scale") parse_ordering(word);
  return words;
}

template <class T>
SystemMatrix<T>::SystemMatrix(Queue& queue, const Csr<T>& host, const MatrixOptions& options) : host_(&host) {
  const Device device = queue.device();
  if (!device.on_host()) own_ = host.to(device);
  a_ = std::make_unique<SparseMatrix<T>>(make_matrix(queue, entries(), options, &format_));
  if (const Array<Index>* basis = a_->permutation()) {
    const std::vector<Index> p = basis->to_vector();
    own_ = sort_rows(permute(host, p, p)).to(device);
  }
}

template <class T>
const typename LinearSystem<T>::Built& LinearSystem<T>::built(const std::string& order) {
  if (built_ && built_->order == order) return *built_;
  made_ = {};  // before the next one takes memory
  made_for_.clear();
  built_.reset();
  auto next = std::make_unique<Built>();
  next->order = order;
  const Csr<T>* now = &csr_;
  for (const std::string& word : order_words(order)) {
    if (word == "scale") {
      require(next->rows.empty() && next->cols.empty(), "order '", order,
              "': scale comes before the words that reorder");
      next->scaling = equilibrate(*now, asymmetry(*now) <= max_asymmetry);
      next->csr = scaled(*now, next->scaling);
    } else if (word == "negate") {
      next->negated = true;
      next->csr = now->clone();
      for (T& value : next->csr.vals.span()) value = -value;
    } else if (word == "match") {
      const std::vector<Index> matched = match_diagonal(*now).rows;
      next->csr = sort_rows(permute_rows(*now, matched));
      next->rows = next->rows.empty() ? matched : gathered(next->rows, matched);
    } else {
      const std::vector<Index> both = make_ordering(*now, parse_ordering(word));
      next->csr = sort_rows(permute(*now, both, both));
      next->rows = next->rows.empty() ? both : gathered(next->rows, both);
      next->cols = next->cols.empty() ? both : gathered(next->cols, both);
    }
    now = &next->csr;
  }
  next->matrix = std::make_unique<SystemMatrix<T>>(queue_, *now, options_);
  built_ = std::move(next);
  return *built_;
}

template <class T>
void LinearSystem<T>::run(SolveAttempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options) {
  const auto begin = Clock::now();
  const SystemMatrix<T>& matrix = *built_->matrix;
  if (made_for_ != attempt.plan.name()) {
    made_ = {};
    made_ = preconditioner(queue_, attempt.plan, matrix);
    made_for_ = attempt.plan.name();
  }
  attempt.note = made_.note;
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
    const Csr<Low> csr = convert_values<Low>(built_->order.empty() ? csr_ : built_->csr);
    const SystemMatrix<Low> low(queue_, csr, options_);
    const Preconditioner<Low> m = preconditioner(queue_, attempt.plan, low);
    attempt.note = m.note;
    attempt.setup_seconds += seconds_since(begin);
    attempt.narrow_bytes = low.a().traffic().total();
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
    attempt.report = refine<T>(queue_, built_->matrix->a(), low.a(), *m.op, solver, b, x, outer, inner);
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
    measure_residual(csr_, b, x, attempt.report);
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
    if (plan.why.empty()) throw;
    attempt.report.end = SolveEnd::breakdown;
    attempt.report.reason = error.what();
    attempt.report.relative = attempt.report.residual = std::nan("");
  }
  return attempt;
}

#define MILLRACE_INSTANTIATE(T)                                                                              \
  template void measure_residual(const Csr<T>&, const std::vector<T>&, const std::vector<T>&, SolveReport&); \
  template class SystemMatrix<T>;                                                                            \
  template class LinearSystem<T>
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
