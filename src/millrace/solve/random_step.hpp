// Random vectors that any device makes by itself: entry i is a hash of i and a seed (splitmix64, G. L. Steele, D. Lea,
// C. H. Flood 2014), so host and GPU get the same numbers.
#pragma once

#include "millrace/solve/steps.hpp"

namespace millrace {

/// x[i]: uniform in [-1, 1), or with `signs` +1 and -1; for complex numbers both parts, signs over sqrt(2).
template <class A>
struct RandomStep : PlainStep {
  std::uint64_t seed;
  bool signs;
  A* x;
  RandomStep(std::uint64_t seed, bool signs, A* x) : seed(seed), signs(signs), x(x) {}

  MILLRACE_HD Nothing load(std::int64_t) const { return {}; }
  MILLRACE_HD void store(std::int64_t i, Nothing, Nothing, double*) const {
    const auto index = static_cast<std::uint64_t>(i);
    if constexpr (is_complex<A>) {
      const double scale = signs ? 0.70710678118654752 : 1;
      x[i] = {static_cast<RealOf<A>>(scale * number(2 * index)), static_cast<RealOf<A>>(scale * number(2 * index + 1))};
    } else {
      x[i] = static_cast<A>(number(index));
    }
  }

 private:
  MILLRACE_HD double number(std::uint64_t index) const {
    std::uint64_t z = (seed + 1) * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    if (signs) return z >> 63 ? 1 : -1;
    return static_cast<double>(z >> 11) * 0x1p-52 - 1;
  }
};

}  // namespace millrace
