// A solve of A d = A e takes from e all that A does not map to zero.
#include "millrace/tune/null_vector.hpp"

#include <algorithm>
#include <cmath>

namespace millrace {
namespace {

template <class T>
double largest(const std::vector<T>& v) {
  double found = 0;
  for (const T& value : v) found = std::max(found, static_cast<double>(std::abs(value)));
  return found;
}

// A e into `product`; the largest sum of absolute values of a row.
template <class T>
double multiply(const Csr<T>& a, const std::vector<T>& e, std::vector<T>& product) {
  double norm = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    T sum{};
    double row = 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      sum += a.vals.data()[k] * e[static_cast<std::size_t>(a.cols.data()[k])];
      row += static_cast<double>(std::abs(a.vals.data()[k]));
    }
    product[static_cast<std::size_t>(r)] = sum;
    norm = std::max(norm, row);
  }
  return norm;
}

}  // namespace

template <class T>
double bound_of_rcond(Queue& queue, const Csr<T>& a, const AutoReport& how, int max_iterations,
                      std::type_identity_t<std::vector<T>> e) {
  require(std::ssize(e) == a.num_cols && a.num_rows == a.num_cols, "bound_of_rcond: the matrix is ", a.num_rows, " x ",
          a.num_cols, " and the vector has ", e.size(), " entries; it takes a square matrix and a vector of its size");
  constexpr int max_rounds = 2;  // each gains the digits of the tolerance
  const SolvePlan& plan = how.best().plan;
  const AutoOptions options{.method = plan.method,
                            .precond = plan.precond,
                            .format = how.format.format,
                            .order = plan.order,
                            .tolerance = how.tolerance,
                            .max_iterations = max_iterations,
                            .restart = plan.restart,
                            .mixed = plan.mixed};
  std::vector<T> image(e.size()), d(e.size());
  double bound = 1;
  for (int round = 0;; ++round) {
    const double norm = multiply(a, e, image), size = largest(e), left = largest(image);
    if (!(size > 0) || !(norm > 0)) return size > 0 ? 0 : bound;
    bound = std::min(bound, left / norm / size);
    if (round == max_rounds || bound < DirectReport::min_rcond || !std::isfinite(left)) return bound;
    std::fill(d.begin(), d.end(), T{});
    const Device host = Device::host();
    const Index n = a.num_rows;
    if (!solve(queue, a, Vectors<const T>{host, image.data(), n, 1}, Vectors<T>{host, d.data(), n, 1}, options).ok())
      return bound;
    for (std::size_t i = 0; i < e.size(); ++i) e[i] -= d[i];
  }
}

#define MILLRACE_INSTANTIATE(T) \
  template double bound_of_rcond(Queue&, const Csr<T>&, const AutoReport&, int, std::type_identity_t<std::vector<T>>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
