// A search for eigenvalues: runs of block Lanczos, each against what those before it have locked, and how the count is
// verified.
#pragma once

#include <optional>

#include "millrace/base/dot.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/engine/steps.hpp"
#include "millrace/solve/lanczos.hpp"
#include "millrace/solve/methods/block_lanczos.hpp"

namespace millrace::detail {

inline constexpr int usual_vectors = 50;  // of a Krylov basis, besides those that are sought
inline constexpr int most_vectors = 400;  // of a Krylov basis: a GPU rotates them in its shared memory

template <class T>
void check_eigen(std::string_view name, const Queue& queue, const Operator<T>& a, int num, const EigenOptions& options,
                 const Vectors<T>& vectors, const Vectors<const T>& start) {
  const std::int64_t rows = a.shape().rows, cols = a.shape().cols, all = all_rows(a.comm(), rows);
  together(a.comm(), [&] {
    require(rows == cols, name, ": A must be square; it is ", rows, " x ", cols);
    require(num >= 1 && num <= all, name, ": ", num, " eigenvalues were asked for; A has ", all, ", so 1 to ", all,
            " are accepted");
    require(options.krylov_vectors == 0 || options.krylov_vectors > num, name, ": a Krylov basis of ",
            options.krylov_vectors, " vectors for ", num, " eigenvalues was asked for; 0 (automatic) or more than ",
            num, " are accepted");
    require(options.krylov_vectors <= most_vectors && num < most_vectors, name, ": at most ", most_vectors,
            " vectors of the Krylov basis are accepted; ", options.krylov_vectors, " for ", num,
            " eigenvalues were asked for");
    require(options.block >= 0 && options.block <= max_block, name, ": blocks of ", options.block,
            " vectors were asked for; 0 (automatic) to ", max_block, " are accepted");
    require(std::isfinite(options.tolerance) && options.tolerance >= 0, name, ": the tolerance is ", options.tolerance,
            "; a number from 0 on is accepted");
    require(
        queue.device() == a.device() && (!vectors.data || vectors.device == a.device()) &&
            (!start.data || start.device == a.device()),
        name, ": A lives on ", [&] { return to_string(a.device()); }, ", so the queue and the vectors must too");
    require(!vectors.data || (vectors.size == rows && vectors.num == num), name, ": room for ", num, " vectors of ",
            rows, " entries is needed; there are ", vectors.num, " of ", vectors.size);
    require(!start.data || (start.size == rows && start.num >= 1), name, ": start vectors of ", rows,
            " entries are needed; there are ", start.num, " of ", start.size);
  });
}

using Missing = std::function<std::optional<std::int64_t>(const std::vector<double>&)>;

/// One search: runs of block Lanczos, each against what the ones before it have locked.
template <class T>
class Search {
 public:
  using W = Wide<T>;
  /// `relative`: residuals count relative to each eigenvalue, else to the largest.
  /// `missing(values)`: how many values sought before the last of these are not among them, if that can be said.
  Search(Queue& queue, const Operator<T>& a, const Operator<T>* mass, int num, const EigenOptions& options,
         EigenOrder order, bool relative, Missing missing, const Vectors<const T>& start)
      : num_(num),
        options_(options),
        order_(order),
        relative_(relative),
        missing_(std::move(missing)),
        space_(make_space(queue, a, mass, num, options, start.data ? start.num : 0)) {
    options_.monitor = agreed_monitor(a.comm(), options.monitor);
    space_.begin(start);
  }

  void run(EigenReport& report) {
    if (!first_run(report)) return;
    if (space_.complete()) {
      ends(report, true, "the basis became the whole space");
      return;
    }
    if (!options_.verify) {
      ends(report, false, "not verified: no check was asked for");
      return;
    }
    const int before = space_.products;
    for (bool open = true; open;) open = check_run(report);
    report.check_iterations = space_.products - before;
  }

  BlockLanczos<T>& space() { return space_; }

 private:
  static BlockLanczos<T> make_space(Queue& queue, const Operator<T>& a, const Operator<T>* mass, int num,
                                    const EigenOptions& options, int given) {
    const std::int64_t global = all_rows(a.comm(), a.shape().rows);
    int block = queue.device().on_host() ? 2 : 4;
    if (given > block) block = std::min(given, max_block);
    if (options.block > 0) block = options.block;
    const int wanted = options.krylov_vectors > 0 ? options.krylov_vectors : num + std::max(num + 10, usual_vectors);
    const int room = std::min<int>(std::max(wanted, num + 4), most_vectors + 4);
    while (block > 1 && num + 3 * block > room) --block;
    block = static_cast<int>(std::min<std::int64_t>(block, global));
    return BlockLanczos<T>(queue, a, mass, static_cast<int>(std::min<std::int64_t>(room, global)), block,
                           options.krylov_precision, options.seed);
  }

  double key(double value) const { return order_key(order_, value); }
  double limit(double value) const { return options_.tolerance * (relative_ ? std::abs(value) : norm_); }
  int usual_keep(int wanted) const {
    const int room = space_.max_vectors - space_.locked;
    return std::max(0, std::min(wanted + (room - wanted) / 3, std::min(room - space_.block, space_.active())));
  }
  static double worst(const RitzPairs<W>& pairs, int count) {
    double residual = 0;
    for (int k = 0; k < count; ++k) residual = std::max(residual, pairs.residuals[static_cast<std::size_t>(k)]);
    return residual;
  }
  /// How many of the pairs have converged, from the first on.
  int converged(const RitzPairs<W>& pairs, int most) const {
    int k = 0;
    while (k < std::min(most, space_.active()) &&
           pairs.residuals[static_cast<std::size_t>(k)] <= limit(pairs.values[static_cast<std::size_t>(k)]))
      ++k;
    return k;
  }
  /// Locked pairs leave room for three blocks of the check.
  int most_locked() const {
    return std::max(num_, std::min(num_ + space_.block, space_.max_vectors - 3 * space_.block));
  }
  /// Why a run must end although it has not converged.
  SolveEnd must_end(double residual) const {
    if (options_.monitor && !options_.monitor(space_.products, residual)) return SolveEnd::stopped;
    return space_.products >= options_.max_iterations ? SolveEnd::max_iterations : SolveEnd::converged;
  }
  RitzPairs<W> cycle() {
    RitzPairs<W> pairs = space_.ritz(order_);
    for (const double value : pairs.values) norm_ = std::max(norm_, std::abs(value));
    return pairs;
  }

  /// The `num` that are sought. False: there is nothing to verify.
  bool first_run(EigenReport& report) {
    for (;; ++report.restarts) {
      if (!space_.fill(options_.max_iterations)) return not_a_number(report);
      const RitzPairs<W> pairs = cycle();
      const int found = std::min(num_, space_.active());
      const double residual = worst(pairs, found);
      const int good = converged(pairs, most_locked());
      const bool enough = space_.complete() || good >= num_;
      const SolveEnd end = must_end(residual);
      report.norm = norm_;
      if (enough || end != SolveEnd::converged) {
        const bool whole = space_.complete();
        report.end = enough ? SolveEnd::converged : end;
        // Pairs beyond those that were asked for and converged by the way make the check's way shorter.
        space_.lock(pairs, std::max(enough && !whole ? good : found, found), order_, most_locked());
        if (whole) space_.dimension = static_cast<int>(space_.global);  // nothing else is there
        if (!enough) report.check = "not verified: it did not converge";
        return enough;
      }
      space_.restart(pairs, usual_keep(num_));
    }
  }

  /// Looks for what was missed; false: the check is over.
  bool check_run(EigenReport& report) {
    std::vector<double> values = space_.locked_values;
    values.resize(static_cast<std::size_t>(num_));
    const std::optional<std::int64_t> missing = missing_ ? missing_(values) : std::nullopt;
    if (missing == 0) return ends(report, true, "counted by the inertia of a factorisation");
    const auto found_none = [&](std::string_view how) {
      if (!missing) return ends(report, true, std::string(how));
      return ends(report, false, join("not verified: ", how, ", but by inertia ", *missing, " are missing"));
    };
    const double last = key(values.back()), slack = limit(values.back());
    if (space_.locked == space_.global) return found_none("all eigenvalues were found");
    space_.begin();
    for (;; ++report.restarts) {
      if (!space_.fill(options_.max_iterations)) return not_a_number(report);
      const RitzPairs<W> pairs = cycle();
      int missed = 0;
      while (missed < space_.active() && key(pairs.values[static_cast<std::size_t>(missed)]) < last - slack) ++missed;
      const double distance = key(pairs.values[0]) - last;
      if (missed == 0 && (space_.complete() || pairs.residuals[0] <= std::max(limit(pairs.values[0]), 1e-3 * distance)))
        return found_none("a run against their vectors found no other");
      if (missed > 0 && (space_.complete() || converged(pairs, missed) == missed)) {
        space_.lock(pairs, std::min(missed, space_.block), order_, most_locked());
        return true;
      }
      if (must_end(worst(pairs, std::max(missed, 1))) != SolveEnd::converged) {
        report.check = join("not verified: the run against their vectors had not ended after ", space_.products,
                            " products in all");
        if (missed == 0) return false;
        report.check += join("; it saw ", missed, " more");
        report.end = SolveEnd::max_iterations;
        return false;
      }
      space_.restart(pairs, usual_keep(std::max(missed, 1)));
    }
  }
  static bool ends(EigenReport& report, bool verified, std::string how) {
    report.verified = verified;
    report.check = std::move(how);
    return false;
  }
  bool not_a_number(EigenReport& report) {
    report.end = SolveEnd::not_a_number;
    report.reason = join("a number became NaN or Inf after ", space_.products,
                         " products: the matrix holds one, or the numbers overflowed");
    report.check = "not verified: a number became NaN or Inf";
    return false;
  }

  int num_;
  EigenOptions options_;
  EigenOrder order_;
  bool relative_;
  Missing missing_;
  BlockLanczos<T> space_;
  double norm_ = 0;
};

/// |A v - lambda M v| of vector `from` of the basis, which goes to the user in the user's order. `correct`: lambda
/// becomes the Rayleigh quotient first.
template <class T>
double finish_pair(BlockLanczos<T>& p, const Operator<T>& a, const Operator<T>* mass, int from, double& lambda,
                   bool correct, const Vectors<T>& room, int to) {
  Array<T> x(p.queue, p.n), dot(p.queue, 1);
  p.take_out(from, x.data());
  if (room.data) {
    T* target = room.data + to * room.stride;
    if (const Array<Index>* order = a.permutation())
      sweep(p.queue, p.comm, p.n, PermuteStep<Arith<T>>(order->data(), arith(x.data()), arith(target), true));
    else
      p.take_out(from, target);
  }
  const auto product = [&](DotWith with) {  // of A x - lambda M x
    const T theta(static_cast<RealOf<T>>(lambda));
    const Vectors<T> y(p.queue.device(), p.w.data(), p.n);
    if (mass)
      mass->apply(p.queue, {.x = x, .y = y});
    else
      p.take_out(from, y.data);
    std::vector<T> found(1);
    if (p.queue.device().on_host()) {
      a.apply(p.queue, {.x = x, .beta = -theta, .y = y});
      const Vectors<const T> left = with == DotWith::x ? Vectors<const T>(x) : Vectors<const T>(y);
      dot_over_ranks<T>(p.queue, p.comm, left, y, found.data());
      return found[0];
    }
    a.apply(p.queue, {.x = x, .beta = -theta, .y = y, .dot = with, .dot_result = dot.data()});
    copy_bytes(p.queue, Device::host(), found.data(), p.queue.device(), dot.data(), sizeof(T));
    p.queue.wait();
    sum_over_ranks(p.comm, arith(found.data()), 1);
    return found[0];
  };
  if (correct) lambda += double{real_part(arith(product(DotWith::x)))};
  return std::sqrt(double{std::abs(product(DotWith::result))});
}

/// Values, vectors and true residuals, sorted; then the sentence. limit: of true residuals; 0: any. inexact(theta): the
/// Rayleigh quotient knows better.
template <class T>
void finish(Search<T>& search, EigenReport& report, const Operator<T>& a, const Operator<T>* mass, int num,
            double limit, const Vectors<T>& room, const std::function<double(double)>& lambda_of, bool falling,
            const std::function<bool(double)>& inexact = {}) {
  BlockLanczos<T>& p = search.space();
  report.iterations = p.products;
  report.iteration_bytes = p.products > 0 ? p.bytes / p.products : 0;
  if (report.end == SolveEnd::not_a_number) return;
  const int found = std::min(num, p.locked);
  std::vector<std::pair<double, int>> order;
  for (int k = 0; k < found; ++k) order.push_back({lambda_of(p.locked_values[static_cast<std::size_t>(k)]), k});
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& l, const auto& r) { return falling ? l.first > r.first : l.first < r.first; });
  double worst = 0;
  for (int k = 0; k < found; ++k) {
    auto [value, from] = order[static_cast<std::size_t>(k)];
    const bool correct = inexact && inexact(p.locked_values[static_cast<std::size_t>(from)]);
    report.residuals.push_back(finish_pair(p, a, mass, from, value, correct, room, k));
    report.values.push_back(value);
    worst = std::max(worst, report.residuals.back());
  }
  if (report.ok() && limit > 0 && !(worst <= limit)) report.end = SolveEnd::stagnation;
  report.reason = join(found, " eigenvalues, residuals up to ", worst, " after ", p.products, " products and ",
                       report.restarts, " restarts");
  if (report.end == SolveEnd::max_iterations)
    report.reason += ", the most that were allowed: allow more, or a larger Krylov basis";
  if (report.end == SolveEnd::stagnation)
    report.reason += join(", more than ", limit, ": rounding errors allow no less");
  if (report.end == SolveEnd::stopped) report.reason += "; the monitor stopped it";
  if (!report.check.empty()) report.reason += "; " + report.check;
}

}  // namespace millrace::detail
