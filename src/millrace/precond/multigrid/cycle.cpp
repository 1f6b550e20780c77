// V, W and K cycles. The matrix of the coarsest level is needed as its inverse only.
#include "millrace/precond/multigrid/cycle.hpp"

#include <utility>

#include "millrace/base/dot.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {
namespace {

/// y += alpha x
template <class W>
void add(Queue& queue, std::int64_t n, W alpha, const W* x, W* y) {
  detail::sweep(queue, Comm(), n, detail::AddStep<W>(alpha, x, W{1}, y));
}

}  // namespace

template <class W>
LevelVectors<W> CycleLevel<W>::vectors(W* x, W* memory) const {
  const std::int64_t n = num_rows();
  const FusedMatrix<W>* const a = fused();
  if (!a) return {x, {memory, memory + n, memory + 2 * n}};
  // Both smoothings together exchange x and r once for each step, an even number, unless the first one is skipped.
  LevelVectors<W> made{x, {memory, nullptr, nullptr}};
  if (skips_first(*a, steps)) std::swap(made.x, made.memory.r);
  return made;
}

template <class W>
void CycleLevel<W>::smooth(Queue& queue, const W* b, LevelVectors<W>& v, bool from_zero) const {
  if (const FusedMatrix<W>* const a = fused())
    multigrid::smooth(queue, *a, inverse.data(), steps, b, v.x, v.memory.r, from_zero);
  else if (blocks)
    multigrid::smooth<W>(queue, matrix.op(), *blocks, steps, b, v.x, from_zero, v.memory);
  else
    multigrid::smooth(queue, matrix.op(), inverse.data(), steps, b, v.x, from_zero, v.memory);
}

template <class W>
void CycleLevel<W>::residual(Queue& queue, const W* b, const LevelVectors<W>& v) const {
  const std::int64_t n = num_rows();
  const SmootherMemory<W>& own = v.memory;
  if (const FusedMatrix<W>* const a = matrix.fused()) return a->residual(queue, v.x, {b, own.r});
  matrix.op().apply(queue, {.x = {queue.device(), v.x, n}, .y = {queue.device(), own.q, n}});
  detail::sweep(queue, Comm(), n, SubtractStep<W>(b, own.q, own.r));
}

template <class W>
double CycleLevel<W>::vector_bytes() const {
  const auto degree = static_cast<double>(steps.size());
  double vectors = !transfer ? 0 : matrix.fused() ? 1 : 3;  // of the residual
  if (const FusedMatrix<W>* const a = fused())
    vectors += fused_vectors(*a, steps, true) + fused_vectors(*a, steps, false);
  else
    vectors += blocks ? 10 * degree : 16 * degree - 4;
  return vectors * static_cast<double>(num_rows()) * sizeof(W);
}

template <class W>
std::int64_t CycleLevel<W>::bytes() const {
  return matrix.bytes() + inverse.bytes() + (blocks ? blocks->bytes() : 0) + (transfer ? transfer->bytes() : 0);
}

template <class W>
void Cycle<W>::apply(Queue& queue, std::size_t at, const W* b, W* x) const {
  if (at == levels.size()) return coarsest->apply(queue, b, x);
  const CycleLevel<W>& level = levels[at];
  const std::int64_t n = level.num_rows();
  const Device device = queue.device();
  const auto memory = queue.scratch<W>(level.num_vectors() * n);
  LevelVectors<W> own = level.vectors(x, memory.data());
  level.smooth(queue, b, own, true);
  if (level.transfer) {
    const std::int64_t num_next = rows_of(at + 1);
    const auto next = queue.scratch<W>(2 * num_next);
    W *const next_b = next.data(), *const next_x = next_b + num_next;
    level.residual(queue, b, own);
    level.transfer->restriction().apply(queue, {.x = {device, own.memory.r, n}, .y = {device, next_b, num_next}});
    solve_next(queue, at + 1, next_b, next_x);
    level.transfer->prolongation().apply(
        queue, {.alpha = over_correction, .x = {device, next_x, num_next}, .beta = W{1}, .y = {device, own.x, n}});
  }
  level.smooth(queue, b, own, false);
}

/// Asks level `at` once, or twice unless it is solved exactly.
template <class W>
void Cycle<W>::solve_next(Queue& queue, std::size_t at, W* b, W* x) const {
  if (at == levels.size() || kind == AmgCycle::v || static_cast<int>(at) <= from) return apply(queue, at, b, x);
  if (kind == AmgCycle::k) return krylov(queue, at, b, x);
  const std::int64_t n = rows_of(at);
  const auto memory = queue.scratch<W>(n);
  apply(queue, at, b, x);
  levels[at].matrix.op().apply(
      queue, {.alpha = W{-1}, .x = {queue.device(), x, n}, .beta = W{1}, .y = {queue.device(), b, n}});
  apply(queue, at, b, memory.data());
  add(queue, n, W{1}, memory.data(), x);
}

/// Two steps of flexible conjugate gradients, the second only where the first left more than a quarter of the residual
/// (Y. Notay and P. Vassilevski 2008). A GPU always makes it, and does not use it then: nobody waits for a number.
template <class W>
void Cycle<W>::krylov(Queue& queue, std::size_t at, W* b, W* x) const {
  const std::int64_t n = rows_of(at);
  const Device device = queue.device();
  const auto memory = queue.scratch<W>(3 * n);
  const auto products = queue.scratch<KrylovProducts<W>>(1);
  KrylovProducts<W>* const p = products.data();
  W *const v = memory.data(), *const d = v + n, *const w = d + n;
  const Operator<W>& a = levels[at].matrix.op();
  const auto product = [&](const W* one, const W* other, W* result) {
    dot<W>(queue, {device, one, n}, {device, other, n}, result);
  };
  product(b, b, &p->before);
  apply(queue, at, b, x);
  a.apply(queue, {.x = {device, x, n}, .y = {device, v, n}});
  product(x, v, &p->rho);
  product(x, b, &p->alpha);
  detail::sweep(queue, Comm(), n, KrylovResidual<W>(p, v, b));
  product(b, b, &p->after);
  const bool first_only = device.on_host() && p->enough();
  if (!first_only) {
    apply(queue, at, b, d);
    a.apply(queue, {.x = {device, d, n}, .y = {device, w, n}});
    product(d, v, &p->gamma);
    product(d, w, &p->beta);
    product(d, b, &p->left);
  }
  detail::sweep(queue, Comm(), n, KrylovSolution<W>(p, d, x, first_only));
}

template <class W>
Traffic Cycle<W>::traffic() const {
  Traffic sum;
  const auto count = [&](const Operator<W>& part, double times) {
    const Traffic one = part.traffic();
    sum.matrix += times * one.matrix, sum.vectors += times * one.vectors, sum.minimum += times * one.minimum;
  };
  double visits = 1;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto degree = static_cast<double>(levels[l].steps.size());
    count(levels[l].matrix.op(), visits * (2 * degree - 1 + (levels[l].transfer ? 1 : 0)));
    sum.vectors += visits * levels[l].vector_bytes();
    if (levels[l].blocks) count(*levels[l].blocks, visits * 2 * degree);
    if (levels[l].transfer) count(levels[l].transfer->restriction(), visits);
    if (levels[l].transfer) count(levels[l].transfer->prolongation(), visits);
    if (kind != AmgCycle::v && static_cast<int>(l) >= from) visits *= 2;
  }
  if (coarsest) sum.matrix += visits * static_cast<double>(coarsest->bytes());
  return sum;
}

template <class W>
std::int64_t Cycle<W>::bytes() const {
  std::int64_t sum = coarsest ? coarsest->bytes() : 0;
  for (const CycleLevel<W>& level : levels) sum += level.bytes();
  return sum;
}

template struct CycleLevel<float>;
template struct CycleLevel<double>;
template struct Cycle<float>;
template struct Cycle<double>;

}  // namespace millrace::multigrid
