// Brings matrix and vectors where a try needs them, and back.
#include "solve_system.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "millrace/sparse/matching.hpp"
#include "millrace/sparse/order.hpp"
#include "options.hpp"
#include "solve_methods.hpp"

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
  if (plan.precision != Precision::full) text += plan.precision == Precision::single ? " in float" : " in bfloat16";
  return plan.order.empty() ? text : fmt::format("{}, order {}", text, plan.order);
}

template <class T>
SparseMatrix<T> SystemToSolve<T>::made(const Csr<T>& csr) {
  try {
    SparseMatrix<T> a(csr, asked_format_);
    format_ = asked_format_;
    details_ = a.details();
    return a;
  } catch (const Unsupported& error) {  // auto's rule looks at statistics only
    format_ = "csr";
    details_ = error.what();
    return SparseMatrix<T>(csr, "csr");
  }
}

template <class T>
const typename SystemToSolve<T>::Built& SystemToSolve<T>::built(const std::string& order) {
  if (built_ && built_->order == order) return *built_;
  built_.reset();  // before the next one takes memory
  auto next = std::make_unique<Built>();
  next->order = order;
  Csr<T> csr;
  const Csr<T>* now = &csr_;
  for (const std::string& word : split(order, '+')) {
    if (word == "match") {
      next->rows = match_diagonal(*now).rows;
      csr = permute_rows(*now, next->rows);
    } else {
      const std::vector<Index> both = make_ordering(*now, parse_ordering(word));
      csr = permute(*now, both, both);
      next->rows = next->rows.empty() ? both : gathered(next->rows, both);
      next->cols = next->cols.empty() ? both : gathered(next->cols, both);
    }
    csr = sort_rows(csr);
    now = &csr;
  }
  const Device device = queue_.device();
  if (device.on_host()) {
    next->a = std::make_unique<SparseMatrix<T>>(made(*now));
  } else {
    try {
      next->a = std::make_unique<SparseMatrix<T>>(made(now->to(device)));
    } catch (const Unsupported&) {  // a format that only the host makes
      next->a = std::make_unique<SparseMatrix<T>>(made(*now).to(device));
    }
  }
  if (const Array<Index>* basis = next->a->permutation()) {
    const std::vector<Index> p = basis->to_vector();
    csr = sort_rows(permute(*now, p, p));
    now = &csr;
  }
  next->csr = now->to(device);
  built_ = std::move(next);
  return *built_;
}

template <class T>
Attempt SystemToSolve<T>::attempt(const Plan& plan, const std::vector<T>& b, std::vector<T>& x, SolveOptions options) {
  const auto begin = Clock::now();
  Attempt attempt{plan, "", {}, 0};
  Preconditioner<T> m;
  try {
    const Built& system = built(plan.order);
    const bool positive = find_method(plan.method).definite;
    m = make_preconditioner(queue_, {parse_precond(plan.precond), plan.precision, positive}, system.csr, *system.a);
    attempt.note = m.note;
  } catch (const Error& error) {
    attempt.report.end = SolveEnd::breakdown;
    attempt.report.reason = error.what();
    attempt.report.relative = std::nan("");
    attempt.setup_seconds = seconds_since(begin);
    return attempt;
  }
  attempt.setup_seconds = seconds_since(begin);

  const Array<T> b_there = Array<T>(std::span<const T>(gathered(b, built_->rows))).to(queue_.device());
  Array<T> x_there = Array<T>(std::span<const T>(gathered(x, built_->cols))).to(queue_.device());
  options.restart = plan.restart;
  attempt.report = run_method<T>(plan.method, queue_, *built_->a, *m.op, b_there, x_there, options);
  const std::vector<T> found = x_there.to_vector();
  if (std::all_of(found.begin(), found.end(), [](const T& value) { return finite(value); })) {
    for (std::size_t i = 0; i < found.size(); ++i)
      x[built_->cols.empty() ? i : static_cast<std::size_t>(built_->cols[i])] = found[i];
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
