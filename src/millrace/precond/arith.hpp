// The few operations on numbers that factorisations need besides those of products, for host and device.
#pragma once

#include "millrace/base/dispatch.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::factor {

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

/// Calls f<N>() for blocks of N x N, or f<0>() where that size is not compiled.
template <class F>
void with_block_size(Index size, F&& f) {
  dispatch_or_any<1, 2, 3, 4, 5, 6, 7, 8>(size, f);
}

}  // namespace millrace::factor
