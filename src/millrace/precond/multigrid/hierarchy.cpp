// Coarsens until the matrix is small, or no longer becomes smaller.
#include "millrace/precond/multigrid/hierarchy.hpp"

#include <cmath>

#include "millrace/base/elapsed.hpp"
#include "millrace/precond/multigrid/few_entries.hpp"
#include "millrace/precond/multigrid/spread.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {
namespace {

/// Adds the seconds from one call to the next to what it is given.
class Stopwatch {
 public:
  explicit Stopwatch(Queue& queue) : queue_(queue) {}
  void add_to(double& seconds) {
    queue_.wait();
    const Clock::time_point now = Clock::now();
    seconds += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  Queue& queue_;
  Clock::time_point last_ = Clock::now();
};

template <class T>
NearNull<T> finest_near_null(Device device, const AmgOptions& options, Index num_rows) {
  NearNull<T> made{options.block, options.block, {}};
  if (options.near_null.empty()) return made;
  made.num = static_cast<Index>(std::ssize(options.near_null) / num_rows);
  made.vectors = Array<T>(Offset{num_rows} * made.num);
  for (Index k = 0; k < made.num; ++k)
    for (Index i = 0; i < num_rows; ++i)
      made.vectors.data()[Offset{i} * made.num + k] =
          static_cast<T>(options.near_null[static_cast<std::size_t>(Offset{k} * num_rows + i)]);
  if (!device.on_host()) made.vectors = made.vectors.to(device);
  return made;
}

/// Does it pay to round a prolongator to 8 bits, and do no harm? Constants are then no longer in its range, and where
/// coefficients jump a coarse correction must not be wrong by more on the stiff side than there is on the other: at
/// 64^3 points that differ by 1e6 43 iterations are needed, not 18, but as many as without rounding up to 1e4 (a spread
/// of 4e3).
template <class T>
bool rounds_transfer(Queue& queue, const AmgOptions& options, const SetupLevel<T>& level, const Array<T>& inverse) {
  constexpr double harmless = 1000;
  const Prolongator<T>& p = *level.prolongator;
  return options.precision == Precision::bfloat16 && !queue.device().on_host() && p.block == 1 && p.num == 1 &&
         p.pattern.num_entries() >= few_entries && spread_of(queue, level.diagonal.value, inverse) <= harmless;
}

}  // namespace

template <class T>
std::int64_t SetupLevel<T>::bytes() const {
  return own.footprint().bytes + diagonal.value.bytes() + diagonal.row_sum.bytes() + diagonal.num_beside.bytes() +
         aggregates.of.bytes() + tentative.values.bytes() + (prolongator ? prolongator->bytes() : 0) + galerkin.bytes();
}

template <class T>
void Hierarchy<T>::smoother(Queue& queue, const Csr<T>& a, std::size_t l, const AmgOptions& options, bool again) {
  SetupLevel<T>& level = levels_[l];
  CycleLevel<T>& cycle = cycle_.levels[l];
  level.diagonal.update(queue, a);
  const bool sums = options.smoother == AmgSmoother::l1_jacobi;
  const auto invert = [&](const Array<T>& values) {
    detail::sweep(queue, Comm(), a.num_rows, InvertStep<T>(values.data(), cycle.inverse.data()));
  };
  invert(level.diagonal.value);
  const int steps = again ? LargestEstimate::third_of(options.eigenvalue_steps) : options.eigenvalue_steps;
  const Operator<T>& matrix = cycle.matrix.op();
  const auto bound = [&](const LargestEstimate& found, LargestEstimate& first) {
    if (!again) first = found;
    return again && first.third > 0 ? std::max(found.all, found.all / first.third * first.all) : found.all;
  };
  // Where the sums of rows told as much of the first values as steps did, as on the finest level of most grids, they
  // do so of values like these.
  const bool sums_tell = again && level.estimate.all >= level.first_gershgorin &&
                         level.diagonal.gershgorin <= 1.1 * level.first_gershgorin;
  level.largest = level.diagonal.gershgorin;
  if (!sums_tell) {
    const auto found = estimate_largest<T>(queue, matrix, cycle.inverse.data(), steps, level.largest);
    level.largest = std::min(level.largest, bound(found, level.estimate));
  }
  if (!again) level.first_gershgorin = level.diagonal.gershgorin;
  if (!(level.largest > 0)) level.largest = level.diagonal.gershgorin;
  level.smoothed = level.largest;
  if (cycle.blocks) {
    cycle.blocks->update(queue, a, level.diagonal.value);
    level.smoothed = bound(estimate_largest<T>(queue, matrix, *cycle.blocks, steps), level.block_estimate);
    if (!(level.smoothed > 0)) level.smoothed = level.largest;
  }
  if (sums) invert(level.diagonal.row_sum);
  cycle.steps = smoother_steps(options, level.smoothed);
}

/// Appends what leads from the last level to the next, and the next one's matrix. False: there is none.
template <class T>
bool Hierarchy<T>::coarsen(Queue& queue, const Csr<T>& a, const AmgOptions& options, NearNull<T>& near_null,
                           AmgReport& report) {
  constexpr double enough = 0.8;  // of the rows, below which another level is worth it
  SetupLevel<T>& level = levels_.back();
  const double theta = options.theta * std::pow(options.theta_factor, static_cast<double>(levels_.size() - 1));
  Stopwatch watch(queue);
  StrengthGraph graph = strength_graph(queue, a, level.diagonal, near_null.block, theta);
  watch.add_to(report.strength);
  level.aggregates = make_aggregates(queue, graph);
  watch.add_to(report.aggregates);
  if (level.aggregates.num == 0 || level.aggregates.num * near_null.num > enough * a.num_rows) return false;
  const double omega = options.damping / level.largest;
  const Smoothing smoothing = omega == 0                                                       ? Smoothing::none
                              : std::ssize(levels_) <= std::ptrdiff_t{options.filtered_levels} ? Smoothing::filtered
                                                                                               : Smoothing::full;
  level.tentative = make_tentative(queue, level.aggregates, near_null);
  level.prolongator.emplace(queue, a, graph, level.aggregates, near_null.block, near_null.num, smoothing);
  level.prolongator->update(queue, a, level.diagonal, level.aggregates, level.tentative, omega);
  watch.add_to(report.prolongators);
  level.galerkin = Galerkin<T>(queue, a, *level.prolongator);
  watch.add_to(report.patterns);
  CycleLevel<T>& cycle = cycle_.levels.back();
  cycle.transfer =
      make_transfer(queue, *level.prolongator, level.galerkin, rounds_transfer(queue, options, level, cycle.inverse));
  watch.add_to(report.formats);
  Csr<T> coarse = level.galerkin.make_coarse(queue, a, *level.prolongator, cycle.transfer->restriction_values());
  watch.add_to(report.products);
  if (options.prepare_updates) level.galerkin.find_places(queue, a, *level.prolongator, coarse);
  watch.add_to(report.patterns);
  near_null = std::move(level.tentative.coarse);
  levels_.push_back({.own = std::move(coarse)});
  return true;
}

template <class T>
Hierarchy<T>::Hierarchy(Queue& queue, const Csr<T>& a, const AmgOptions& options, AmgReport& report) {
  const Clock::time_point begin = Clock::now();
  NearNull<T> near_null = finest_near_null<T>(queue.device(), options, a.num_rows);
  cycle_.kind = options.cycle;
  cycle_.from = options.cycle_from;
  cycle_.over_correction = static_cast<T>(options.over_correction);
  levels_.reserve(static_cast<std::size_t>(options.max_levels));
  levels_.emplace_back();
  for (;;) {
    const Csr<T>& now = levels_.size() == 1 ? a : levels_.back().own;
    Stopwatch watch(queue);
    if (now.num_rows <= options.coarsest_rows) {
      levels_.back().diagonal.update(queue, now);
      cycle_.coarsest.emplace().update(queue, now);
      watch.add_to(report.coarsest);
      break;
    }
    cycle_.levels.push_back({LevelMatrix<T>(queue, now, near_null.block, options), Array<T>(queue, now.num_rows)});
    if (options.smoother == AmgSmoother::block_jacobi && near_null.block > 1)
      cycle_.levels.back().blocks.emplace(queue.device(), now.num_rows, near_null.block);
    watch.add_to(report.formats);
    smoother(queue, now, levels_.size() - 1, options, false);
    watch.add_to(report.eigenvalues);
    if (std::ssize(levels_) >= options.max_levels || !coarsen(queue, now, options, near_null, report)) break;
  }
  report.total = seconds_since(begin);
  summarise(a, report);
}

template <class T>
void Hierarchy<T>::update(Queue& queue, const Csr<T>& a, const AmgOptions& options, AmgReport& report) {
  const Clock::time_point begin = Clock::now();
  report.formats = report.eigenvalues = report.prolongators = report.products = report.coarsest = 0;
  report.strength = report.aggregates = report.patterns = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    SetupLevel<T>& level = levels_[l];
    const Csr<T>& now = l == 0 ? a : level.own;
    Stopwatch watch(queue);
    if (l == cycle_.levels.size()) {
      cycle_.coarsest->update(queue, now);
      watch.add_to(report.coarsest);
      break;
    }
    cycle_.levels[l].matrix.update(queue, now);
    watch.add_to(report.formats);
    smoother(queue, now, l, options, true);
    watch.add_to(report.eigenvalues);
    if (!level.prolongator || l + 1 == levels_.size()) break;
    if (!options.keep_prolongators)
      level.prolongator->update(queue, now, level.diagonal, level.aggregates, level.tentative,
                                options.damping / level.largest);
    watch.add_to(report.prolongators);
    Transfer<T>& transfer = *cycle_.levels[l].transfer;
    if (!options.keep_prolongators) transfer.update(queue, *level.prolongator, level.galerkin);
    watch.add_to(report.formats);
    level.galerkin.update(queue, now, *level.prolongator, levels_[l + 1].own, transfer.restriction_values());
    watch.add_to(report.products);
  }
  report.total = seconds_since(begin);
  summarise(a, report);
}

template <class T>
void Hierarchy<T>::summarise(const Csr<T>& a, AmgReport& report) const {
  report.levels.resize(levels_.size());
  report.update_bytes = 0;
  double rows = 0, entries = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Csr<T>& now = l == 0 ? a : levels_[l].own;
    AmgLevelReport& level = report.levels[l];
    level.rows = now.num_rows, level.entries = now.num_entries();
    rows += static_cast<double>(level.rows), entries += static_cast<double>(level.entries);
    report.update_bytes += levels_[l].bytes();
    if (l < cycle_.levels.size()) {
      const CycleLevel<T>& made = cycle_.levels[l];
      if (made.transfer) report.update_bytes -= made.transfer->shared_bytes();
      level.format = made.matrix.format();
      level.bytes = made.bytes();
      level.largest_eigenvalue = levels_[l].smoothed;
      level.singular_blocks = made.blocks ? made.blocks->num_replaced() : 0;
    } else {
      level.format = "dense inverse";
      level.bytes = cycle_.coarsest->bytes();
    }
  }
  report.operator_complexity = a.num_entries() > 0 ? entries / static_cast<double>(a.num_entries()) : 1;
  report.grid_complexity = a.num_rows > 0 ? rows / a.num_rows : 1;
  report.cycle_bytes = cycle_.bytes();
  report.replaced_diagonals = levels_[0].diagonal.num_replaced;
  report.dense_coarsest = cycle_.coarsest.has_value();
  report.null_vectors = cycle_.coarsest ? cycle_.coarsest->num_left_out() : 0;
}

template struct SetupLevel<float>;
template struct SetupLevel<double>;
template class Hierarchy<float>;
template class Hierarchy<double>;

}  // namespace millrace::multigrid
