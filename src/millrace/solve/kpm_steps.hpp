// The sweep of the kernel polynomial method: shift and both dot products of a pair of moments.
#pragma once

#include "millrace/solve/arnoldi.hpp"
#include "millrace/solve/steps.hpp"

namespace millrace {

struct KpmScalars {
  Progress progress{};
  int count = 0;              // moments so far
  double* moments = nullptr;  // [num_moments + 2] sums of <., .> over all random vectors, on the device
};

/// next = scale next - shift now, <next, now> and <next, next>: what two moments need. 3 vectors.
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

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {now[i], next[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double* sums) const {
    const A value = e.next - shift * e.now;
    next[i] = value;
    using W = Wide<A>;
    sums[0] += real_part(conjugate(convert<W>(value)) * convert<W>(e.now));
    sums[1] += norm_square(convert<W>(value));
  }
  MILLRACE_HD void finish(const double* sums) const {
    s->moments[s->count] += sums[0];
    s->moments[s->count + 1] += sums[1];
    s->count += 2;
  }
};

}  // namespace millrace
