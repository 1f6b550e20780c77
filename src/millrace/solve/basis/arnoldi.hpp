// The small dense half of GMRES and Lanczos: what one reduction over the Krylov basis becomes. Gram-Schmidt with
// delayed re-orthogonalisation (Swirydowicz, Langou, Ananthan, Yang, Thomas 2021; Bielich, Langou, Thomas, Swirydowicz,
// Yamazaki, Boman 2022): step k projects the product w and, at the same time, the candidate u a second time.
#pragma once

#include "millrace/base/precision.hpp"
#include "millrace/solve/engine/progress.hpp"

namespace millrace::detail {

/// Small dense numbers are double whatever the vectors are.
template <class T>
using Wide = WithReal<Arith<T>, double>;

/// Who does the small work: one thread of the host, or the threads of one CUDA block.
struct Team {
  template <class F>
  MILLRACE_HD void for_each(int count, F&& f) const {
#ifdef __CUDA_ARCH__
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) f(i);
#else
    for (int i = 0; i < count; ++i) f(i);
#endif
  }
  MILLRACE_HD bool leads() const {
#ifdef __CUDA_ARCH__
    return threadIdx.x == 0;
#else
    return true;
#endif
  }
  MILLRACE_HD void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
};

/// Scalars of a cycle, in memory of the operator's device.
template <class W>
struct ArnoldiScalars {
  Progress progress{};
  int building = 0;          // 1 while the cycle grows; every kernel asks this first
  int guessed = 0;           // 1: what is left of w after the projection is lost in rounding, a guess stands for it
  int invariant = 0;         // 1: the space that was built maps into itself, there is no further direction
  int first = 0;             // vectors that were there when the cycle began (thick restarts)
  int stored = 0;            // finished vectors of the basis
  int columns = 0;           // columns of h; one more than `stored` while the newest belongs to the candidate
  double alpha = 0;          // norm of the candidate without its parts in the basis
  double scale = 1;          // the candidate is scale (w - V t)
  double product_norm = 0;   // |w| of the column before
  double operator_norm = 0;  // the largest |w| / |u| so far
  double unit = 1;           // true residual over the residual that the least squares see, when the cycle began
  W last{};                  // <new vector, w>
  W open{};                  // right-hand side of the rotation that is not final yet
};

/// A U = V h and U = V s, with V orthonormal, U the candidates that were multiplied and s upper triangular: nothing has
/// to be multiplied again when a candidate is corrected. Arrays live where the scalars do.
template <class W>
struct Arnoldi {
  int max_columns = 0;         // m
  bool least_squares = false;  // GMRES; eigensolvers take h and s as they are
  double epsilon = 0;          // of the basis as stored
  double precision = 0;        // epsilon of the arithmetic
  ArnoldiScalars<W>* now = nullptr;
  W* h = nullptr;            // [m, m + 1] column after column
  W* s = nullptr;            // [m + 1, m + 1] column after column, its diagonal is real
  W* r = nullptr;            // [m, m + 1] h after the rotations: upper triangular
  W* g = nullptr;            // [m + 1] the right-hand side after the rotations
  W* sine = nullptr;         // [m]
  double* cosine = nullptr;  // [m]
  W* y = nullptr;            // [m] combination of the candidates that is the answer
  W* answer = nullptr;       // [m + 1] the same as a combination of the basis; [columns - 1] may be the candidate's

  MILLRACE_HD W* column(W* matrix, int k) const { return matrix + k * (max_columns + 1); }
};

/// The arrays of cycles of m, in memory for arnoldi_size(m) numbers.
constexpr int arnoldi_size(int m) { return (3 * m + 1) * (m + 1) + 5 * (m + 1); }
template <class W>
Arnoldi<W> make_arnoldi(int m, bool least_squares, double epsilon, double precision, ArnoldiScalars<W>* now,
                        W* memory) {
  const auto take = [&](int columns) {
    W* begin = memory;
    memory += columns * (m + 1);
    return begin;
  };
  return {m,
          least_squares,
          epsilon,
          precision,
          now,
          take(m),
          take(m + 1),
          take(m),
          take(1),
          take(1),
          reinterpret_cast<double*>(take(1)),
          take(1),
          take(1)};
}

/// Sums of step k, in their order: V^H u [k], V^H w [k], <u, u>, <u, w>, <w, w>; those with w are 0 without a product.
MILLRACE_HD constexpr int num_arnoldi_sums(int k) { return 2 * k + 3; }
/// Numbers of work space that step k needs beside its sums.
MILLRACE_HD constexpr int arnoldi_work(int k) { return 4 * k + 4; }

/// sqrt(x^2 + y^2) and the rotation that makes (f, g) into (that, 0) up to the phase of f; g >= 0.
template <class W>
MILLRACE_HD inline void make_rotation(W f, double g, double& cosine, W& sine) {
  const double size = magnitude(f), length = std::sqrt(size * size + g * g);
  if (size == 0 || length == 0) {
    cosine = g == 0 ? 1 : 0;
    sine = (g == 0 ? 0. : 1.) * one<W>();
  } else {
    cosine = size / length;
    sine = (g / (size * length)) * f;
  }
}
template <class W>
MILLRACE_HD inline void rotate_pair(double cosine, W sine, W& above, W& below) {
  const W a = above, b = below;
  above = cosine * a + sine * b;
  below = cosine * b - conjugate(sine) * a;
}

/// What step k works with: its sums, and columns k - 1 and k of the small matrices with their rotations.
template <class W>
struct ArnoldiStep {
  int k;
  bool with_product;
  const W *once, *twice, *rest;  // sums: V^H u, V^H w, and <u, u>, <u, w>, <w, w>
  W *before, *fresh;             // columns k - 1 [k + 1] and k [k + 2]
  W* sine;                       // [k]
  double* cosine;                // [k]

  MILLRACE_HD ArnoldiStep(int k, bool with_product, const W* sums, W* work)
      : k(k),
        with_product(with_product),
        once(sums),
        twice(sums + k),
        rest(sums + 2 * k),
        before(work),
        fresh(before + k + 1),
        sine(fresh + k + 2),
        cosine(reinterpret_cast<double*>(sine + k)) {}
};

/// The candidate's norm without its parts in the basis, and what is left of the product. By the leader of the team.
template <class W>
MILLRACE_HD void judge_candidate(const Arnoldi<W>& a, const ArnoldiStep<W>& step, bool has_before, double scale) {
  ArnoldiScalars<W>& now = *a.now;
  const int k = step.k;
  double once_square = 0, twice_square = 0;
  W mixed{};
  for (int i = 0; i < k; ++i) {
    once_square += norm_square(step.once[i]);
    twice_square += norm_square(step.twice[i]);
    mixed = multiply_add(conjugate(step.once[i]), step.twice[i], mixed);
  }
  const double u_square = real_part(step.rest[0]), w_square = real_part(step.rest[2]);
  const double alpha = u_square > once_square ? std::sqrt(u_square - once_square) : 0;
  const double below = alpha / scale;
  now.stored = k;
  now.alpha = alpha;
  a.column(a.s, k)[k] = alpha * one<W>();
  if (!is_finite(u_square) || !is_finite(w_square) || !is_finite(once_square)) {
    now.building = 0;
    now.progress.end(SolveEnd::not_a_number);
    if (!is_finite(u_square + once_square)) now.columns = k > 0 ? k - 1 : 0;  // column k - 1 is spoilt too
  } else if (has_before ? !(below > 10 * a.epsilon * now.product_norm) : alpha == 0) {
    now.building = 0;  // rounding errors are all that is left of the candidate
    now.invariant = 1;
  }
  if (has_before) {
    step.before[k] = (now.invariant ? 0 : below) * one<W>();
    a.column(a.h, k - 1)[k] = step.before[k];
  } else {
    now.open = alpha * one<W>();
    now.unit = now.progress.true_residual > 0 && alpha > 0 ? now.progress.true_residual / alpha : 1;
  }
  if (!now.building || !step.with_product) return;
  now.last = (1 / alpha) * (step.rest[1] - mixed);
  const double left = w_square - twice_square - norm_square(now.last), rounding = a.epsilon * w_square;
  const double subdiagonal = std::sqrt(left > rounding ? left : rounding);
  now.guessed = left > rounding ? 0 : 1;
  step.fresh[k] = now.last;
  step.fresh[k + 1] = subdiagonal * one<W>();
  now.scale = subdiagonal > 0 ? 1 / subdiagonal : 1;
  now.product_norm = std::sqrt(w_square);
  const double growth = now.product_norm / std::sqrt(u_square);
  now.operator_norm = growth > now.operator_norm ? growth : now.operator_norm;
  now.columns = k + 1;
}

/// The rotation that ends the new column, and the residual that the least squares then have.
template <class W>
MILLRACE_HD void end_column(const Arnoldi<W>& a, const ArnoldiStep<W>& step, W lower) {
  ArnoldiScalars<W>& now = *a.now;
  const int k = step.k;
  if (k > 0) {
    W next = step.fresh[k];
    rotate_pair(step.cosine[k - 1], step.sine[k - 1], lower, next);
    step.fresh[k - 1] = lower, lower = next;
  }
  double c = 1;
  W s{};
  make_rotation(lower, real_part(step.fresh[k + 1]), c, s);
  step.fresh[k] = c * lower + s * step.fresh[k + 1];
  a.g[k] = c * now.open;
  if (!(magnitude(step.fresh[k]) > 10 * a.precision * now.product_norm)) {  // it depends on the columns before it
    now.invariant = 1;
    now.building = 0;
    s = one<W>();
  }
  a.sine[k] = s;  // for the least squares, should this be the last column
  now.progress.advance(now.unit * magnitude(s) * magnitude(now.open));
  // A guess in the last column is worth the second projection.
  if (!now.progress.active() || (k + 1 == a.max_columns && !now.guessed)) now.building = 0;
}

/// The rotations of GMRES on columns k - 1, which becomes final, and k. By the leader of the team.
template <class W>
MILLRACE_HD void rotate_columns(const Arnoldi<W>& a, const ArnoldiStep<W>& step, bool grows) {
  ArnoldiScalars<W>& now = *a.now;
  const int k = step.k;
  W *before = step.before, *fresh = step.fresh, *sines = step.sine;
  double* cosines = step.cosine;
  W f{}, e{};  // the running lower entries of columns k - 1 and k
  if (k > 0) f = before[0];
  if (grows) e = fresh[0];
  for (int i = 0; i + 1 < k; ++i) {
    W next = before[i + 1];
    rotate_pair(cosines[i], sines[i], f, next);
    before[i] = f, f = next;
    if (!grows) continue;
    next = fresh[i + 1];
    rotate_pair(cosines[i], sines[i], e, next);
    fresh[i] = e, e = next;
  }
  if (k > 0) {
    double& cosine = cosines[k - 1];
    W& sine = sines[k - 1];
    make_rotation(f, real_part(before[k]), cosine, sine);
    before[k - 1] = cosine * f + sine * before[k];
    a.g[k - 1] = cosine * now.open;
    now.open = -(conjugate(sine) * now.open);
    a.cosine[k - 1] = cosine, a.sine[k - 1] = sine;
    a.g[k] = now.open;
  }
  if (grows) end_column(a, step, e);
  if (!step.with_product) now.building = 0;
}

/// The end of step k: the candidate's norm after the second projection, column k - 1 of h as it finally is, column k as
/// the first projection leaves it (its last entry by Pythagoras), and the residual that follows.
/// Traffic: 10 k numbers. All threads of the team call it; sums and work may be shared memory.
template <class W>
MILLRACE_HD void finish_arnoldi_step(const Arnoldi<W>& a, int k, bool with_product, const W* sums, W* work, Team team) {
  ArnoldiScalars<W>& now = *a.now;
  const ArnoldiStep<W> step(k, with_product, sums, work);
  const bool has_before = k > now.first, rotates = a.least_squares;
  const double scale = now.scale;
  team.for_each(k, [&](int i) {
    a.column(a.s, k)[i] = step.once[i];
    if (has_before) {
      const W final = a.column(a.h, k - 1)[i] + (1 / scale) * step.once[i];
      step.before[i] = final;
      a.column(a.h, k - 1)[i] = final;
    }
    step.fresh[i] = step.twice[i];
    if (rotates) step.sine[i] = a.sine[i], step.cosine[i] = a.cosine[i];
  });
  team.sync();
  if (team.leads()) judge_candidate(a, step, has_before, scale);
  team.sync();
  const bool grows = with_product && now.columns == k + 1;
  if (rotates && team.leads()) rotate_columns(a, step, grows);
  if (grows && team.leads() && now.building) now.stored = k + 1;  // as soon as the basis has got its vector k
  team.sync();
  team.for_each(k + 1, [&](int i) {
    if (rotates && i < k) a.column(a.r, k - 1)[i] = step.before[i];
    if (!grows) return;
    a.column(a.h, k)[i] = i < k ? step.twice[i] : now.last;
    if (i == k) a.column(a.h, k)[k + 1] = (1 / now.scale) * one<W>();
    if (rotates) a.column(a.r, k)[i] = step.fresh[i];
  });
}

/// Back substitution for the first n columns. Columns that depend on those before them (a singular matrix) are left
/// out.
template <class W>
MILLRACE_HD void substitute_back(const Arnoldi<W>& a, int n, Team team) {
  team.for_each(n, [&](int i) {
    double square = 0;
    for (int j = 0; j <= i; ++j) square += norm_square(a.column(a.r, i)[j]);
    a.y[i] = a.g[i];
    a.answer[i] = (10 * a.precision * std::sqrt(square)) * one<W>();  // less does not count as a diagonal
  });
  team.sync();
  for (int i = n - 1; i >= 0; --i) {
    const W* column = a.column(a.r, i);
    if (team.leads()) a.y[i] = magnitude(column[i]) > real_part(a.answer[i]) ? a.y[i] / column[i] : W{};
    team.sync();
    const W y = a.y[i];
    team.for_each(i, [&](int j) { a.y[j] = a.y[j] - y * column[j]; });
    team.sync();
  }
}

/// The end of a cycle: the least squares, and their answer as a combination of the basis. When rounding errors of a
/// large answer exceed the residual that it promises, fewer columns may do better.
template <class W>
MILLRACE_HD void solve_least_squares(const Arnoldi<W>& a, Team team) {
  ArnoldiScalars<W>& now = *a.now;
  const double start = now.progress.true_residual / now.unit, enough = now.progress.target / now.unit;
  const auto residual = [&](int n) {
    double value = start;
    for (int i = 0; i < n; ++i) value *= magnitude(a.sine[i]);
    return value;
  };
  int n = now.columns, best = 0;
  double lowest = start;
  for (bool chosen = false; n > 0;) {
    substitute_back(a, n, team);
    double length = 0;  // every thread finds the same
    for (int i = 0; i < n; ++i) length += magnitude(a.y[i]) * real_part(a.column(a.s, i)[i]);
    const double promised = residual(n), noise = a.epsilon * now.operator_norm * length;
    team.sync();
    if (chosen || (n == now.columns && (noise <= promised || noise <= enough))) break;
    if (promised + noise < lowest) {
      lowest = promised + noise;
      best = n;
    }
    chosen = n == 1 || !(residual(n - 1) < lowest);
    if (chosen && best == n) break;
    n = chosen ? best : n - 1;
  }
  team.sync();
  if (team.leads()) now.columns = n;
  const int in_basis = n < now.stored ? n : now.stored;
  team.for_each(n, [&](int i) {
    W sum{};
    for (int j = i; j < in_basis; ++j) sum = multiply_add(a.column(a.s, j)[i], a.y[j], sum);
    a.answer[i] = i < in_basis ? sum : a.y[i];
  });
}

}  // namespace millrace::detail
