// Refinement with residuals in twice the precision, and the errors of the result.
#include "millrace/precond/direct_solve.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/thread_limit.hpp"
#include "millrace/precond/direct/condition.hpp"

namespace millrace {

using namespace detail;

namespace {

// A sum of products in twice the precision of double: what is rounded off goes into `rest`.
struct LongSum {
  double sum = 0, rest = 0;
  void add(double value) {
    const double next = sum + value, part = next - sum;
    rest += (sum - (next - part)) + (value - part);
    sum = next;
  }
  void subtract_product(double a, double b) {
    const double product = a * b;
    rest -= std::fma(a, b, -product);
    add(-product);
  }
  double value() const { return sum + rest; }
};

template <class T>
struct Equation {
  T residual{};     // b_i - (A x)_i
  double size = 0;  // |A| |x| + |b|, of that row,
  double norm = 0;  // and the sum of |a_ij|
};

template <class T>
Equation<T> equation(const Csr<T>& a, Index r, std::span<const T> b, std::span<const T> x) {
  const T rhs = b[static_cast<std::size_t>(r)];
  LongSum real, imag;
  real.add(std::real(rhs));
  imag.add(std::imag(rhs));
  Equation<T> result;
  result.size = std::abs(rhs);
  for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
    const T value = a.vals.data()[k], factor = x[static_cast<std::size_t>(a.cols.data()[k])];
    real.subtract_product(std::real(value), std::real(factor));
    if constexpr (is_complex<T>) {
      real.subtract_product(-std::imag(value), std::imag(factor));
      imag.subtract_product(std::real(value), std::imag(factor));
      imag.subtract_product(std::imag(value), std::real(factor));
    }
    result.size += std::abs(value) * std::abs(factor);
    result.norm += std::abs(value);
  }
  if constexpr (is_complex<T>)
    result.residual = T(static_cast<RealOf<T>>(real.value()), static_cast<RealOf<T>>(imag.value()));
  else
    result.residual = static_cast<T>(real.value());
  return result;
}

template <class T>
std::vector<T> residual_of(const Csr<T>& a, std::span<const T> b, std::span<const T> x) {
  std::vector<T> r(b.size());
  for (Index i = 0; i < a.num_rows; ++i) r[static_cast<std::size_t>(i)] = equation(a, i, b, x).residual;
  return r;
}

template <class T>
double largest(std::span<const T> v) {
  double most = 0;
  for (const T& value : v) {
    const double size = std::abs(value);
    if (!(size <= most)) most = size;  // NaN stays
  }
  return most;
}

// The 2-norm, scaled so that squares neither overflow nor vanish.
template <class T>
double norm_of(std::span<const T> v) {
  const double scale = largest(v);
  if (!(scale > 0) || !std::isfinite(scale)) return scale;
  double sum = 0;
  for (const T& value : v) {
    const double size = std::abs(value) / scale;
    sum += size * size;
  }
  return scale * std::sqrt(sum);
}

// The largest entry of |A^-1| w over that of x, where w is the residual and what its rounding may have hidden.
template <class T>
double forward_bound(Queue& queue, const Direct<T>& inverse, const Csr<T>& a, std::span<const T> b,
                     std::span<const T> x) {
  const std::size_t n = b.size();
  std::vector<double> w(n);
  for (Index r = 0; r < a.num_rows; ++r) {
    const Equation<T> row = equation(a, r, b, x);
    w[static_cast<std::size_t>(r)] = std::abs(row.residual) + epsilon<T> * row.size;
  }
  const auto apply = [&](std::vector<T>& v, Op op) {
    std::vector<T> y(n);
    inverse.apply(queue, {.x = v, .y = y, .op = op});
    v = std::move(y);
  };
  const auto weigh = [&](std::vector<T>& v) {
    for (std::size_t i = 0; i < n; ++i) v[i] *= static_cast<RealOf<T>>(w[i]);
  };
  // The maximum norm of A^-1 W is the 1-norm of W A^-H.
  const double bound = estimate_norm_1<T>(
      n,
      [&](std::vector<T>& v) {
        apply(v, Op::conjugate_transpose);
        weigh(v);
      },
      [&](std::vector<T>& v) {
        weigh(v);
        apply(v, Op::none);
      });
  const double size = largest(x);
  return size > 0 ? bound / size : bound;
}

}  // namespace

template <class T>
BackwardError backward_error(const Csr<T>& a, std::span<const std::type_identity_t<T>> b,
                             std::span<const std::type_identity_t<T>> x, const MaxOverRanks& over_ranks) {
  double sizes[] = {largest(x), largest(b)};
  if (over_ranks) over_ranks(sizes);
  BackwardError error;
  double residual = 0, norm = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    const Equation<T> row = equation(a, r, b, x);
    const double size = std::abs(row.residual);
    const double below = row.norm * sizes[0] + std::abs(b[static_cast<std::size_t>(r)]);
    if (!(size <= residual)) residual = size;
    norm = std::max(norm, row.norm);
    if (size > 0) error.rows = std::max(error.rows, below > 0 ? size / below : 1.0);
  }
  double found[] = {residual, norm, error.rows};
  if (over_ranks) over_ranks(found);
  error.rows = found[2];
  if (!(found[0] == 0)) error.norm = found[0] / (found[1] * sizes[0] + sizes[1]);
  return error;
}

template <class T>
DirectSolution solve_direct(Queue& queue, const Direct<T>& inverse, const Csr<T>& a,
                            std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> x,
                            const DirectSolveOptions& options) {
  const ThreadLimit limit(queue);
  require(std::ssize(b) == a.num_rows && std::ssize(x) == a.num_cols && inverse.shape() == a.shape(),
          "solve_direct: the matrix is ", a.num_rows, " x ", a.num_cols, ", the inverse is of one with ",
          inverse.shape().rows, " rows, b has ", b.size(), " and x ", x.size(), " entries; all must fit");
  DirectSolution solution;
  solution.rhs_norm = norm_of(b);
  const double unit = solution.rhs_norm > 0 ? solution.rhs_norm : 1;
  std::vector<T> r = residual_of<T>(a, b, x), step(r.size()), next(x.begin(), x.end());
  solution.residual = norm_of<T>(r);
  solution.history.push_back(solution.residual / unit);
  double last_step = 0;
  const bool shifted = inverse.report().shift > 0;
  while (solution.num_solves < options.max_solves && solution.residual > options.tolerance * solution.rhs_norm) {
    inverse.apply(queue, {.x = r, .y = step});
    ++solution.num_solves;
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = x[i] + step[i];
    const double length = largest<T>(step), size = largest<T>(next);
    std::vector<T> next_r = residual_of<T>(a, b, next);
    const double next_residual = norm_of<T>(next_r);
    const bool first = solution.num_solves == 1, slow = shifted && next_residual > 0.9 * solution.residual;
    if (!(next_residual <= solution.residual)) {  // NaN, too
      solution.history.push_back(solution.residual / unit);
      break;
    }
    std::copy(next.begin(), next.end(), x.begin());
    r = std::move(next_r);
    solution.residual = next_residual;
    solution.history.push_back(next_residual / unit);
    if (length <= epsilon<T> * size || (shifted ? slow : !first && length > last_step / 2)) break;
    last_step = length;
  }
  solution.relative = solution.residual / unit;
  solution.backward = backward_error<T>(a, b, x);
  solution.forward = shifted || inverse.report().singular() ? 1 : forward_bound<T>(queue, inverse, a, b, x);
  return solution;
}

#define MILLRACE_INSTANTIATE(T)                                                                                      \
  template BackwardError backward_error(const Csr<T>&, std::span<const std::type_identity_t<T>>,                     \
                                        std::span<const std::type_identity_t<T>>, const MaxOverRanks&);              \
  template DirectSolution solve_direct(Queue&, const Direct<T>&, const Csr<T>&,                                      \
                                       std::span<const std::type_identity_t<T>>, std::span<std::type_identity_t<T>>, \
                                       const DirectSolveOptions&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
