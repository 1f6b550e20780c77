// The three families of coefficients, and one loop for all.
#include "millrace/precond/multigrid/smoother.hpp"

#include <algorithm>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {
namespace {

constexpr int max_weighted = 6;
constexpr double optimal_weights[max_weighted][max_weighted] = {
    {1.125},
    {1.02387287570313, 1.26408905371085},
    {1.00842544782028, 1.08867839208730, 1.33753125909618},
    {1.00391310427285, 1.04035811188593, 1.14863498546254, 1.38268869241000},
    {1.00212930146164, 1.02173711549260, 1.07872433192603, 1.19810065292663, 1.41322542791682},
    {1.00128517255940, 1.01304293035233, 1.04678215124113, 1.11616489419675, 1.23829020218444, 1.43524297106744}};

}  // namespace

std::vector<SmootherStep> smoother_steps(const AmgOptions& options, double largest) {
  const int degree = options.degree;
  std::vector<SmootherStep> steps(to_size(degree));
  if (options.smoother == AmgSmoother::l1_jacobi) return steps;
  if (options.smoother == AmgSmoother::chebyshev || options.smoother == AmgSmoother::block_jacobi) {
    const double center = (largest + largest / options.ratio) / 2, radius = (largest - largest / options.ratio) / 2;
    double rho = radius / center;
    steps[0].add = 1 / center;
    for (int k = 1; k < degree; ++k) {
      const double below = 2 * center - radius * rho, next = radius / below;
      steps[to_size(k)] = {rho * next, 2 / below, 1};
      rho = next;
    }
    return steps;
  }
  for (int k = 1; k <= degree; ++k)
    steps[to_size(k - 1)] = {(2.0 * k - 3) / (2.0 * k + 1) * (k > 1), (8.0 * k - 4) / (2.0 * k + 1) / largest,
                             options.smoother == AmgSmoother::fourth_kind_optimal && degree <= max_weighted
                                 ? optimal_weights[degree - 1][k - 1]
                                 : 1.0};
  return steps;
}

template <class W>
void smooth(Queue& queue, const Operator<W>& a, const W* inverse, const std::vector<SmootherStep>& steps, const W* b,
            W* x, bool from_zero, const SmootherMemory<W>& memory) {
  const std::int64_t n = a.shape().rows;
  const Device device = queue.device();
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const bool first = k == 0, last = k + 1 == steps.size(), product = !first || !from_zero;
    if (product) a.apply(queue, {.x = {device, first ? x : memory.z, n}, .y = {device, memory.q, n}});
    SmoothStep<W> step;
    step.inverse = inverse;
    step.keep = static_cast<W>(steps[k].keep);
    step.add = static_cast<W>(steps[k].add);
    step.weight = static_cast<W>(steps[k].weight);
    step.from = first || (k == 1 && from_zero) ? b : memory.r;
    step.q = product ? memory.q : nullptr;
    step.r = product && !last ? memory.r : nullptr;
    step.z = memory.z;
    step.x = x;
    step.fresh = first && from_zero;
    detail::sweep(queue, Comm(), n, step);
  }
}

bool can_fuse(const std::vector<SmootherStep>& steps) {
  return steps.front().keep == 0 && std::ranges::all_of(steps, [](const SmootherStep& s) { return s.weight == 1; });
}

namespace {

/// How the steps of a smoother run when they are fused: which x each of them finds, and of which it is made.
struct FusedPlan {
  const std::vector<SmootherStep>& steps;
  bool from_zero, skips;

  template <class W>
  FusedPlan(const FusedMatrix<W>& a, const std::vector<SmootherStep>& steps, bool from_zero)
      : steps(steps), from_zero(from_zero), skips(from_zero && skips_first(a, steps)) {}

  bool stores_first() const { return from_zero && !skips; }
  std::size_t begin() const { return from_zero ? 1 : 0; }  // the first step with a product
  bool computes_x(std::size_t k) const { return skips && k == 1; }
  bool computes_before(std::size_t k) const { return skips && k == 2; }
  bool reads_before(std::size_t k) const { return k > begin() + (skips ? 1 : 0) && steps[k].keep != 0; }
};

/// x = add D^-1 b
template <class W>
void first_step(Queue& queue, std::int64_t n, const W* inverse, double add, const W* b, W* x) {
  SmoothStep<W> step;
  step.inverse = inverse, step.add = static_cast<W>(add), step.weight = W{1};
  step.from = b, step.x = x, step.fresh = true;
  detail::sweep(queue, Comm(), n, step);
}

}  // namespace

template <class W>
void smooth(Queue& queue, const FusedMatrix<W>& a, const W* inverse, const std::vector<SmootherStep>& steps, const W* b,
            W*& x, W*& other, bool from_zero) {
  const FusedPlan plan(a, steps, from_zero);
  if (plan.stores_first()) {
    first_step(queue, a.shape().rows, inverse, steps[0].add, b, other);
    std::swap(x, other);
  }
  for (std::size_t k = plan.begin(); k < steps.size(); ++k) {
    FusedStep<W> step{inverse, b};
    if (!plan.computes_x(k)) step.x = x;
    if (plan.reads_before(k)) step.before = other;
    if (plan.computes_x(k) || plan.computes_before(k)) step.first = static_cast<W>(steps[0].add);
    step.keep = static_cast<W>(steps[k].keep);
    step.add = static_cast<W>(steps[k].add);
    step.to = other;
    a.step(queue, step);
    std::swap(x, other);
  }
}

template <class W>
double fused_vectors(const FusedMatrix<W>& a, const std::vector<SmootherStep>& steps, bool from_zero) {
  const FusedPlan plan(a, steps, from_zero);
  double sum = plan.stores_first() ? 3 : 0;
  for (std::size_t k = plan.begin(); k < steps.size(); ++k)
    sum += 2 - (plan.computes_x(k) ? 1 : 0) + (plan.reads_before(k) ? 1 : 0);
  return sum;
}

template <class W>
const W* next_residual(Queue& queue, const Operator<W>& a, const W* b, const W* x, const W* r, bool first,
                       bool from_zero, const SmootherMemory<W>& memory) {
  if (first && from_zero) return b;
  const std::int64_t n = a.shape().rows;
  const Device device = queue.device();
  const Vectors<const W> last(device, first ? x : memory.z, n);
  if (r == memory.r) {
    a.apply(queue, {.alpha = W{-1}, .x = last, .beta = W{1}, .y = {device, memory.r, n}});
  } else {
    a.apply(queue, {.x = last, .y = {device, memory.q, n}});
    detail::sweep(queue, Comm(), n, SubtractStep<W>(b, memory.q, memory.r));
  }
  return memory.r;
}

template <class W>
void smooth(Queue& queue, const Operator<W>& a, const Operator<W>& inverse, const std::vector<SmootherStep>& steps,
            const W* b, W* x, bool from_zero, const SmootherMemory<W>& memory) {
  const std::int64_t n = a.shape().rows;
  const Device device = queue.device();
  const W* r = b;  // what is left without the weights
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const bool fresh = k == 0 && from_zero;
    r = next_residual(queue, a, b, x, r, k == 0, from_zero, memory);
    inverse.apply(queue, {.alpha = static_cast<W>(steps[k].add),
                          .x = {device, r, n},
                          .beta = static_cast<W>(steps[k].keep),
                          .y = {device, memory.z, n}});
    detail::sweep(queue, Comm(), n, detail::AddStep<W>(static_cast<W>(steps[k].weight), memory.z, W(!fresh), x));
  }
}

#define MILLRACE_INSTANTIATE(W)                                                                                        \
  template void smooth(Queue&, const Operator<W>&, const W*, const std::vector<SmootherStep>&, const W*, W*, bool,     \
                       const SmootherMemory<W>&);                                                                      \
  template void smooth(Queue&, const FusedMatrix<W>&, const W*, const std::vector<SmootherStep>&, const W*, W*&, W*&,  \
                       bool);                                                                                          \
  template double fused_vectors(const FusedMatrix<W>&, const std::vector<SmootherStep>&, bool);                        \
  template const W* next_residual(Queue&, const Operator<W>&, const W*, const W*, const W*, bool, bool,                \
                                  const SmootherMemory<W>&);                                                           \
  template void smooth(Queue&, const Operator<W>&, const Operator<W>&, const std::vector<SmootherStep>&, const W*, W*, \
                       bool, const SmootherMemory<W>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::multigrid
