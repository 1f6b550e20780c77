// Lanes<T>: one number of each of several elements, side by side in vector registers, with the arithmetic of a number.
// The host applies an operator to as many elements at once; a physics written for any T works on them unchanged.
#pragma once

#ifdef __CUDACC__
#pragma nv_diag_suppress 1675  // nvcc does not know GCC's unroll, which is used here and in point_kernel.hpp
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "millrace/base/simd.hpp"

namespace millrace {

/// Elements of a batch: 32 bytes of numbers, whatever the vectors of the machine, so that a user's program and the
/// library agree.
template <class T>
inline constexpr int num_lanes = 32 / static_cast<int>(sizeof(T));

/// nvcc does not take vectors: what it compiles for the host works on one element after another.
#ifdef __CUDACC__
inline constexpr bool has_lanes = false;
template <class T>
struct Lanes;
#else
inline constexpr bool has_lanes = true;

/// f(0), f(1), ... f(N - 1), written out; the numbers are constants.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}

template <class T>
struct Lanes {
  static constexpr int size = num_lanes<T>;
  static constexpr int part_size = std::min(size, simd::native_bytes / static_cast<int>(sizeof(T)));
  static constexpr unsigned parts = size / part_size;  // 1 or 2
  using Vector = typename simd::detail::Native<T, part_size>::type;
  Vector part[parts];

  Lanes() = default;
  template <class S>
    requires std::is_arithmetic_v<S>
  [[gnu::always_inline]] explicit Lanes(S number) {
    each([&](auto p) { part[p] = static_cast<T>(number) - Vector{}; });
  }

  [[gnu::always_inline]] static Lanes load(const T* from) {
    Lanes lanes;
    each([&](auto p) { std::memcpy(&lanes.part[p], from + p * part_size, sizeof(Vector)); });
    return lanes;
  }
  [[gnu::always_inline]] void store(T* to) const {
    each([&](auto p) { std::memcpy(to + p * part_size, &part[p], sizeof(Vector)); });
  }
  [[gnu::always_inline]] Lanes scaled(T s) const {
    Lanes result;
    each([&](auto p) { result.part[p] = part[p] * s; });
    return result;
  }
  /// this += a * s
  [[gnu::always_inline]] void add_scaled(const Lanes& a, T s) {
    each([&](auto p) { part[p] += a.part[p] * s; });
  }

  [[gnu::always_inline]] Lanes& operator+=(const Lanes& b) {
    each([&](auto p) { part[p] += b.part[p]; });
    return *this;
  }
  [[gnu::always_inline]] Lanes& operator-=(const Lanes& b) {
    each([&](auto p) { part[p] -= b.part[p]; });
    return *this;
  }
  [[gnu::always_inline]] Lanes& operator*=(const Lanes& b) {
    each([&](auto p) { part[p] *= b.part[p]; });
    return *this;
  }
  [[gnu::always_inline]] Lanes& operator/=(const Lanes& b) {
    each([&](auto p) { part[p] /= b.part[p]; });
    return *this;
  }
  [[gnu::always_inline]] friend Lanes operator+(Lanes a, const Lanes& b) { return a += b; }
  [[gnu::always_inline]] friend Lanes operator-(Lanes a, const Lanes& b) { return a -= b; }
  [[gnu::always_inline]] friend Lanes operator*(Lanes a, const Lanes& b) { return a *= b; }
  [[gnu::always_inline]] friend Lanes operator/(Lanes a, const Lanes& b) { return a /= b; }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a) { return Lanes(0) - a; }

 private:
  template <class F>
  [[gnu::always_inline]] static void each(F&& f) {
    f(std::integral_constant<unsigned, 0>{});
    if constexpr (parts == 2) f(std::integral_constant<unsigned, 1>{});
  }
};
#endif

}  // namespace millrace
