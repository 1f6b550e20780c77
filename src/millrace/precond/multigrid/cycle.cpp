// V, W and K cycles. The matrix of the coarsest level is needed as its inverse only.
#include "millrace/precond/multigrid/cycle.hpp"

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
void CycleLevel<W>::smooth(Queue& queue, const W* b, W* x, bool from_zero, const SmootherMemory<W>& memory) const {
  if (blocks)
    multigrid::smooth<W>(queue, matrix.op(), *blocks, steps, b, x, from_zero, memory);
  else
    multigrid::smooth(queue, matrix.op(), inverse.data(), steps, b, x, from_zero, memory);
}

template <class W>
std::int64_t CycleLevel<W>::bytes() const {
  return matrix.bytes() + inverse.bytes() + (blocks ? blocks->bytes() : 0) + (transfer ? transfer->bytes() : 0);
}

template <class W>
void Cycle<W>::apply(Queue& queue, std::size_t at, const W* b, W* x) const {
  if (at == levels.size()) return coarsest->apply(queue, b, x);
  const CycleLevel<W>& level = levels[at];
  const Operator<W>& a = level.matrix.op();
  const std::int64_t n = level.num_rows();
  const Device device = queue.device();
  const auto memory = queue.scratch<W>(3 * n);
  const SmootherMemory<W> own{memory.data(), memory.data() + n, memory.data() + 2 * n};
  level.smooth(queue, b, x, true, own);
  if (level.transfer) {
    const std::int64_t num_next = rows_of(at + 1);
    const auto next = queue.scratch<W>(2 * num_next);
    W *const next_b = next.data(), *const next_x = next_b + num_next;
    a.apply(queue, {.x = {device, x, n}, .y = {device, own.q, n}});
    detail::sweep(queue, Comm(), n, SubtractStep<W>(b, own.q, own.r));
    level.transfer->restriction().apply(queue, {.x = {device, own.r, n}, .y = {device, next_b, num_next}});
    solve_next(queue, at + 1, next_b, next_x);
    level.transfer->prolongation().apply(
        queue, {.alpha = over_correction, .x = {device, next_x, num_next}, .beta = W{1}, .y = {device, x, n}});
  }
  level.smooth(queue, b, x, false, own);
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
    const double vector = static_cast<double>(levels[l].num_rows()) * sizeof(W);
    count(levels[l].matrix.op(), visits * (2 * degree - 1 + (levels[l].transfer ? 1 : 0)));
    sum.vectors += visits * vector * ((levels[l].blocks ? 10 * degree : 16 * degree - 4) + 3);
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
