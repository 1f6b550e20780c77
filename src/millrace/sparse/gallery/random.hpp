// Random numbers without a state: the number that belongs to a pair of coordinates. Only integer
// arithmetic and exact scaling, so that every machine and every number of threads sees the same bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace millrace::gallery {

/// The mixing step of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

class Random {
 public:
  /// Streams of one seed are independent: one for the pattern, one for the values.
  constexpr Random(std::uint64_t seed, std::uint64_t stream) : key_(mix(mix(seed) + stream)) {}

  constexpr std::uint64_t bits(std::int64_t a, std::int64_t b = 0) const {
    return mix(mix(key_ + static_cast<std::uint64_t>(a)) + static_cast<std::uint64_t>(b));
  }
  /// In [0, 1), with 53 random bits.
  constexpr double unit(std::int64_t a, std::int64_t b = 0) const {
    return static_cast<double>(bits(a, b) >> 11) * 0x1p-53;
  }
  /// In [-1, 1).
  constexpr double signed_unit(std::int64_t a, std::int64_t b = 0) const { return 2 * unit(a, b) - 1; }
  /// The same for (a, b) and (b, a).
  constexpr double symmetric_unit(std::int64_t a, std::int64_t b) const { return unit(std::min(a, b), std::max(a, b)); }
  /// In 0..n-1, for n up to 2^32.
  constexpr std::int64_t below(std::int64_t n, std::int64_t a, std::int64_t b = 0) const {
    return static_cast<std::int64_t>(((bits(a, b) >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }

 private:
  std::uint64_t key_;
};

}  // namespace millrace::gallery
