// The checks, the list of tries and the rule to give one up.
#include "solve_auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve_methods.hpp"

namespace millrace::command {

namespace {

constexpr double basis_bytes = 512e6;  // that GMRES may take for its vectors
constexpr int longest_cycle = 400;     // what a GPU takes
constexpr int usual_cycle = 30;

template <class T>
bool is_finite(const T& value) {
  if constexpr (is_complex<T>)
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  else
    return std::isfinite(value);
}

int cycle_length(const SystemFacts& facts, const AutoRequest& request) {
  if (request.restart > 0) return request.restart;
  const double fit = basis_bytes / (request.scalar_bytes * std::max<double>(1, facts.stats.num_rows));
  const int most = std::min(request.max_iterations, longest_cycle);
  return std::max(usual_cycle, static_cast<int>(std::min<double>(fit, most)));
}

}  // namespace

template <class T>
SystemFacts system_facts(const Csr<T>& a, MatrixStats stats) {
  SystemFacts facts;
  facts.hermitian = is_complex<T> ? stats.hermitian : stats.numerically_symmetric;
  for (Index r = 0; r < a.num_rows; ++r) {
    double diagonal = 0, others = 0;
    bool negative = false;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const T value = a.vals.data()[k];
      if (!is_finite(value)) facts.finite = false;
      if (a.cols.data()[k] != r) {
        others += std::abs(value);
        continue;
      }
      diagonal = std::abs(value);
      if constexpr (is_complex<T>)
        negative = value.real() < 0 || value.imag() != 0;
      else
        negative = value < 0;
    }
    if (diagonal == 0) ++facts.zero_diagonal;
    if (negative) ++facts.negative_diagonal;
    if (diagonal >= others && diagonal > 0) ++facts.dominant_rows;
  }
  facts.stats = std::move(stats);
  return facts;
}
template SystemFacts system_facts(const Csr<float>&, MatrixStats);
template SystemFacts system_facts(const Csr<double>&, MatrixStats);
template SystemFacts system_facts(const Csr<std::complex<float>>&, MatrixStats);
template SystemFacts system_facts(const Csr<std::complex<double>>&, MatrixStats);

std::string SystemFacts::text() const {
  const Index n = stats.num_rows;
  std::string text = hermitian ? "symmetric" : stats.pattern_symmetric ? "symmetric pattern" : "not symmetric";
  if (zero_diagonal > 0)
    text += fmt::format(", {} zeros on the diagonal", zero_diagonal);
  else if (negative_diagonal == 0)
    text += ", positive diagonal";
  else
    text += negative_diagonal == n ? ", negative diagonal" : ", diagonal of both signs";
  if (dominant_rows == n)
    text += ", all rows diagonally dominant";
  else
    text += fmt::format(", {:.0f} % of the rows diagonally dominant", n ? 100.0 * dominant_rows / n : 0);
  if (stats.empty_rows > 0) text += fmt::format(", {} empty rows: singular", stats.empty_rows);
  if (stats.empty_rows == 0 && stats.empty_cols > 0)
    text += fmt::format(", {} empty columns: singular", stats.empty_cols);
  return text;
}

std::vector<Plan> plan_solve(const SystemFacts& facts, const AutoRequest& request) {
  const int cycle = cycle_length(facts, request);
  const std::string blocks = facts.stats.block_size > 1 ? "block-ilu0" : "ilu0";
  std::vector<Plan> plans;
  const auto add = [&](std::string method, std::string precond, std::string order, std::string why) {
    const bool fits = (request.method == "auto" || request.method == method) &&
                      (request.precond == "auto" || request.precond == precond);
    if (fits)
      plans.push_back({std::move(method), std::move(precond), std::move(order), std::move(why), cycle, request.mixed});
  };
  if (facts.positive()) add("cg", "ic0", "", "symmetric with a positive diagonal, so perhaps positive definite");
  if (facts.hermitian && !facts.positive()) add("minres", "jacobi", "", "symmetric, but surely not positive definite");
  add("gmres", blocks, "", "needs nothing of the matrix");
  if (facts.zero_diagonal > 0) add("gmres", "ilu0", "match", "large entries brought onto the diagonal");
  if (plans.empty()) {
    const std::string method = request.method == "auto" ? "gmres" : request.method;
    const std::string precond = request.precond == "auto" ? std::string(find_method(method).precond) : request.precond;
    plans.push_back(
        {method, precond, "", "as asked", request.restart > 0 ? request.restart : usual_cycle, request.mixed});
  }
  return plans;
}

bool Patience::operator()(int iteration, double relative) {
  const double before = best_.empty() ? relative : best_.back();
  while (static_cast<int>(best_.size()) <= iteration) best_.push_back(std::min(before, relative));
  if (iteration < 2 * window_) return true;
  const double then = best_[static_cast<std::size_t>(iteration - window_)], now = best_.back();
  const double gained = std::log(then / now), missing = std::log(now / tolerance_);
  const double needed = gained > 0 ? missing / gained * window_ : 1e300;
  return needed < 4.0 * (max_ - iteration);
}

}  // namespace millrace::command
