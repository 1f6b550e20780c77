// Brings matrix and vectors where a try needs them, and back.
#include "verbs/solve/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "millrace/solve/refine.hpp"
#include "millrace/sparse/matching.hpp"
#include "millrace/sparse/order.hpp"
#include "verbs/options.hpp"
#include "verbs/solve/methods.hpp"
#include "verbs/solve/preconds.hpp"

namespace millrace::command {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

template <class T>
std::vector<T> gathered(const std::vector<T>& from, const std::vector<Index>& order) {
  if (order.empty()) return from;
  std::vector<T> to(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[static_cast<std::size_t>(order[i])];
  return to;
}

bool finite(double value) { return std::isfinite(value); }
template <class R>
bool finite(const std::complex<R>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

}  // namespace

std::string Attempt::name() const {
  std::string text = plan.method;
  if (plan.method.ends_with("gmres")) text += fmt::format("({})", plan.restart);
  text += plan.precond == "none" ? "" : " + " + plan.precond;
  if (plan.mixed) text += " in float, refined";
  return plan.order.empty() ? text : fmt::format("{}, order {}", text, plan.order);
}

namespace {

template <class T>
StoredMatrix<T> store(Device device, const Csr<T>& host, const std::string& format, bool or_csr) {
  StoredMatrix<T> stored;
  stored.format = format;
  stored.entries = &host;
  if (!device.on_host()) {
    stored.csr = host.to(device);
    stored.entries = &stored.csr;
  }
  const auto make = [&](const Csr<T>& from, const std::string& name) {
    return std::make_unique<SparseMatrix<T>>(SparseMatrix<T>(from, name).to(device));
  };
  try {
    stored.a = std::make_unique<SparseMatrix<T>>(*stored.entries, format);
  } catch (const Unsupported& error) {
    stored.refused = error.what();
    try {
      stored.a = make(host, format);  // a format that only the host makes
    } catch (const Unsupported&) {
      if (!or_csr) throw;
      stored.format = "csr";
      stored.a = make(host, stored.format);
    }
  }
  if (const Array<Index>* basis = stored.a->permutation()) {
    const std::vector<Index> p = basis->to_vector();
    stored.csr = sort_rows(permute(host, p, p)).to(device);
    stored.entries = &stored.csr;
  }
  return stored;
}

template <class T>
const Csr<T>& entries_of(const StoredMatrix<T>& stored) {
  return stored.csr.num_rows > 0 ? stored.csr : *stored.entries;
}

template <class T>
Preconditioner<T> preconditioner(Queue& queue, const Plan& plan, const StoredMatrix<T>& stored) {
  return make_preconditioner(queue, {parse_precond(plan.precond), Precision::full, find_method(plan.method).definite},
                             entries_of(stored), *stored.a);
}

}  // namespace

template <class T>
const typename SystemToSolve<T>::Built& SystemToSolve<T>::built(const std::string& order) {
  if (built_ && built_->order == order) return *built_;
  built_.reset();  // before the next one takes memory
  auto next = std::make_unique<Built>();
  next->order = order;
  const Csr<T>* now = &csr_;
  for (const std::string& word : split(order, '+')) {
    if (word == "negate") {
      next->negated = true;
      next->csr = now->clone();
      for (T& value : next->csr.vals.span()) value = -value;
    } else if (word == "match") {
      next->rows = match_diagonal(*now).rows;
      next->csr = sort_rows(permute_rows(*now, next->rows));
    } else {
      const std::vector<Index> both = make_ordering(*now, parse_ordering(word));
      next->csr = sort_rows(permute(*now, both, both));
      next->rows = next->rows.empty() ? both : gathered(next->rows, both);
      next->cols = next->cols.empty() ? both : gathered(next->cols, both);
    }
    now = &next->csr;
  }
  next->stored = store(queue_.device(), *now, format_, or_csr_);
  built_ = std::move(next);
  return *built_;
}

template <class T>
void SystemToSolve<T>::run(Attempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options) {
  const auto begin = Clock::now();
  const StoredMatrix<T>& stored = built_->stored;
  const Preconditioner<T> m = preconditioner(queue_, attempt.plan, stored);
  attempt.note = m.note;
  attempt.setup_seconds += seconds_since(begin);
  attempt.report = run_method<T>(attempt.plan.method, queue_, *stored.a, *m.op, b, x, options);
  attempt.iteration_bytes = attempt.report.iteration_bytes;
}

// The matrix and the preconditioner in float; the outer loop sees A as it is. The inner solver has all iterations.
template <class T>
void SystemToSolve<T>::run_mixed(Attempt& attempt, const Array<T>& b, Array<T>& x, const SolveOptions& options) {
  using Low = Single<T>;
  if constexpr (std::is_same_v<T, Low>) {
    throw Unsupported("mixed precision refines numbers in double; these are float already");
  } else {
    constexpr double inner_tolerance = 1e-4;
    const auto begin = Clock::now();
    const Csr<Low> csr = convert_values<Low>(built_->order.empty() ? csr_ : built_->csr);
    const StoredMatrix<Low> low = store(queue_.device(), csr, format_, or_csr_);
    const Preconditioner<Low> m = preconditioner(queue_, attempt.plan, low);
    attempt.note = m.note;
    attempt.setup_seconds += seconds_since(begin);
    attempt.narrow_bytes = low.a->traffic().total();
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
    attempt.report = refine<T>(queue_, *built_->stored.a, *low.a, *m.op, solver, b, x, outer, inner);
  }
}

template <class T>
Attempt SystemToSolve<T>::attempt(const Plan& plan, const std::vector<T>& b, std::vector<T>& x,
                                  const SolveOptions& asked) {
  const auto begin = Clock::now();
  Attempt attempt{.plan = plan};
  const Built& system = built(plan.order);
  attempt.product_bytes = system.stored.a->traffic().total();
  attempt.setup_seconds = seconds_since(begin);
  SolveOptions options = asked;
  options.restart = plan.restart;
  std::vector<T> rhs = gathered(b, system.rows);
  if (system.negated)
    for (T& value : rhs) value = -value;
  const Array<T> b_there = Array<T>(std::span<const T>(rhs)).to(queue_.device());
  Array<T> x_there = Array<T>(std::span<const T>(gathered(x, system.cols))).to(queue_.device());
  try {
    plan.mixed ? run_mixed(attempt, b_there, x_there, options) : run(attempt, b_there, x_there, options);
  } catch (const Error& error) {  // the preconditioner, most likely
    if (plan.why.empty()) throw;
    attempt.report.end = SolveEnd::breakdown;
    attempt.report.reason = error.what();
    attempt.report.relative = attempt.report.residual = std::nan("");
  }
  const std::vector<T> found = x_there.to_vector();
  if (std::all_of(found.begin(), found.end(), [](const T& value) { return finite(value); })) {
    for (std::size_t i = 0; i < found.size(); ++i)
      x[system.cols.empty() ? i : static_cast<std::size_t>(system.cols[i])] = found[i];
  }
  return attempt;
}

template <class T>
std::vector<T> product_with_ones(Queue& queue, const Csr<T>& a) {
  const std::vector<T> ones(static_cast<std::size_t>(a.num_cols), T{1});
  std::vector<T> b(static_cast<std::size_t>(a.num_rows));
  Queue on_host;
  const SparseMatrix<T> matrix(a.clone());
  matrix.apply(queue.device().on_host() ? queue : on_host, {.x = ones, .y = b});
  return b;
}

#define MILLRACE_INSTANTIATE(T)    \
  template class SystemToSolve<T>; \
  template std::vector<T> product_with_ones(Queue&, const Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace::command
