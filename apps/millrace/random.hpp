// Pseudo-random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014) of a counter.
#pragma once

#include <cstdint>

#include "millrace/base/scalar.hpp"

namespace millrace::command {

inline std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// In (-1, 1), with all bits of the significand in use, and never 0.
inline double random_real(std::uint64_t seed, std::uint64_t counter) {
  const std::uint64_t bits = mixed(seed ^ mixed(counter));
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

}  // namespace millrace::command
