// The choice of a factorisation, the matrix as the packages take it, and the inverse as an operator.
#include "millrace/precond/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "millrace/base/human.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/direct/add_multiple.hpp"
#include "millrace/precond/direct/columns.hpp"
#include "millrace/precond/direct/condition.hpp"
#include "millrace/precond/direct/factors.hpp"
#include "millrace/precond/equilibrate.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {

using namespace detail;

namespace {

constexpr bool with_cholmod = MILLRACE_WITH_CHOLMOD, with_umfpack = MILLRACE_WITH_UMFPACK, with_klu = MILLRACE_WITH_KLU;
constexpr double memory_share = 0.5;  // of the machine's, for the factors

template <class T>
bool positive_diagonal(const Csr<T>& sorted) {
  for (Index r = 0; r < sorted.num_rows; ++r) {
    const Index* begin = sorted.cols.data() + sorted.row_begin(r);
    const Index* end = sorted.cols.data() + sorted.row_begin(r + 1);
    const Index* at = std::lower_bound(begin, end, r);
    if (at == end || *at != r || !(std::real(sorted.vals.data()[at - sorted.cols.data()]) > 0)) return false;
  }
  return true;
}

template <class T>
double norm_1(const Csr<T>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.num_cols), 0.0);
  for (Offset k = 0; k < a.num_entries(); ++k)
    sums[static_cast<std::size_t>(a.cols.data()[k])] += std::abs(FactorScalar<T>(a.vals.data()[k]));
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

// A + s I with s = shift times the largest entry of A; A has sorted rows.
template <class T>
Csr<T> shifted(const Csr<T>& a, double shift) {
  double largest = 0;
  for (const T& value : a.vals.span()) largest = std::max(largest, static_cast<double>(std::abs(value)));
  const T added = static_cast<T>(static_cast<RealOf<T>>(shift * (largest > 0 ? largest : 1)));
  return add_multiple<T>(a, added, nullptr);
}

// Tries what the kind names; null: Cholesky or LDL met a pivot that it cannot take.
template <class T>
FactorsOf<FactorScalar<T>> factorise(const Csr<T>& a, Factorisation kind, double max_bytes, DirectReport& report) {
  const auto missing = [&](const char* package) {
    return join("direct: ", to_string(kind), " was asked for, but this build has no ", package,
                " (Debian: libsuitesparse-dev)");
  };
  if (kind == Factorisation::cholesky || kind == Factorisation::ldl) {
    if constexpr (with_cholmod)
      return factorise_cholmod(upper_triangle_of(a), kind == Factorisation::cholesky, max_bytes, report);
    throw Unsupported(missing("CHOLMOD"));
  }
  if (kind == Factorisation::klu) {
    if constexpr (with_klu) return factorise_klu(columns_of(a), max_bytes, report);
    throw Unsupported(missing("KLU"));
  }
  if constexpr (with_umfpack) {
    const auto likely_bytes = [&] {  // as with pivots on the diagonal, and twice as much again for those that are not
      const std::optional<DirectForecast> forecast = forecast_direct(a, false);
      return forecast ? 3 * forecast->factor_bytes : report.estimated_bytes;
    };
    return factorise_umfpack(columns_of(a), max_bytes, likely_bytes, report);
  }
  throw Unsupported(missing("UMFPACK"));
}

// What is worth trying, in this order.
template <class T>
std::vector<Factorisation> choices(const Csr<T>& a, bool hermitian, Factorisation asked) {
  if (asked != Factorisation::automatic) return {asked};
  std::vector<Factorisation> list;
  if (with_cholmod && hermitian && positive_diagonal(a)) list.push_back(Factorisation::cholesky);
  if (with_umfpack)
    list.push_back(Factorisation::lu);
  else if (with_klu)
    list.push_back(Factorisation::klu);
  else if (with_cholmod && hermitian)
    list.push_back(Factorisation::ldl);
  require<Unsupported>(!list.empty(), "direct: this build has no package that factorises ",
                       hermitian ? "this matrix" : "a matrix that is not symmetric",
                       "; UMFPACK, KLU and CHOLMOD are parts of SuiteSparse (Debian: libsuitesparse-dev)");
  return list;
}

}  // namespace

const std::vector<DirectPackage>& direct_packages() {
  static const std::vector<DirectPackage> all = [] {
    std::vector<DirectPackage> list{
        {"CHOLMOD", "", "LGPL-2.1-or-later AND GPL-2.0-or-later", "Cholesky and LDL^T of symmetric matrices"},
        {"UMFPACK", "", "GPL-2.0-or-later", "LU of any square matrix"},
        {"KLU", "", "LGPL-2.1-or-later", "LU of very sparse matrices, such as circuits"}};
    if constexpr (with_cholmod) list[0].version = cholmod_version();
    if constexpr (with_umfpack) list[1].version = umfpack_version();
    if constexpr (with_klu) list[2].version = klu_version();
    return list;
  }();
  return all;
}

bool can_factorise() {
  const auto& all = direct_packages();
  return std::any_of(all.begin(), all.end(), [](const DirectPackage& package) { return package.built(); });
}

std::string_view to_string(Factorisation kind) {
  constexpr std::string_view names[] = {"automatic", "cholesky", "ldl", "lu", "klu"};
  return names[static_cast<int>(kind)];
}

void detail::require_memory(const DirectReport& report, double max_bytes) {
  require(
      report.estimated_bytes <= max_bytes, "direct: ", report.package, " expects factors of up to ",
      [&] { return bytes_text(report.estimated_bytes); }, "; the limit is ", [&] { return bytes_text(max_bytes); },
      ", and max_bytes can raise it");
}

std::string DirectReport::text() const {
  constexpr const char* forms[] = {"", "L L^T", "L D L^T without pivoting", "L U", "L U"};
  std::string text = fmt::format("{}, {}: {} entries, {}", package, forms[static_cast<int>(kind)],
                                 count_text(factor_entries), bytes_text(factor_bytes));
  if (!scaling.empty()) text += "; " + scaling;
  if (shift > 0) text += fmt::format("; the diagonal shifted by {:.0e} of the largest entry", shift);
  if (rcond == 0) return text + "; a pivot is zero, so the matrix is singular";
  text += fmt::format("; reciprocal condition {:.1e}", rcond);
  return rcond < min_rcond ? text + ", singular to working precision" : text;
}

template <class T>
struct Direct<T>::Inside {
  using S = FactorScalar<T>;
  FactorsOf<S> factors{};
  Scaling scaling{};
  std::mutex lock{};

  /// b becomes A^-1 b, A^-T b or A^-H b. (R A C)^-1 is what the factors know.
  void solve(std::vector<S>& b, Op op) {
    const bool transposed = op != Op::none;
    if (op == Op::conjugate_transpose) conjugate_all(b);
    scale_by(b, transposed ? scaling.cols : scaling.rows);
    scaled_solve(b, transposed);
    scale_by(b, transposed ? scaling.rows : scaling.cols);
    if (op == Op::conjugate_transpose) conjugate_all(b);
  }
  void scaled_solve(std::vector<S>& b, bool transposed) {
    std::vector<S> x(b.size());
    const std::lock_guard guard(lock);
    factors->solve(b.data(), x.data(), transposed);
    b = std::move(x);
  }
  double rcond(double norm, std::size_t n) {
    const auto adjoint = [&](std::vector<S>& v) {
      conjugate_all(v);
      scaled_solve(v, true);
      conjugate_all(v);
    };
    const double inverse = estimate_norm_1<S>(
        n, [&](std::vector<S>& v) { scaled_solve(v, false); }, adjoint);
    const double condition = norm * inverse;
    return std::isfinite(condition) && condition > 0 ? 1 / condition : 0;
  }
};

template <class T>
Direct<T>::Direct(Queue& queue, const Csr<T>& given, const DirectOptions& options) : device_(given.device()) {
  const ThreadLimit limit(queue);
  require(given.num_rows == given.num_cols, "direct: the matrix is ", given.num_rows, " x ", given.num_cols,
          "; it must be square");
  require(
      queue.device() == given.device(), "direct: the matrix lives on ", [&] { return to_string(given.device()); },
      ", the queue on ", [&] { return to_string(queue.device()); }, "; both must be on one device");
  require(options.max_bytes >= 0, "direct: max_bytes is ", options.max_bytes,
          "; it must be positive, or 0 for half of ", "the machine's memory");
  require(options.shift >= 0 && std::isfinite(options.shift), "direct: the shift is ", options.shift,
          "; it must be 0 or a positive share of the largest entry");
  queue.wait();
  num_rows_ = given.num_rows;
  num_entries_ = given.num_entries();
  inside_ = std::make_unique<Inside>();
  const Csr<T> sorted = sort_rows(given.to(Device::host()));
  for (const T& value : sorted.vals.span())
    require(is_finite(arith(value)), "direct: the matrix holds NaN or Inf; a factorisation needs finite entries");
  const bool hermitian = asymmetry(sorted) <= max_asymmetry;
  require(hermitian || (options.kind != Factorisation::cholesky && options.kind != Factorisation::ldl),
          "direct: ", to_string(options.kind), " takes symmetric (Hermitian) matrices; this one is not");
  const double max_bytes = options.max_bytes > 0
                               ? options.max_bytes
                               : memory_share * static_cast<double>(facts(Device::host()).memory_bytes);
  report_.rcond = 1;
  if (num_rows_ == 0) return;
  if (options.equilibrate) inside_->scaling = equilibrate(sorted, hermitian);
  Csr<T> a = inside_->scaling.needed() ? scaled(sorted, inside_->scaling) : Csr<T>();
  if (options.shift > 0) a = shifted(inside_->scaling.needed() ? a : sorted, options.shift);
  const Csr<T>& used = inside_->scaling.needed() || options.shift > 0 ? a : sorted;
  for (const Factorisation kind : choices(used, hermitian, options.kind)) {
    report_ = DirectReport{.rcond = 1};
    inside_->factors = factorise(used, kind, max_bytes, report_);
    if (inside_->factors) break;
  }
  require(inside_->factors != nullptr, "direct: ", to_string(report_.kind),
          report_.kind == Factorisation::cholesky ? " met a pivot that is not positive: the matrix is not positive "
                                                    "definite; ldl or lu may take it"
                                                  : " met a zero pivot, and it does not exchange rows; lu may take it");
  if (inside_->scaling.needed()) report_.scaling = inside_->scaling.text();
  report_.shift = options.shift;
  if (!report_.singular()) report_.rcond = inside_->rcond(norm_1(used), static_cast<std::size_t>(num_rows_));
}

template <class T>
Direct<T>::~Direct() = default;
template <class T>
Direct<T>::Direct(Direct&&) noexcept = default;
template <class T>
Direct<T>& Direct<T>::operator=(Direct&&) noexcept = default;

template <class T>
Traffic Direct<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic;
  traffic.matrix = report_.factor_bytes * num_vectors;  // read again for each
  traffic.vectors = static_cast<double>(num_rows_) * sizeof(T) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = static_cast<double>(num_entries_) * sizeof(T) + traffic.vectors;
  return traffic;
}

template <class T>
void Direct<T>::do_apply(Queue& queue, const ApplyRequest<T>& r) const {
  if (num_rows_ == 0) return;
  require(!report_.singular(), "direct: a pivot is zero, so the matrix is singular and has no inverse");
  require<Unsupported>(!queue.capturing(), "direct: the host solves, which cannot be part of a CUDA graph; set ",
                       "SolveOptions::graph to false");
  queue.wait();
  const auto n = static_cast<std::size_t>(num_rows_);
  std::vector<T> here(n), y(n);
  for (int v = 0; v < r.y.num; ++v) {
    copy_bytes(Device::host(), here.data(), r.x.device, r.x.data + v * r.x.stride, n * sizeof(T));
    std::vector<FactorScalar<T>> solution(here.begin(), here.end());
    inside_->solve(solution, r.op);
    T* to = r.y.data + v * r.y.stride;
    if (r.beta != T{}) copy_bytes(Device::host(), y.data(), r.y.device, to, n * sizeof(T));
    for (std::size_t i = 0; i < n; ++i) {
      Arith<T> result = arith(y[i]);
      update(result, arith(r.alpha), arith(static_cast<T>(solution[i])), arith(r.beta));
      y[i] = from_arith<T>(result);
    }
    copy_bytes(r.y.device, to, Device::host(), y.data(), n * sizeof(T));
  }
}

template class Direct<float>;
template class Direct<double>;
template class Direct<std::complex<float>>;
template class Direct<std::complex<double>>;

}  // namespace millrace
