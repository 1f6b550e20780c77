// Jacobi polynomials by their recurrence, and their zeros by Newton's method with deflation.
#include "millrace/fem/basis/jacobi_polynomials.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace millrace {

JacobiValue jacobi(int n, int a, int b, LongReal t) {
  if (n == 0) return {1, 0};
  const LongReal sum = a + b, difference = static_cast<LongReal>(a) * a - static_cast<LongReal>(b) * b;
  JacobiValue last{1, 0}, now{(a - b + (sum + 2) * t) / 2, (sum + 2) / 2};
  for (int k = 1; k < n; ++k) {  // Abramowitz and Stegun (1964), 22.7.1
    const LongReal twice = 2 * k + sum;
    const LongReal next_factor = 2 * (k + 1) * (k + 1 + sum) * twice;
    const LongReal constant = (twice + 1) * difference, slope = twice * (twice + 1) * (twice + 2);
    const LongReal last_factor = 2 * (k + static_cast<LongReal>(a)) * (k + static_cast<LongReal>(b)) * (twice + 2);
    const JacobiValue next{
        ((constant + slope * t) * now.value - last_factor * last.value) / next_factor,
        ((constant + slope * t) * now.derivative + slope * now.value - last_factor * last.derivative) / next_factor};
    last = now;
    now = next;
  }
  return now;
}

std::vector<LongReal> jacobi_zeros(int n, int a, int b) {
  constexpr int max_steps = 100;
  std::vector<LongReal> zeros;
  for (int i = 0; i < n; ++i) {
    LongReal t = -std::cos(std::numbers::pi_v<LongReal> * (2 * i + 1) / (2 * n));
    if (i > 0) t = (t + zeros.back()) / 2;
    for (int step = 0; step < max_steps; ++step) {
      const JacobiValue p = jacobi(n, a, b, t);
      LongReal known = 0;
      for (const LongReal zero : zeros) known += 1 / (t - zero);
      const LongReal change = p.value / (p.derivative - known * p.value);
      t -= change;
      if (std::abs(change) <= 2 * std::numeric_limits<LongReal>::epsilon()) break;
    }
    zeros.push_back(t);
  }
  if (a == b)  // the zeros are symmetric; so they shall be to the last bit
    for (std::size_t i = 0, j = zeros.size(); i < j--; ++i) {
      zeros[i] = (zeros[i] - zeros[j]) / 2;
      zeros[j] = -zeros[i];
    }
  return zeros;
}

}  // namespace millrace
