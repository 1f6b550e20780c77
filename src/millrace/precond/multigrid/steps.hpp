// The arithmetic of a cycle on one entry of its vectors; sweep.hpp runs it over all.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace::multigrid {

using detail::Nothing;
using detail::PlainStep;

/// inverse = 1 / d. 2 vectors.
template <class W>
struct InvertStep : PlainStep {
  const W* d;
  W* inverse;
  InvertStep(const W* d, W* inverse) : d(d), inverse(inverse) {}

  MILLRACE_HD W load(std::int64_t i) const { return d[i]; }
  MILLRACE_HD void store(std::int64_t i, W value, Nothing, double*) const { inverse[i] = W{1} / value; }
};

/// What step k of Lanczos' method leaves: the squares of the lengths of r before and after, and <z, A z>.
template <class W>
struct LanczosNumbers {
  double length_before = 1, length = 1;  // squared: of the r before this one, and of this one
  W product{};                           // <z, A z>
};

/// old = q / |r| - <z, q> / |r|^3 r - |r| / |r before| old, with the lengths of D^-1, z = D^-1 of that, and its length.
/// The first step has no old, which is not read, and only the length of r: z = D^-1 r. 6 vectors.
template <class W>
struct LanczosStep {
  using Sum = double;
  static constexpr int num_sums = 1;
  struct Entry {
    W inverse, q, r, old;
  };
  struct Factors {
    W of_q, of_r, of_old;
  };
  const W* inverse;
  const W* q;  // null: the first step
  const W* r;
  W* old;
  W* z;
  const LanczosNumbers<W>* numbers;
  LanczosNumbers<W>* next;
  bool has_old;

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Factors coefficients() const {
    if (!q) return {W{0}, W{1}, W{0}};
    const double square = numbers->length, length = std::sqrt(square);
    return {static_cast<W>(1 / length), static_cast<W>(-double{numbers->product} / (square * length)),
            has_old ? static_cast<W>(-length / std::sqrt(numbers->length_before)) : W{0}};
  }
  MILLRACE_HD Entry load(std::int64_t i) const { return {inverse[i], q ? q[i] : W{0}, r[i], has_old ? old[i] : W{0}}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Factors& f, double* sums) const {
    const W value = f.of_q * e.q + f.of_r * e.r + f.of_old * e.old, scaled = e.inverse * value;
    if (q) old[i] = value;
    z[i] = scaled;
    sums[0] += double{value} * double{scaled};
  }
  MILLRACE_HD void finish(const double* sums) const {
    if (q) next->length_before = numbers->length;
    next->length = sums[0] < 0 ? -sums[0] : sums[0];
  }
};

/// A step of a smoother: r = from - q, z = keep z + add D^-1 r, x += weight z. What is null or not asked for is neither
/// read nor written: 3 to 8 vectors.
template <class W>
struct SmoothStep : PlainStep {
  struct Entry {
    W inverse, from, q, z, x;
  };
  const W* inverse = nullptr;
  W keep{}, add{}, weight{};
  const W* from = nullptr;  // what q is taken from: the right-hand side, or the r of before
  const W* q = nullptr;     // null: nothing is taken
  W* r = nullptr;           // null: not needed later
  W* z = nullptr;           // not read where keep is 0; null: not needed later, either
  W* x = nullptr;
  bool fresh = false;  // x is zero, and not read

  MILLRACE_HD Entry load(std::int64_t i) const {
    return {inverse[i], from[i], q ? q[i] : W{0}, keep == W{0} ? W{0} : z[i], fresh ? W{0} : x[i]};
  }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const {
    const W left = e.from - e.q;
    const W direction = keep * e.z + add * (e.inverse * left);
    if (r) r[i] = left;
    if (z) z[i] = direction;
    x[i] = e.x + weight * direction;
  }
};

/// r = b - q. 3 vectors.
template <class W>
struct SubtractStep : PlainStep {
  struct Entry {
    W b, q;
  };
  const W* b;
  const W* q;
  W* r;
  SubtractStep(const W* b, const W* q, W* r) : b(b), q(q), r(r) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {b[i], q[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const { r[i] = e.b - e.q; }
};

/// Products of vectors that two steps of flexible conjugate gradients take their coefficients from.
template <class W>
struct KrylovProducts {
  W before, rho, alpha;        // |b|^2, <x, v>, <x, b>: x the first direction, v = A x
  W after, gamma, beta, left;  // |b|^2 after the first step, <d, v>, <d, w>, <d, b>: d the second, w = A d
  MILLRACE_HD bool works() const { return rho > 0; }
  MILLRACE_HD bool enough() const { return !works() || double{after} <= double{before} / 16; }
};

/// b -= alpha / rho v: what the first step leaves. 3 vectors.
template <class W>
struct KrylovResidual : PlainStep {
  struct Entry {
    W v, b;
  };
  const KrylovProducts<W>* products;
  const W* v;
  W* b;
  KrylovResidual(const KrylovProducts<W>* products, const W* v, W* b) : products(products), v(v), b(b) {}

  MILLRACE_HD W coefficients() const { return products->works() ? products->alpha / products->rho : W{0}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {v[i], b[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, W step, double*) const { b[i] = e.b - step * e.v; }
};

/// x = what both steps, or the first alone, go along x and d. 3 vectors.
template <class W>
struct KrylovSolution : PlainStep {
  struct Entry {
    W d, x;
  };
  struct Lengths {
    W of_x, of_d;
  };
  const KrylovProducts<W>* products;
  const W* d;
  W* x;
  bool first_only;  // d is not there
  KrylovSolution(const KrylovProducts<W>* products, const W* d, W* x, bool first_only)
      : products(products), d(d), x(x), first_only(first_only) {}

  MILLRACE_HD Lengths coefficients() const {
    const KrylovProducts<W>& p = *products;
    if (!p.works()) return {W{1}, W{0}};
    const double rho = double{p.rho}, gamma = double{p.gamma}, first = double{p.alpha} / rho;
    if (first_only || p.enough()) return {static_cast<W>(first), W{0}};
    const double second = double{p.beta} - gamma * gamma / rho, left = double{p.left};
    if (!(second > 0)) return {static_cast<W>(first), W{0}};
    return {static_cast<W>(first - gamma * left / (rho * second)), static_cast<W>(left / second)};
  }
  MILLRACE_HD Entry load(std::int64_t i) const { return {first_only ? W{0} : d[i], x[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Lengths& l, double*) const {
    x[i] = l.of_x * e.x + (l.of_d == W{0} ? W{0} : l.of_d * e.d);
  }
};

/// y = alpha x + beta y with vectors of two types; with beta = 0, y is not read.
template <class From, class To>
struct ConvertStep : PlainStep {
  struct Entry {
    From x;
    To y;
  };
  To alpha;
  const From* x;
  To beta;
  To* y;
  ConvertStep(To alpha, const From* x, To beta, To* y) : alpha(alpha), x(x), beta(beta), y(y) {}

  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], beta == To{0} ? To{0} : y[i]}; }
  MILLRACE_HD To value_of(From x_before, To y_before) const {
    return alpha * static_cast<To>(x_before) + beta * y_before;
  }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double*) const { y[i] = value_of(e.x, e.y); }
};

/// The same, and a dot product of y. 3 to 4 vectors.
template <class From, class To>
struct ConvertDotStep {
  using Sum = double;
  static constexpr int num_sums = 1;
  struct Entry {
    From x;
    To y, with;
  };
  ConvertStep<From, To> convert;
  const To* with;  // null: y
  To* dot;

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD Entry load(std::int64_t i) const {
    const auto entry = convert.load(i);
    return {entry.x, entry.y, with ? with[i] : To{0}};
  }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double* sums) const {
    const To value = convert.value_of(e.x, e.y);
    convert.y[i] = value;
    sums[0] += double{with ? e.with : value} * double{value};
  }
  MILLRACE_HD void finish(const double* sums) const { *dot = static_cast<To>(sums[0]); }
};

/// Floats; *sum stays zero if all of them are finite. 2 vectors.
struct FloatStep {
  using Sum = double;
  static constexpr int num_sums = 1;
  const double* from;
  float* to;
  double* sum;

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD double load(std::int64_t i) const { return from[i]; }
  MILLRACE_HD void store(std::int64_t i, double value, Nothing, double* sums) const {
    const auto rounded = static_cast<float>(value);
    to[i] = rounded;
    sums[0] += double{0 * rounded};  // of what is not finite this is no number
  }
  MILLRACE_HD void finish(const double* sums) const { *sum = sums[0]; }
};

}  // namespace millrace::multigrid
