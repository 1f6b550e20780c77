// Makes an operator, a smoother and a transfer for each order, and runs V cycles.
#include "millrace/fem/multigrid/p_cycle.hpp"

#include <cmath>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/multigrid/assembled.hpp"
#include "millrace/precond/multigrid/largest_eigenvalue.hpp"
#include "millrace/precond/multigrid/steps.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace::multigrid {
namespace {

/// The options of a level: the rule has as many points more than it needs as that of the finest one. An assembled one
/// of quads and hexes has its points on the nodes: fewer entries, and on squeezed cells fewer iterations.
ElementOptions level_options(const ElementOptions& finest, int from, int order, const std::vector<Index>& constrained,
                             bool on_nodes) {
  ElementOptions options = finest;
  options.constrained = constrained;
  options.identity = true;
  if (on_nodes) options.points = Points::on_nodes();
  if (options.points.num > 0) options.points.num += order - from;
  if (options.points.degree >= 0) options.points.degree = std::max(0, options.points.degree + 2 * (order - from));
  return options;
}

/// The diagonal, on the host.
template <class W>
Array<W> positive_diagonal(Queue& queue, const ElementOperator<W>& on_host, const ElementOperator<W>& there,
                           int order) {
  const bool stored = there.data().kind == GeometricFactors::stored;
  Queue host;
  Array<W> diagonal(stored ? queue.device() : Device::host(), there.shape().rows);
  if (stored)
    there.diagonal(queue, diagonal);
  else
    on_host.diagonal(host, diagonal);
  queue.wait();
  if (stored && !queue.device().on_host()) diagonal = diagonal.to(Device::host());
  for (Offset i = 0; i < diagonal.size(); ++i) {
    const W value = diagonal.data()[i];
    require(value > W{0} && std::isfinite(value), "p-multigrid: the operator of order ", order, " has ", value,
            " on its diagonal at unknown ", i, "; positive numbers are accepted");
  }
  return diagonal;
}

template <class W>
Array<W> invert(const Array<W>& diagonal, Device device) {
  Array<W> inverse(diagonal.size());
  for (Offset i = 0; i < inverse.size(); ++i) inverse.data()[i] = W{1} / diagonal.data()[i];
  return inverse.to(device);
}

template <class W>
bool takes_blocks(const PMultigridOptions& options, Cell cell, const PointKernel<W>& physics) {
  return options.blocks == PMultigridBlocks::elements ||
         (options.blocks == PMultigridBlocks::automatic && is_tensor(cell) && physics.uses_grad);
}

AmgOptions smoother_options(const PMultigridOptions& options, std::size_t level, Cell cell) {
  AmgOptions same;
  same.smoother = options.smoother, same.ratio = options.ratio;
  same.degree = options.degree;
  if (!options.degrees.empty()) same.degree = options.degrees[level];
  if (same.degree == 0) same.degree = options.orders[level] >= (is_tensor(cell) ? 8 : 3) ? 4 : 3;
  return same;
}

}  // namespace

template <class W>
PCycle<W>::PCycle(Queue& queue, const Mesh& mesh, const Space& finest, const PointKernel<W>& physics,
                  const ElementOptions& element, const PMultigridOptions& options, PMultigridReport& report) {
  std::optional<Space> own;  // of the level before, but of the finest one
  std::vector<Index> constrained = element.constrained;
  const bool tensor = is_tensor(finest.only_block().cell);
  for (const int order : options.orders) {
    const bool is_finest = order == finest.order, is_last = order == options.orders.back();
    std::optional<Space> fresh;
    const auto start = Clock::now();
    if (!is_finest) fresh.emplace(make_space(mesh, order, finest.comps, finest.sides));
    report.spaces += seconds_since(start);
    const Space& space = is_finest ? finest : *fresh;
    if (!is_finest) {
      const auto begin = Clock::now();
      const Space& fine = own ? *own : finest;
      std::vector<Index> held = coarse_constrained(fine, space, constrained);
      levels_.back().transfer.emplace(queue.device(), fine, space, constrained, held,
                                      is_last ? by_node(space) : by_component(space));
      report.levels.back().bytes += levels_.back().transfer->bytes();
      constrained = std::move(held);
      report.transfers += seconds_since(begin);
    }
    const auto begin = Clock::now();
    ElementOperator<W> op(mesh, space, physics,
                          level_options(element, finest.order, order, constrained, is_last && !is_finest && tensor));
    report.operators += seconds_since(begin);
    report.levels.push_back({order, space.num_dofs()});
    if (is_last)
      add_assembled(queue, op, space, options, report);
    else
      add_level(queue, mesh, space, std::move(op), constrained, options, report);
    own = std::move(fresh);
  }
}

template <class W>
void PCycle<W>::add_level(Queue& queue, const Mesh& mesh, const Space& space, ElementOperator<W>&& on_host,
                          std::span<const Index> constrained, const PMultigridOptions& options,
                          PMultigridReport& report) {
  PMultigridLevelReport& mine = report.levels.back();
  const bool moves = !queue.device().on_host();
  auto begin = Clock::now();
  std::optional<ElementOperator<W>> moved;
  if (moves) moved.emplace(on_host.to(queue.device()));
  report.operators += seconds_since(begin), begin = Clock::now();
  const ElementOperator<W>& there = moved ? *moved : on_host;
  const Array<W> diagonal = positive_diagonal(queue, on_host, there, mine.order);
  Array<W> inverse = invert(diagonal, queue.device());
  std::optional<ElementBlocks<W>> blocks;
  mine.by_elements = takes_blocks(options, space.only_block().cell, on_host.physics());
  if (mine.by_elements)
    blocks.emplace(queue.device(), mesh, space, constrained, diagonal.span(), on_host.physics().uses_value, mass_);
  report.diagonals += seconds_since(begin), begin = Clock::now();
  mine.largest_eigenvalue = blocks ? estimate_bounds<W>(queue, there, *blocks, options.eigenvalue_steps).largest
                                   : estimate_largest(queue, there, inverse.data(), options.eigenvalue_steps).all;
  report.eigenvalues += seconds_since(begin);
  mine.bytes += static_cast<std::int64_t>(there.traffic().matrix) + (blocks ? blocks->bytes() : inverse.bytes());
  std::vector<SmootherStep> steps =
      smoother_steps(smoother_options(options, levels_.size(), space.only_block().cell), mine.largest_eigenvalue);
  levels_.push_back(
      {moved ? std::move(*moved) : std::move(on_host), std::move(inverse), std::move(blocks), std::move(steps)});
}

template <class W>
void PCycle<W>::add_assembled(Queue& queue, const ElementOperator<W>& op, const Space& space,
                              const PMultigridOptions& options, PMultigridReport& report) {
  auto begin = Clock::now();
  const std::span<const Index> none;
  Queue host;
  Csr<W> by_nodes = order_by_nodes(op.assemble(host), space);
  const AmgOptions amg = amg_options(by_nodes, space, options.amg);
  if (levels_.empty() && space.comps > 1) alone_.emplace(queue.device(), space, space, none, none, by_node(space));
  report.assembly += seconds_since(begin), begin = Clock::now();
  if (!queue.device().on_host()) by_nodes = by_nodes.to(queue.device());
  assembled_ = std::make_unique<Amg<W>>(queue, by_nodes, amg);
  report.algebraic += seconds_since(begin);
  report.amg = assembled_->report();
  report.levels.back().bytes += report.amg.cycle_bytes;
}

template <class W>
void PCycle<W>::apply_assembled(Queue& queue, const W* b, W* x) const {
  const std::int64_t n = assembled_->shape().rows;
  const Device device = queue.device();
  if (!alone_) return assembled_->apply(queue, {.x = {device, b, n}, .y = {device, x, n}});
  const auto memory = queue.scratch<W>(2 * n);
  W *const own_b = memory.data(), *const own_x = own_b + n;
  alone_->restrict_to(queue, b, nullptr, own_b);
  assembled_->apply(queue, {.x = {device, own_b, n}, .y = {device, own_x, n}});
  detail::sweep(queue, Comm(), n, detail::FillStep<W>(W{0}, x));
  alone_->prolong(queue, own_x, x);
}

/// As multigrid::smooth, with blocks.
template <class W>
void PCycle<W>::smooth_level(Queue& queue, const PLevel<W>& level, const W* b, W* x, bool from_zero,
                             const SmootherMemory<W>& memory) const {
  if (!level.blocks) return smooth(queue, level.op, level.inverse.data(), level.steps, b, x, from_zero, memory);
  const W* r = b;  // what is left without the weights
  for (std::size_t k = 0; k < level.steps.size(); ++k) {
    const bool first = k == 0;
    r = next_residual<W>(queue, level.op, b, x, r, first, from_zero, memory);
    BlockStep<W> step;
    step.keep = static_cast<W>(level.steps[k].keep), step.add = static_cast<W>(level.steps[k].add);
    step.weight = static_cast<W>(level.steps[k].weight);
    step.r = r, step.z = memory.z, step.x = x, step.fresh = first && from_zero;
    level.blocks->step(queue, step);
  }
}

template <class W>
void PCycle<W>::apply(Queue& queue, std::size_t at, const W* b, W* x) const {
  if (at == levels_.size()) return apply_assembled(queue, b, x);
  const std::int64_t n = dofs_of(at);
  const Device device = queue.device();
  const PLevel<W>& level = levels_[at];
  const auto memory = queue.scratch<W>(3 * n);
  const SmootherMemory<W> own{memory.data(), memory.data() + n, memory.data() + 2 * n};
  const std::int64_t num_next = dofs_of(at + 1);
  const auto next = queue.scratch<W>(2 * num_next);
  W *const next_b = next.data(), *const next_x = next_b + num_next;
  smooth_level(queue, level, b, x, true, own);
  level.op.apply(queue, {.x = {device, x, n}, .y = {device, own.q, n}});
  level.transfer->restrict_to(queue, b, own.q, next_b);
  apply(queue, at + 1, next_b, next_x);
  level.transfer->prolong(queue, next_x, x);
  smooth_level(queue, level, b, x, false, own);
}

template <class W>
Traffic PCycle<W>::traffic() const {
  Traffic sum = assembled_->traffic();
  for (const PLevel<W>& level : levels_) {
    const Traffic one = level.op.traffic();
    const auto degree = static_cast<double>(level.steps.size());
    const double vector = static_cast<double>(level.num_dofs()) * sizeof(W);
    sum.matrix += 2 * degree * one.matrix, sum.minimum += 2 * degree * one.minimum;
    sum.vectors += 2 * degree * one.vectors + vector * (16 * degree - 4);
    if (level.blocks) {
      const Traffic block = level.blocks->traffic();
      sum.matrix += 2 * degree * block.matrix, sum.vectors += 2 * degree * block.vectors;
    }
    sum.vectors += level.transfer->prolong_bytes() + level.transfer->restrict_bytes();
  }
  return sum;
}

template class PCycle<float>;
template class PCycle<double>;

}  // namespace millrace::multigrid
