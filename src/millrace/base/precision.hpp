// Numbers that are stored shorter than they are computed with: as floats, or as bfloat16 (the upper half of a float).
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace {

/// In which precision numbers are stored: as they are, in float, or in bfloat16. Complex numbers keep both their parts.
enum class Precision { full, single, bfloat16 };

/// The sign, the 8 bits of exponent and the first 7 bits of mantissa of a float.
struct Bfloat16 {
  std::uint16_t bits = 0;

  Bfloat16() = default;
  MILLRACE_HD explicit Bfloat16(float value) {  // to nearest, ties to even
    const auto word = __builtin_bit_cast(std::uint32_t, value);
    const bool is_nan = (word & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<std::uint16_t>(is_nan ? (word >> 16) | 64u : (word + 0x7fffu + (word >> 16 & 1u)) >> 16);
  }
  MILLRACE_HD explicit operator float() const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  }
  friend bool operator==(const Bfloat16&, const Bfloat16&) = default;
};

namespace detail {
template <class T, class R>
struct ReplaceReal {
  using type = R;
};
template <class Old, class R>
struct ReplaceReal<Complex<Old>, R> {
  using type = Complex<R>;
};
template <class Old, class R>
struct ReplaceReal<std::complex<Old>, R> {
  using type = std::complex<R>;
};
template <class R, class S>
MILLRACE_HD R change_real(S value) {
  if constexpr (std::is_same_v<R, S>)
    return value;
  else if constexpr (std::is_same_v<R, Bfloat16>)
    return Bfloat16(static_cast<float>(value));
  else if constexpr (std::is_same_v<S, Bfloat16>)
    return static_cast<R>(static_cast<float>(value));
  else
    return static_cast<R>(value);
}
}  // namespace detail

/// T with its real numbers as R: double to float, Complex<double> to Complex<float>.
template <class T, class R>
using WithReal = typename detail::ReplaceReal<std::remove_const_t<T>, R>::type;
/// float for double, complex<float> for complex<double>; the others are themselves.
template <class T>
using Single = WithReal<T, float>;

/// The same number in another type, rounded if need be.
template <class To, class From>
MILLRACE_HD To change_type(const From& value) {
  if constexpr (is_complex<From>)
    return {detail::change_real<RealOf<To>>(value.re), detail::change_real<RealOf<To>>(value.im)};
  else
    return detail::change_real<To>(value);
}

}  // namespace millrace
