// The 1-norm of a matrix that can only be applied. W. W. Hager (1984) in the form of N. J. Higham (1988).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "millrace/base/scalar.hpp"

namespace millrace::detail {

template <class S>
double sum_of_sizes(const std::vector<S>& v) {
  double sum = 0;
  for (const S& value : v) sum += std::abs(value);
  return sum;
}

/// `apply(v)` and `apply_adjoint(v)` replace v by B v and B^H v. A lower bound, mostly within a factor of 3; at most 11
/// applications.
template <class S, class Apply, class ApplyAdjoint>
double estimate_norm_1(std::size_t n, const Apply& apply, const ApplyAdjoint& apply_adjoint) {
  constexpr int max_steps = 5;
  if (n == 0) return 0;
  std::vector<S> x(n, S(static_cast<RealOf<S>>(1.0 / static_cast<double>(n))));
  apply(x);
  double norm = sum_of_sizes(x);
  std::size_t last = n;
  for (int step = 0; step < max_steps && n > 1; ++step) {
    for (S& value : x) value = value == S(0) ? S(1) : value / std::abs(value);
    apply_adjoint(x);
    std::size_t largest = 0;
    for (std::size_t i = 1; i < n; ++i)
      if (std::abs(x[i]) > std::abs(x[largest])) largest = i;
    if (largest == last) break;
    last = largest;
    x.assign(n, S(0));
    x[largest] = S(1);
    apply(x);
    const double next = sum_of_sizes(x);
    if (!(next > norm)) break;
    norm = next;
  }
  for (std::size_t i = 0; i < n; ++i) {  // where the search was misled by cancellation
    const double size = n > 1 ? 1 + static_cast<double>(i) / static_cast<double>(n - 1) : 1;
    x[i] = S(static_cast<RealOf<S>>(i % 2 == 0 ? size : -size));
  }
  apply(x);
  return std::max(norm, 2 * sum_of_sizes(x) / (3 * static_cast<double>(n)));
}

}  // namespace millrace::detail
