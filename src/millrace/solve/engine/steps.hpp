// Steps that all solvers share: the true residual, sums of vectors, and the way into another order and back.
#pragma once

#include <cmath>

#include "millrace/solve/engine/progress.hpp"
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

/// A step without sums inherits these.
struct PlainStep {
  using Sum = double;
  static constexpr int num_sums = 0;
  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
};

/// r = b - q with q = A x, |r| and |b|. The start of a solver, and the check at its end. Norms in double for any A.
template <class A>
struct ResidualStep {
  using Sum = double;
  static constexpr int num_sums = 2;
  struct Entry {
    A b, q;
  };
  static constexpr int bad_rhs = 101, bad_product = 102;  // details of not_a_number

  const A* b;
  const A* q;
  A* r;
  Progress* progress;
  bool start;         // begin to iterate from here, else only look
  double shrink = 1;  // what Progress::shrink becomes then

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {b[i], q[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double* sums) const {
    const A value = e.b - e.q;
    r[i] = value;
    sums[0] += square(value);
    sums[1] += square(e.b);
  }
  MILLRACE_HD void finish(const double* sums) const {
    const double norm = std::sqrt(sums[0]), rhs = std::sqrt(sums[1]);
    progress->true_residual = norm;
    if (!start) return;
    if (progress->iterations == 0) {
      progress->rhs_norm = rhs;
      progress->aim(double{epsilon<A>});
      progress->limit = (norm > rhs ? norm : rhs) / double{epsilon<A>};
    }
    progress->shrink = shrink;
    progress->status = Progress::running;
    progress->note(norm);
    if (!(rhs <= Progress::max_number))
      progress->end(SolveEnd::not_a_number, bad_rhs);
    else if (!(norm <= Progress::max_number))
      progress->end(SolveEnd::not_a_number, bad_product);
  }

 private:
  MILLRACE_HD static double square(A a) {
    if constexpr (is_complex<A>)
      return double{a.re} * double{a.re} + double{a.im} * double{a.im};
    else
      return double{a} * double{a};
  }
};

/// y = alpha x + beta y; with beta = 0, y is not read.
template <class A>
struct AddStep : PlainStep {
  struct Entry {
    A x, y;
  };
  A alpha;
  const A* x;
  A beta;
  A* y;
  AddStep(A alpha, const A* x, A beta, A* y) : alpha(alpha), x(x), beta(beta), y(y) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], is_zero(beta) ? A{} : y[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const {
    y[i] = multiply_add(alpha, e.x, beta * e.y);
  }
};

/// y = value
template <class A>
struct FillStep : PlainStep {
  A value;
  A* y;
  FillStep(A value, A* y) : value(value), y(y) {}

  MILLRACE_HD Nothing load(std::int64_t) const { return {}; }
  MILLRACE_HD void store(std::int64_t i, Nothing, Nothing, double*) const { y[i] = value; }
};

/// y = numbers between -1 and 1 that depend on seed + i alone (splitmix64, S. Vigna 2015).
template <class A>
struct RandomStep : PlainStep {
  A* y;
  std::uint64_t seed;
  RandomStep(A* y, std::uint64_t seed) : y(y), seed(seed) {}

  MILLRACE_HD Nothing load(std::int64_t) const { return {}; }
  MILLRACE_HD void store(std::int64_t i, Nothing, Nothing, double*) const {
    const std::uint64_t place = 2 * (seed + static_cast<std::uint64_t>(i));
    if constexpr (is_complex<A>)
      y[i] = {number(place), number(place + 1)};
    else
      y[i] = number(place);
  }

 private:
  MILLRACE_HD static RealOf<A> number(std::uint64_t place) {
    std::uint64_t bits = (place + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    return static_cast<RealOf<A>>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
  }
};

/// Into the order of an operator, y[i] = x[order[i]], or back, y[order[i]] = x[i].
template <class A>
struct PermuteStep : PlainStep {
  struct Entry {
    A x;
    Index to;
  };
  const Index* order;
  const A* x;
  A* y;
  bool back;
  PermuteStep(const Index* order, const A* x, A* y, bool back) : order(order), x(x), y(y), back(back) {}

  MILLRACE_HD Entry load(std::int64_t i) const {
    const Index other = order[i];
    if (back) return {x[i], other};
    return {x[other], static_cast<Index>(i)};
  }
  MILLRACE_HD void store(std::int64_t, const Entry& e, Nothing, double*) const { y[e.to] = e.x; }
};

}  // namespace millrace::detail
