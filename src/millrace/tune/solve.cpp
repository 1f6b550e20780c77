// A matrix that is all here: what is seen of it, its format, and the tries.
#include "millrace/tune/solve.hpp"

#include <fmt/format.h>

#include <cmath>

#include "millrace/base/thread_limit.hpp"
#include "millrace/tune/local_system.hpp"
#include "millrace/tune/tries.hpp"

namespace millrace {
namespace {

/// Do the columns of every row rise, each one once?
template <class T>
bool is_sorted(const Csr<T>& a) {
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r) + 1; k < a.row_begin(r + 1); ++k)
      if (a.cols.data()[k - 1] >= a.cols.data()[k]) return false;
  return true;
}

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
  const ThreadLimit limit(queue);
  require(a.num_rows == a.num_cols, "solve: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require(b.num == x.num && b.num >= 1 && b.size == a.num_rows && x.size == a.num_rows, "solve: the matrix has ",
          a.num_rows, " rows, so b and x need as many vectors of ", a.num_rows, " each; they have ", b.num, " of ",
          b.size, " and ", x.num, " of ", x.size);
  require<Unsupported>(!options.mixed || sizeof(RealOf<T>) == 8, "solve: mixed precision was asked for, but the ",
                       "numbers are ", scalar_name<T>(), " already; it takes double or complex-double");
  check_options(options);
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
  const Csr<T>& rows = in_order ? here : sorted;
  const SystemFacts facts = system_facts(rows, compute_stats(rows, queue.device().on_host() ? queue.num_threads() : 0));
  const bool plain_cg = options.method == "cg" && options.precond == "none", choose = options.format == "auto";
  const FormatChoice format =
      choose ? choose_format(facts.stats, queue.device(), plain_cg) : FormatChoice{options.format, ""};
  LocalSystem<T> system(queue, rows, {.format = format.format, .or_csr = choose}, options.max_factor_bytes);
  return run_tries<T>(system, facts, format, plan_request<T>(options), b, x, options);
}

#define MILLRACE_INSTANTIATE(T)                                                            \
  template AutoReport solve(Queue&, const Csr<T>&, std::type_identity_t<Vectors<const T>>, \
                            std::type_identity_t<Vectors<T>>, const AutoOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
