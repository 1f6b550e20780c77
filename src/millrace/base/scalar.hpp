// The scalars a vector can have, and the complex number that kernels compute with.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "millrace/base/build.hpp"

namespace millrace {

using Index = std::int32_t;   // a row or a column
using Offset = std::int64_t;  // a position among the stored entries, which may exceed 2^31

/// A complex number for host and device, laid out as std::complex; products do not test for NaN.
template <class R>
struct Complex {
  R re{}, im{};

  MILLRACE_HD friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  MILLRACE_HD friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  MILLRACE_HD friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  MILLRACE_HD friend Complex operator-(Complex a) { return {-a.re, -a.im}; }
  MILLRACE_HD friend Complex operator*(R a, Complex b) { return {a * b.re, a * b.im}; }
  /// Robert L. Smith (1962): squares of the parts are not formed, so they cannot overflow.
  struct Divisor {
    bool wide;  // |re| >= |im|
    R ratio, below;
    MILLRACE_HD explicit Divisor(Complex b) {
      wide = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
      ratio = wide ? b.im / b.re : b.re / b.im;
      below = wide ? b.re + b.im * ratio : b.re * ratio + b.im;
    }
  };
  MILLRACE_HD friend Complex operator/(Complex a, Complex b) {
    const Divisor d(b);
    if (d.wide) return {(a.re + a.im * d.ratio) / d.below, (a.im - a.re * d.ratio) / d.below};
    return {(a.re * d.ratio + a.im) / d.below, (a.im * d.ratio - a.re) / d.below};
  }
  MILLRACE_HD Complex& operator+=(Complex b) { return *this = *this + b; }
  friend bool operator==(const Complex&, const Complex&) = default;
};

namespace detail {
template <class T>
struct ArithOf {
  using type = T;
  using real = T;
};
template <class R>
struct ArithOf<std::complex<R>> {
  using type = Complex<R>;
  using real = R;
};
template <class R>
struct ArithOf<Complex<R>> {
  using type = Complex<R>;
  using real = R;
};
}  // namespace detail

/// The type kernels use for T: T itself, or Complex<R> for std::complex<R>.
template <class T>
using Arith = typename detail::ArithOf<std::remove_const_t<T>>::type;
template <class T>
using RealOf = typename detail::ArithOf<std::remove_const_t<T>>::real;
template <class T>
inline constexpr bool is_complex = !std::is_same_v<std::remove_const_t<T>, RealOf<T>>;

/// The distance from 1 to the next number.
template <class T>
inline constexpr RealOf<T> epsilon = static_cast<RealOf<T>>(sizeof(RealOf<T>) == 4 ? 0x1p-23 : 0x1p-52);

/// The same number or memory, seen as the kernels see it (std::complex and Complex share their layout).
template <class T>
Arith<T> arith(const T& value) {
  if constexpr (is_complex<T>)
    return {value.real(), value.imag()};
  else
    return value;
}
template <class T>
auto arith(T* data) {
  using A = std::conditional_t<std::is_const_v<T>, const Arith<T>, Arith<T>>;
  return reinterpret_cast<A*>(data);
}

/// Back to what users hold.
template <class T>
T from_arith(const Arith<T>& value) {
  if constexpr (is_complex<T>)
    return {value.re, value.im};
  else
    return value;
}

/// sum + a x, in an order the compiler may fuse: it does so in every loop alike (cmake/warnings.cmake).
template <class A>
MILLRACE_HD inline A multiply_add(A a, A x, A sum) {
  return sum + a * x;
}
/// Complex numbers are too many operations for it to choose the same ones everywhere, so they are fused here where the
/// machine can, and all loops give the same bits.
template <class R>
MILLRACE_HD inline Complex<R> multiply_add(Complex<R> a, Complex<R> x, Complex<R> sum) {
  const auto fused = [](R left, R right, R to) -> R {
#if defined(__FP_FAST_FMA) && !defined(__CUDA_ARCH__)  // nvcc fuses by itself
    if constexpr (sizeof(R) == 4)
      return __builtin_fmaf(left, right, to);
    else
      return __builtin_fma(left, right, to);
#else
    return to + left * right;
#endif
  };
  return {fused(-a.im, x.im, fused(a.re, x.re, sum.re)), fused(a.im, x.re, fused(a.re, x.im, sum.im))};
}
/// sum - a x
template <class A>
MILLRACE_HD inline A multiply_subtract(A a, A x, A sum) {
  if constexpr (is_complex<A>)
    return {sum.re - a.re * x.re + a.im * x.im, sum.im - a.re * x.im - a.im * x.re};
  else
    return sum - a * x;
}
/// The larger part of a complex number, within a factor 1.5 of its absolute value: enough to choose a pivot.
template <class A>
MILLRACE_HD inline RealOf<A> size_of(A a) {
  using R = RealOf<A>;
  if constexpr (is_complex<A>) {
    const R re = a.re < 0 ? -a.re : a.re, im = a.im < 0 ? -a.im : a.im;
    return re > im || re != re ? re : im;
  } else {
    return a < 0 ? -a : a;
  }
}
template <class A>
MILLRACE_HD inline A from_real(RealOf<A> r) {
  if constexpr (is_complex<A>)
    return {r, 0};
  else
    return r;
}
template <class A>
MILLRACE_HD inline A conjugate(A a) {
  if constexpr (is_complex<A>)
    return {a.re, -a.im};
  else
    return a;
}
/// The real part, the square of the absolute value, and the absolute value.
template <class A>
MILLRACE_HD inline RealOf<A> real_part(A a) {
  if constexpr (is_complex<A>)
    return a.re;
  else
    return a;
}
template <class A>
MILLRACE_HD inline RealOf<A> norm_square(A a) {
  if constexpr (is_complex<A>)
    return a.re * a.re + a.im * a.im;
  else
    return a * a;
}
template <class A>
MILLRACE_HD inline RealOf<A> magnitude(A a) {
  if constexpr (is_complex<A>)
    return std::hypot(a.re, a.im);
  else
    return a < 0 ? -a : a;
}
/// 1 / a
template <class A>
MILLRACE_HD inline A reciprocal(A a) {
  if constexpr (is_complex<A>) {
    const typename A::Divisor d(a);
    const RealOf<A> scale = RealOf<A>{1} / d.below;
    return d.wide ? A{scale, -d.ratio * scale} : A{d.ratio * scale, -scale};
  } else {
    return A{1} / a;
  }
}
/// Neither NaN nor infinite, nor is a part of it.
template <class A>
MILLRACE_HD inline bool is_finite(A a) {
  if constexpr (is_complex<A>)
    return a.re - a.re == 0 && a.im - a.im == 0;
  else
    return a - a == 0;
}
template <class A>
MILLRACE_HD inline bool is_zero(A a) {
  if constexpr (is_complex<A>)
    return a.re == 0 && a.im == 0;
  else
    return a == A{0};
}
template <class A>
MILLRACE_HD inline bool is_one(A a) {
  if constexpr (is_complex<A>)
    return a.re == 1 && a.im == 0;
  else
    return a == A{1};
}
template <class A>
MILLRACE_HD inline A one() {
  if constexpr (is_complex<A>)
    return {1, 0};
  else
    return A{1};
}
/// What a row writes: alpha sum + beta y, where y is not read when beta is 0 (it may hold NaN).
template <class A>
MILLRACE_HD inline void update(A& y, A alpha, A sum, A beta) {
  y = is_zero(beta) ? alpha * sum : multiply_add(alpha, sum, beta * y);
}

template <class T>
constexpr const char* scalar_name() {
  if constexpr (is_complex<T>)
    return sizeof(RealOf<T>) == 4 ? "complex-float" : "complex-double";
  else
    return sizeof(T) == 4 ? "float" : "double";
}

}  // namespace millrace
