// The arithmetic of conjugate gradients on one entry, and its scalars.
#pragma once

#include "millrace/solve/engine/steps.hpp"

namespace millrace::detail {

template <class A>
struct CgScalars {
  Progress progress{};
  A rz{};                                                     // <r, z> with z = M r
  A pq{};                                                     // <p, q> with q = A p
  RealOf<A> rz_before{};                                      // of the iteration before
  RealOf<A> alpha{};                                          // of this iteration
  bool x_is_due = false;                                      // x lacks alpha p of this iteration
  static constexpr int of_matrix = 1, of_preconditioner = 2;  // details of indefinite and breakdown
};

/// r -= alpha q with alpha = <r, z> / <p, q>, and |r|^2. 3 vectors.
template <class A>
struct CgResidual {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 1;
  struct Entry {
    A q, r;
  };
  const A* q;
  A* r;
  CgScalars<A>* s;
  bool preconditioned;

  MILLRACE_HD bool active() const { return s->progress.active(); }
  MILLRACE_HD void skip() const { s->x_is_due = false; }
  /// alpha; 0 when there is none, and finish() says why.
  MILLRACE_HD Sum coefficients() const {
    const Sum rz = real_part(s->rz), pq = real_part(s->pq);
    return rz > 0 && pq > 0 ? rz / pq : Sum{0};
  }
  MILLRACE_HD Entry load(std::int64_t i) const { return {q[i], r[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Sum alpha, Sum* sums) const {
    const A residual = e.r - alpha * e.q;
    r[i] = residual;
    sums[0] += norm_square(residual);
  }
  MILLRACE_HD void finish(const Sum* sums) const {
    Progress& progress = s->progress;
    const Sum rz = real_part(s->rz), pq = real_part(s->pq);
    const bool of_matrix = rz > 0;  // so it is pq that is wrong, if anything
    const Sum wrong = of_matrix ? pq : rz;
    const int detail = of_matrix ? s->of_matrix : s->of_preconditioner;
    s->x_is_due = wrong > 0;
    if (wrong > 0) {
      s->alpha = rz / pq;
      s->rz_before = rz;
      if (!preconditioned) s->rz = sums[0] * one<A>();
      progress.advance(std::sqrt(double{sums[0]}));
    } else if (wrong < 0) {
      progress.end(SolveEnd::indefinite, detail);
    } else if (wrong == 0) {
      progress.end(SolveEnd::breakdown, detail);
    } else {
      progress.end(SolveEnd::not_a_number, detail);
    }
  }
};

/// x += alpha p, then p = z + beta p with beta = <r, z> / <r, z> of the iteration before. 5 vectors: x comes here
/// because p is read here. Also when the residual has just ended the iterations. Backwards: the end of r is still in a
/// GPU's cache, and the product begins where this ends.
template <class A>
struct CgDirection {
  using Sum = RealOf<A>;
  static constexpr int num_sums = 0;
  static constexpr bool backwards = true;
  struct Entry {
    A x, z, p;
  };
  struct Coefficients {
    Sum alpha, beta;
  };
  A* x;
  const A* z;
  A* p;
  const CgScalars<A>* s;

  MILLRACE_HD bool active() const { return s->x_is_due; }
  MILLRACE_HD Coefficients coefficients() const { return {s->alpha, real_part(s->rz) / s->rz_before}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {x[i], z[i], p[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum*) const {
    x[i] = e.x + c.alpha * e.p;
    p[i] = e.z + c.beta * e.p;
  }
};

}  // namespace millrace::detail
