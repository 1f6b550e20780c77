// Jacobi polynomials by their recurrence, and their zeros by Newton's method with deflation.
#include "millrace/fem/jacobi.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace millrace {

JacobiValue jacobi(int n, int a, int b, Wide t) {
  if (n == 0) return {1, 0};
  const Wide sum = a + b, difference = static_cast<Wide>(a) * a - static_cast<Wide>(b) * b;
  JacobiValue last{1, 0}, now{(a - b + (sum + 2) * t) / 2, (sum + 2) / 2};
  for (int k = 1; k < n; ++k) {  // Abramowitz and Stegun (1964), 22.7.1
    const Wide twice = 2 * k + sum;
    const Wide next_factor = 2 * (k + 1) * (k + 1 + sum) * twice;
    const Wide constant = (twice + 1) * difference, slope = twice * (twice + 1) * (twice + 2);
    const Wide last_factor = 2 * (k + static_cast<Wide>(a)) * (k + static_cast<Wide>(b)) * (twice + 2);
    const JacobiValue next{
        ((constant + slope * t) * now.value - last_factor * last.value) / next_factor,
        ((constant + slope * t) * now.derivative + slope * now.value - last_factor * last.derivative) / next_factor};
    last = now;
    now = next;
  }
  return now;
}

std::vector<Wide> jacobi_zeros(int n, int a, int b) {
  constexpr int max_steps = 100;
  std::vector<Wide> zeros;
  for (int i = 0; i < n; ++i) {
    Wide t = -std::cos(std::numbers::pi_v<Wide> * (2 * i + 1) / (2 * n));
    if (i > 0) t = (t + zeros.back()) / 2;
    for (int step = 0; step < max_steps; ++step) {
      const JacobiValue p = jacobi(n, a, b, t);
      Wide known = 0;
      for (const Wide zero : zeros) known += 1 / (t - zero);
      const Wide change = p.value / (p.derivative - known * p.value);
      t -= change;
      if (std::abs(change) <= 2 * std::numeric_limits<Wide>::epsilon()) break;
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
