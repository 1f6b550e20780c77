// Forward dual numbers: a value and its derivatives in N directions, which every operation carries along by the chain
// rule (Wengert 1964). A formula written for any type of number gives its exact Jacobian when it runs on these.
#pragma once

#include <cmath>

#include "millrace/base/build.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {

/// T: double or float, or several of them side by side where only arithmetic is used. Comparisons look at values alone.
template <class T, int N>
struct Dual {
  T value{};
  T slope[to_size(N)]{};

  Dual() = default;
  MILLRACE_HD Dual(T constant) : value(constant) {}  // whose derivatives are zero
  template <class S>
    requires requires(S number) { T(number); }
  MILLRACE_HD explicit Dual(S constant) : value(T(constant)) {}
  /// An argument: its derivative is 1 in one direction and 0 in all others.
  MILLRACE_HD static Dual variable(T value, int direction) {
    Dual x(value);
    x.slope[direction] = T{1};
    return x;
  }

  /// g(a), of which g'(a) is known.
  MILLRACE_HD static Dual chain(T value, T derivative, const Dual& a) {
    Dual r(value);
    for (int i = 0; i < N; ++i) r.slope[i] = derivative * a.slope[i];
    return r;
  }

  MILLRACE_HD Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) slope[i] += b.slope[i];
    return *this;
  }
  MILLRACE_HD Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) slope[i] -= b.slope[i];
    return *this;
  }
  MILLRACE_HD Dual& operator*=(T s) {
    value *= s;
    for (int i = 0; i < N; ++i) slope[i] *= s;
    return *this;
  }
  MILLRACE_HD Dual& operator*=(const Dual& b) { return *this = *this * b; }
  MILLRACE_HD Dual& operator/=(const Dual& b) { return *this = *this / b; }

  MILLRACE_HD friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  MILLRACE_HD friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  MILLRACE_HD friend Dual operator+(Dual a, T b) {
    a.value += b;
    return a;
  }
  MILLRACE_HD friend Dual operator+(T a, Dual b) { return b + a; }
  MILLRACE_HD friend Dual operator-(Dual a, T b) { return a + -b; }
  MILLRACE_HD friend Dual operator-(T a, const Dual& b) { return -b + a; }
  MILLRACE_HD friend Dual operator-(Dual a) { return a *= T{-1}; }
  MILLRACE_HD friend Dual operator*(Dual a, T b) { return a *= b; }
  MILLRACE_HD friend Dual operator*(T a, Dual b) { return b *= a; }
  MILLRACE_HD friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (int i = 0; i < N; ++i) r.slope[i] = a.value * b.slope[i] + b.value * a.slope[i];
    return r;
  }
  MILLRACE_HD friend Dual operator/(const Dual& a, const Dual& b) {
    const T over = T{1} / b.value, ratio = a.value * over;
    Dual r(ratio);
    for (int i = 0; i < N; ++i) r.slope[i] = (a.slope[i] - ratio * b.slope[i]) * over;
    return r;
  }
  MILLRACE_HD friend Dual operator/(Dual a, T b) { return a *= T{1} / b; }
  MILLRACE_HD friend Dual operator/(T a, const Dual& b) {
    const T ratio = a / b.value;
    return chain(ratio, -ratio / b.value, b);
  }
  MILLRACE_HD friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  MILLRACE_HD friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  MILLRACE_HD friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  MILLRACE_HD friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }

  MILLRACE_HD friend Dual sqrt(const Dual& a) {
    const T root = std::sqrt(a.value);
    return chain(root, T{0.5} / root, a);
  }
  MILLRACE_HD friend Dual exp(const Dual& a) {
    const T value = std::exp(a.value);
    return chain(value, value, a);
  }
  MILLRACE_HD friend Dual log(const Dual& a) { return chain(std::log(a.value), T{1} / a.value, a); }
  MILLRACE_HD friend Dual sin(const Dual& a) { return chain(std::sin(a.value), std::cos(a.value), a); }
  MILLRACE_HD friend Dual cos(const Dual& a) { return chain(std::cos(a.value), -std::sin(a.value), a); }
  MILLRACE_HD friend Dual tanh(const Dual& a) {
    const T value = std::tanh(a.value);
    return chain(value, T{1} - value * value, a);
  }
  MILLRACE_HD friend Dual pow(const Dual& a, T exponent) {
    return chain(std::pow(a.value, exponent), exponent * std::pow(a.value, exponent - T{1}), a);
  }
};

/// The value alone.
template <class T, int N>
MILLRACE_HD T value_of(const Dual<T, N>& a) {
  return a.value;
}
MILLRACE_HD inline double value_of(double a) { return a; }
MILLRACE_HD inline float value_of(float a) { return a; }

/// |a| without its kink: sqrt(a^2 + width^2). Newton's method stalls at kinks.
template <class N>
MILLRACE_HD N smooth_abs(const N& a, double width) {
  using std::sqrt;
  return sqrt(a * a + width * width);
}

}  // namespace millrace
