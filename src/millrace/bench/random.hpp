// Pseudo-random values of x that are the same on every machine, by the mixing step of the gallery.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/base/scalar.hpp"
#include "millrace/sparse/gallery/random.hpp"

namespace millrace::bench {

/// In (-1, 1), with all bits of the significand in use, and never 0.
inline double random_real(std::uint64_t seed, std::uint64_t counter) {
  const std::uint64_t bits = gallery::mix(seed ^ gallery::mix(counter));
  const double size = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  return bits & 1 ? -size : size;
}

template <class T>
T random_value(std::uint64_t seed, std::uint64_t counter) {
  using R = RealOf<T>;
  if constexpr (is_complex<T>)
    return {static_cast<R>(random_real(seed, 2 * counter)), static_cast<R>(random_real(seed, 2 * counter + 1))};
  else
    return static_cast<R>(random_real(seed, counter));
}

/// The x of a system whose right-hand side nobody has given: b = A x. Not ones, for these are an eigenvector of many
/// matrices (one iteration), and A times ones is nothing but rounding where rows add up to zero.
template <class T>
std::vector<T> known_solution(std::int64_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_value<T>(1, i);
  return x;
}

}  // namespace millrace::bench
