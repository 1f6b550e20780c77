// The sweep of the kernel polynomial method: shift and both dot products of a pair of moments.
#pragma once

#include "millrace/solve/basis/arnoldi.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

struct KpmScalars {
  Progress progress{};
  int count = 0;              // moments so far
  double* moments = nullptr;  // [num_moments + 2] sums of <., .> over all random vectors, on the device
};

/// y = random signs, for complex numbers in both parts over sqrt(2): the entries of a random vector whose <y, f(A) y>
/// is the trace of f(A) on average, and exactly that for a diagonal A. They depend on seed + i alone.
template <class A>
struct SignStep : PlainStep {
  A* y;
  std::uint64_t seed;
  SignStep(A* y, std::uint64_t seed) : y(y), seed(seed) {}

  MILLRACE_HD Nothing load(std::int64_t) const { return {}; }
  MILLRACE_HD void store(std::int64_t i, Nothing, Nothing, double*) const {
    std::uint64_t bits = (seed + static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    const auto size = static_cast<RealOf<A>>(is_complex<A> ? 0.70710678118654752 : 1);
    const RealOf<A> first = bits >> 63 ? size : -size, second = bits >> 31 & 1 ? size : -size;
    if constexpr (is_complex<A>)
      y[i] = {first, second};
    else
      y[i] = first;
    (void)second;
  }
};

/// next = next - shift now, <next, now> and <next, next>: what two moments need. 3 vectors.
template <class A>
struct KpmStep {
  using Sum = double;
  static constexpr int num_sums = 2;
  struct Entry {
    A now, next;
  };
  RealOf<A> shift;
  const A* now;
  A* next;
  KpmScalars* s;
  bool last = true;  // of the vectors that share a moment

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {now[i], next[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double* sums) const {
    const A value = e.next - shift * e.now;
    next[i] = value;
    using W = Wide<A>;
    sums[0] += real_part(conjugate(change_type<W>(value)) * change_type<W>(e.now));
    sums[1] += norm_square(change_type<W>(value));
  }
  MILLRACE_HD void finish(const double* sums) const {
    s->moments[s->count] += sums[0];
    s->moments[s->count + 1] += sums[1];
    if (last) s->count += 2;
  }
};

}  // namespace millrace::detail
