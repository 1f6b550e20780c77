// What all tests share: random numbers, comparison of bits, and the text of an expected error.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "millrace/base/error.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::testing {

/// A counter-based generator (splitmix64): the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  Index below(Index n) { return static_cast<Index>(next() % static_cast<std::uint64_t>(n)); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }  // in [-1, 1)
  template <class T>
  T value() {
    if constexpr (is_complex<T>)
      return {static_cast<RealOf<T>>(uniform()), static_cast<RealOf<T>>(uniform())};
    else
      return static_cast<T>(uniform());
  }

 private:
  std::uint64_t state_;
};

template <class T>
std::vector<T> random_vector(std::int64_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& v : values) v = random.value<T>();
  return values;
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// The text of the Error that f throws; a failure if it throws none.
template <class E = Error, class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

}  // namespace millrace::testing
