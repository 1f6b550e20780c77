// Lanczos' method for D^-1 A in the inner product of D: two vectors r and their z = D^-1 r, never made of length 1.
#include "millrace/precond/multigrid/largest_eigenvalue.hpp"

#include <cmath>
#include <vector>

#include "millrace/base/read_back.hpp"
#include "millrace/base/to_size.hpp"
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

/// The largest Ritz value of the steps up to one that could see nothing more; 1 / 1.1 if there are none.
template <class W>
double largest_of_steps(const std::vector<LanczosNumbers<W>>& found) {
  std::vector<double> diagonal, beside;
  double largest = 0;
  for (std::size_t step = 0; step + 1 < found.size() && found[step].length > 0; ++step) {
    const double alpha = double{found[step].product} / found[step].length, next = std::sqrt(found[step + 1].length);
    if (!is_finite(alpha) || !is_finite(next)) break;
    diagonal.push_back(alpha);
    largest = std::max({largest, std::abs(alpha), next});
    if (!(next > 10 * double{epsilon<W>} * largest)) break;
    beside.push_back(next);
  }
  if (diagonal.empty()) return 1 / 1.1;
  beside.resize(diagonal.size() - 1);
  return largest_of(diagonal, beside);
}

/// Of all steps, and of the first third.
template <class W>
LargestEstimate with_a_tenth(std::vector<LanczosNumbers<W>>&& found, int num_steps) {
  const double all = 1.1 * largest_of_steps<W>(found);
  found.resize(std::min(found.size(), to_size(LargestEstimate::third_of(num_steps) + 1)));
  return {all, 1.1 * largest_of_steps<W>(found)};
}

}  // namespace

template <class W>
LargestEstimate estimate_largest(Queue& queue, const Operator<W>& a, const W* inverse, int num_steps, double enough) {
  constexpr std::int64_t large = 2'000'000;  // rows: a step takes longer than a look at what it has found
  constexpr int first_look = 4;
  const std::int64_t n = a.shape().rows;
  if (n == 0) return {};
  const Device device = queue.device();
  const bool looks = !device.on_host() && n >= large && num_steps > first_look;
  const auto memory = queue.scratch<W>(4 * n);
  const auto numbers = queue.scratch<LanczosNumbers<W>>(num_steps + 1);
  W *r = memory.data(), *old = r + n, *const z = old + n, *const q = z + n;
  const Comm alone;
  const auto found = [&](int steps) {
    std::vector<LanczosNumbers<W>> now(to_size(steps + 1));
    copy_bytes(queue, Device::host(), now.data(), device, numbers.data(), now.size() * sizeof(now[0]));
    queue.wait();
    return now;
  };
  detail::sweep(queue, alone, n, detail::RandomStep<W>(r, 1));
  detail::sweep(queue, alone, n, LanczosStep<W>{inverse, nullptr, r, old, z, nullptr, numbers.data(), false});
  for (int step = 0; step < num_steps; ++step) {
    LanczosNumbers<W>* const now = numbers.data() + step;
    a.apply(queue, {.x = {device, z, n}, .y = {device, q, n}, .dot = DotWith::x, .dot_result = &now->product});
    detail::sweep(queue, alone, n, LanczosStep<W>{inverse, q, r, old, z, now, now + 1, step > 0});
    std::swap(r, old);
    if (looks && step + 1 >= first_look && step + 1 < num_steps) {
      const LargestEstimate so_far = with_a_tenth(found(step + 1), num_steps);
      if (so_far.all >= enough) return so_far;
    }
  }
  return with_a_tenth(found(num_steps), num_steps);
}

template <class W>
LargestEstimate estimate_largest(Queue& queue, const Operator<W>& a, const Operator<W>& inverse, int num_steps) {
  const std::int64_t n = a.shape().rows;
  if (n == 0) return {};
  const Device device = queue.device();
  const auto memory = queue.scratch<W>(4 * n);
  const auto number = queue.scratch<W>(1);
  W *r = memory.data(), *old = r + n, *const z = old + n, *const q = z + n;
  const auto apply = [&](const Operator<W>& op, const W* x, W* y) {  // and <x, y>
    op.apply(queue, {.x = {device, x, n}, .y = {device, y, n}, .dot = DotWith::x, .dot_result = number.data()});
    return read_back(queue, number.data());
  };
  const auto add = [&](double alpha, const W* x, double beta, W* y) {
    detail::sweep(queue, Comm(), n, detail::AddStep<W>(static_cast<W>(alpha), x, static_cast<W>(beta), y));
  };
  std::vector<LanczosNumbers<W>> found(1);
  detail::sweep(queue, Comm(), n, detail::RandomStep<W>(r, 1));
  found[0].length = std::abs(double{apply(inverse, r, z)});
  for (int step = 0; step < num_steps && found.back().length > 0 && is_finite(found.back().length); ++step) {
    LanczosNumbers<W>& now = found.back();
    now.product = apply(a, z, q);
    const double length = std::sqrt(now.length);
    add(1 / length, q, step > 0 ? -length / std::sqrt(now.length_before) : 0, old);
    add(-double{now.product} / (now.length * length), r, 1, old);
    found.push_back({.length_before = now.length, .length = std::abs(double{apply(inverse, old, z)})});
    std::swap(r, old);
  }
  return with_a_tenth(std::move(found), num_steps);
}

#define MILLRACE_INSTANTIATE(W)                                                                 \
  template LargestEstimate estimate_largest(Queue&, const Operator<W>&, const W*, int, double); \
  template LargestEstimate estimate_largest(Queue&, const Operator<W>&, const Operator<W>&, int)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::multigrid
