// What GMRES decides between two cycles, from the true residual.
#pragma once

#include "millrace/solve/basis/arnoldi.hpp"
#include "millrace/solve/engine/sweep.hpp"

namespace millrace::detail {

template <class W>
struct GmresScalars {
  ArnoldiScalars<W> arnoldi{};
  double before = 0;  // true residual one cycle ago
  double mark = 0;    // the true residual from which one per cent of progress is counted
  int slow = 0;       // cycles since then
  int wrong = 0;      // cycles that ended with a small residual of the recurrence, and a true one hardly smaller
  static constexpr int max_slow = 4, max_wrong = 3;
  static constexpr int singular = 1, crawls = 2, too_precise = 3;  // details of breakdown and stagnation
};

/// r = b - q with q = A x, and what |r| means: the end of the solver, or the beginning of a cycle. 3 vectors.
template <class A>
struct GmresCheck {
  using Sum = double;
  static constexpr int num_sums = 1;
  struct Entry {
    A b, q;
  };
  const A* b;
  const A* q;
  A* r;
  GmresScalars<Wide<A>>* s;
  bool first;  // no cycle came before

  MILLRACE_HD bool active() const { return true; }
  MILLRACE_HD Nothing coefficients() const { return {}; }
  MILLRACE_HD Entry load(std::int64_t i) const { return {b[i], q[i]}; }
  MILLRACE_HD void store(std::int64_t i, const Entry& e, Nothing, double* sums) const {
    const A value = e.b - e.q;
    r[i] = value;
    sums[0] += norm_square(change_type<Wide<A>>(value));
  }
  MILLRACE_HD void finish(const double* sums) const {
    ArnoldiScalars<Wide<A>>& arnoldi = s->arnoldi;
    Progress& progress = arnoldi.progress;
    const double norm = std::sqrt(sums[0]);
    if (first) {
      s->mark = norm;
      s->slow = s->wrong = 0;
    } else if (progress.status != static_cast<int>(SolveEnd::not_a_number)) {
      const bool claimed = progress.status == static_cast<int>(SolveEnd::converged);
      progress.true_residual = norm;
      progress.status = Progress::running;
      progress.residual = norm;  // the history keeps what the recurrence saw
      if (!(norm <= Progress::max_number))
        progress.end(SolveEnd::not_a_number);
      else if (norm <= progress.target)
        progress.end(SolveEnd::converged);
      else if (progress.iterations >= progress.max_iterations)
        progress.end(SolveEnd::max_iterations);
      else
        judge(norm, claimed);
    }
    s->before = norm;
    progress.true_residual = norm;
    arnoldi.building = progress.active() ? 1 : 0;
    arnoldi.invariant = arnoldi.first = arnoldi.stored = arnoldi.columns = 0;
    arnoldi.scale = 1;
    arnoldi.product_norm = arnoldi.operator_norm = 0;
  }

 private:
  MILLRACE_HD void judge(double norm, bool claimed) const {
    Progress& progress = s->arnoldi.progress;
    const bool close = norm <= 10 * progress.target;  // as close as the recurrence's own errors allow
    const bool hardly = norm > 0.5 * s->before;
    if (claimed && hardly) ++s->wrong;
    ++s->slow;
    if (norm < 0.99 * s->mark) {
      s->mark = norm;
      s->slow = 0;
    }
    if (s->arnoldi.invariant && norm > 0.99 * s->before)
      progress.end(SolveEnd::breakdown, s->singular);
    else if (s->wrong >= s->max_wrong)
      progress.end(close ? SolveEnd::nearly_converged : SolveEnd::stagnation, s->too_precise);
    else if (s->slow >= s->max_slow)
      progress.end(SolveEnd::stagnation, s->crawls);
  }
};

}  // namespace millrace::detail
