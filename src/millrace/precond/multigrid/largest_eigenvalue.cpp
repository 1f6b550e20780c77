// Lanczos' method for D^-1 A in the inner product of D: two vectors r and their z = D^-1 r, never made of length 1.
#include "millrace/precond/multigrid/largest_eigenvalue.hpp"

#include <cmath>
#include <vector>

#include "millrace/base/dot.hpp"
#include "millrace/precond/multigrid/steps.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::multigrid {
namespace {

/// The largest eigenvalue of a symmetric tridiagonal matrix by bisection: W. Givens' (1954) count of signs.
double largest_of(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  const std::size_t n = diagonal.size();
  double high = 0;
  for (std::size_t i = 0; i < n; ++i)
    high = std::max(high, std::abs(diagonal[i]) + (i > 0 ? beside[i - 1] : 0) + (i + 1 < n ? beside[i] : 0));
  double low = -high;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    bool above = false;  // is an eigenvalue?
    double pivot = 1;
    for (std::size_t i = 0; i < n && !above; ++i) {
      pivot = diagonal[i] - middle - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivot);
      above = pivot >= 0;
    }
    (above ? low : high) = middle;
  }
  return high;
}

}  // namespace

template <class W>
double estimate_largest(Queue& queue, const Operator<W>& a, const W* inverse, int num_steps) {
  const std::int64_t n = a.shape().rows;
  if (n == 0) return 1;
  const Device device = queue.device();
  const auto memory = queue.scratch<W>(4 * n);
  const auto sum = queue.scratch<W>(1);
  W *r = memory.data(), *old = r + n, *z = old + n, *q = z + n;
  const auto product = [&](const W* x, const W* y) {
    dot<W>(queue, {device, x, n}, {device, y, n}, sum.data());
    W value;
    copy_bytes(queue, Device::host(), &value, device, sum.data(), sizeof(value));
    queue.wait();
    return static_cast<double>(value);
  };
  const Comm alone;
  detail::sweep(queue, alone, n, detail::RandomStep<W>(r, 1));
  detail::sweep(queue, alone, n, detail::FillStep<W>(W{0}, old));
  detail::sweep(queue, alone, n, ScaleStep<W>(inverse, r, z));
  double beta = std::sqrt(std::abs(product(r, z))), beta_old = 1, largest = 0;
  std::vector<double> diagonal, beside;
  for (int step = 0; step < num_steps && beta > 0; ++step) {
    a.apply(queue, {.alpha = static_cast<W>(1 / beta), .x = {device, z, n}, .y = {device, q, n}});
    const double alpha = product(z, q) / beta;
    diagonal.push_back(alpha);
    detail::sweep(queue, alone, n,
                  LanczosStep<W>(inverse, static_cast<W>(alpha / beta), static_cast<W>(beta / beta_old), q, r, old, z));
    std::swap(r, old);
    const double next = std::sqrt(std::abs(product(r, z)));
    largest = std::max({largest, std::abs(alpha), next});
    beta_old = beta, beta = next;
    if (!(beta > 10 * double{epsilon<W>} * largest)) break;  // all that this vector can see
    if (step + 1 < num_steps) beside.push_back(beta);
  }
  if (diagonal.empty()) return 1;
  beside.resize(diagonal.size() - 1);
  return 1.1 * largest_of(diagonal, beside);
}

template double estimate_largest(Queue&, const Operator<float>&, const float*, int);
template double estimate_largest(Queue&, const Operator<double>&, const double*, int);

}  // namespace millrace::multigrid
