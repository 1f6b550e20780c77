// Eigenvalues by block Lanczos: the runs, what is locked after each, and how the count is verified.
#include "millrace/solve/lanczos.hpp"

#include <chrono>
#include <optional>

#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/engine/steps.hpp"
#include "millrace/solve/methods/block_lanczos.hpp"

namespace millrace {

using namespace detail;

namespace {

constexpr int usual_block = 4;
constexpr int most_vectors = 400;  // of a Krylov basis: a GPU rotates them in its shared memory

template <class T>
void check(std::string_view name, const Queue& queue, const Operator<T>& a, int num, const EigenOptions& options,
           const Vectors<T>& vectors, const Vectors<const T>& start) {
  const auto [rows, cols] = a.shape();
  require(rows == cols, name, ": A must be square; it is ", rows, " x ", cols);
  require(num >= 1 && (num <= rows || a.comm().size() > 1), name, ": ", num, " eigenvalues were asked for; A has ",
          rows, ", so 1 to ", rows, " are accepted");
  require(options.krylov_vectors == 0 || options.krylov_vectors > num, name, ": a Krylov basis of ",
          options.krylov_vectors, " vectors for ", num, " eigenvalues was asked for; 0 (automatic) or more than ", num,
          " are accepted");
  require(options.krylov_vectors <= most_vectors && num < most_vectors, name, ": at most ", most_vectors,
          " vectors of the Krylov basis are accepted; ", options.krylov_vectors, " for ", num,
          " eigenvalues were asked for");
  require(options.block >= 0 && options.block <= max_block, name, ": blocks of ", options.block,
          " vectors were asked for; 0 (automatic) to ", max_block, " are accepted");
  require(
      queue.device() == a.device() && (!vectors.data || vectors.device == a.device()) &&
          (!start.data || start.device == a.device()),
      name, ": A lives on ", [&] { return to_string(a.device()); }, ", so the queue and the vectors must too");
  require(!vectors.data || (vectors.size == rows && vectors.num == num), name, ": room for ", num, " vectors of ", rows,
          " entries is needed; there are ", vectors.num, " of ", vectors.size);
  require(!start.data || (start.size == rows && start.num >= 1), name, ": start vectors of ", rows,
          " entries are needed; there are ", start.num, " of ", start.size);
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
         EigenOrder order, bool relative, Missing missing)
      : num_(num),
        options_(options),
        order_(order),
        relative_(relative),
        missing_(std::move(missing)),
        space_(make_space(queue, a, mass, num, options)) {}

  void run(EigenReport& report, const Vectors<const T>& start) {
    space_.begin(start);
    if (!first_run(report)) return;
    if (space_.locked < num_ || space_.complete()) {
      report.verified = report.ok();
      report.check = report.ok() ? "the basis became the whole space" : "";
      if (!report.ok()) report.check = "not verified: it did not converge";
      return;
    }
    if (!options_.verify) {
      report.check = "not verified: no check was asked for";
      return;
    }
    const int before = space_.products;
    for (bool open = true; open;) open = check_run(report);
    report.check_iterations = space_.products - before;
  }

  BlockLanczos<T>& space() { return space_; }

 private:
  static BlockLanczos<T> make_space(Queue& queue, const Operator<T>& a, const Operator<T>* mass, int num,
                                    const EigenOptions& options) {
    std::int64_t global = a.shape().rows;
    a.comm().sum(std::span(&global, 1));
    int block = options.block > 0 ? options.block : usual_block;
    const int wanted = options.krylov_vectors > 0 ? options.krylov_vectors : std::max(2 * num + 10, num + 10 * block);
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
  const EigenOptions& options_;
  EigenOrder order_;
  bool relative_;
  Missing missing_;
  BlockLanczos<T> space_;
  double norm_ = 0;
};

/// |A v - lambda M v| of vector `from` of the basis, which goes to the user in the user's order.
template <class T>
double finish_pair(BlockLanczos<T>& p, const Operator<T>& a, const Operator<T>* mass, int from, double lambda,
                   const Vectors<T>& room, int to) {
  const T theta(static_cast<RealOf<T>>(lambda));
  Array<T> x(p.queue, p.n), square(p.queue, 1);
  const Vectors<T> y(p.queue.device(), p.w.data(), p.n);
  p.take_out(from, x.data());
  if (room.data) {
    T* target = room.data + to * room.stride;
    if (const Array<Index>* order = a.permutation())
      sweep(p.queue, p.comm, p.n, PermuteStep<Arith<T>>(order->data(), arith(x.data()), arith(target), true));
    else
      p.take_out(from, target);
  }
  if (mass)
    mass->apply(p.queue, {.x = x, .y = y});
  else
    p.take_out(from, y.data);
  a.apply(p.queue, {.x = x, .beta = -theta, .y = y, .dot = DotWith::result, .dot_result = square.data()});
  std::vector<T> found(1);
  copy_bytes(p.queue, Device::host(), found.data(), p.queue.device(), square.data(), sizeof(T));
  p.queue.wait();
  sum_over_ranks(p.comm, arith(found.data()), 1);
  return std::sqrt(double{std::abs(found[0])});
}

/// Values, vectors and true residuals, sorted; then the sentence. limit: of true residuals; 0: any.
template <class T>
void finish(Search<T>& search, EigenReport& report, const Operator<T>& a, const Operator<T>* mass, int num,
            double limit, const Vectors<T>& room, const std::function<double(double)>& lambda_of, bool falling) {
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
    const auto [value, from] = order[static_cast<std::size_t>(k)];
    report.values.push_back(value);
    report.residuals.push_back(finish_pair(p, a, mass, from, value, room, k));
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

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// How many eigenvalues at the sought end are missing before the last one found; a little less, so that it does not
/// matter on which side of x rounding errors have put the last.
std::optional<std::int64_t> missing_at_end(const std::vector<double>& found, bool highest, std::int64_t n, double error,
                                           const std::function<std::int64_t(double)>& count_below) {
  const double x = highest ? found.back() + error : found.back() - error;
  const std::int64_t below = count_below(x);
  if (below < 0) return std::nullopt;
  std::int64_t seen = 0;
  for (const double value : found) seen += (highest ? value > x : value < x) ? 1 : 0;
  return (highest ? n - below : below) - seen;
}

}  // namespace

template <class T>
EigenReport lanczos(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options,
                    std::type_identity_t<Vectors<T>> vectors, std::type_identity_t<Vectors<const T>> start) {
  check("lanczos", queue, a, num, options, vectors, start);
  const auto begin = std::chrono::steady_clock::now();
  const Range range("lanczos");
  const bool highest = options.end == SpectrumEnd::highest;
  EigenReport report;
  Missing missing;
  if (options.count_below)
    missing = [&](const std::vector<double>& found) {
      const double error = 10 * std::max(options.tolerance, 10 * double{epsilon<T>}) * report.norm;
      return missing_at_end(found, highest, a.shape().rows, error, options.count_below);
    };
  Search<T> search(queue, a, nullptr, num, options, highest ? EigenOrder::highest : EigenOrder::lowest, false, missing);
  search.run(report, start);
  const double limit = 1.5 * std::max(options.tolerance, 10 * double{epsilon<T>}) * report.norm;
  finish(
      search, report, a, static_cast<const Operator<T>*>(nullptr), num, limit, vectors,
      [](double theta) { return theta; }, highest);
  report.seconds = seconds_since(begin);
  return report;
}

namespace {

/// y = inverse M x.
template <class T>
class InverseTimesMass final : public Operator<T> {
 public:
  InverseTimesMass(const Operator<T>& inverse, const Operator<T>& mass) : inverse_(inverse), mass_(mass) {}
  Shape shape() const override { return inverse_.shape(); }
  Device device() const override { return inverse_.device(); }
  Comm comm() const override { return inverse_.comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    Traffic both = inverse_.traffic(num_vectors, reads_y);
    const Traffic other = mass_.traffic(num_vectors);
    both.matrix += other.matrix, both.vectors += other.vectors, both.minimum += other.minimum;
    return both;
  }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override {
    Array<T> between(queue, request.x.size * request.x.num);
    const Vectors<T> product(between, request.x.num);
    mass_.apply(queue, {.x = request.x, .y = product});
    inverse_.apply(queue, {.alpha = request.alpha, .x = product, .beta = request.beta, .y = request.y});
  }
  const Operator<T>& inverse_;
  const Operator<T>& mass_;
};

}  // namespace

template <class T>
EigenReport shift_invert(Queue& queue, const Operator<T>& a, const Operator<T>& inverse, double sigma, int num,
                         const EigenOptions& options, const std::type_identity_t<Operator<T>>* mass,
                         std::type_identity_t<Vectors<T>> vectors, std::type_identity_t<Vectors<const T>> start) {
  check("shift_invert", queue, a, num, options, vectors, start);
  const auto same = [&](const Operator<T>& other) {
    return other.shape() == a.shape() && other.device() == a.device() && !other.permutation();
  };
  require(!a.permutation() && same(inverse) && (!mass || same(*mass)),
          "shift_invert: A, M and the inverse must have the same shape, live on the same device and work in the user's "
          "order of the unknowns");
  require(std::isfinite(sigma), "shift_invert: the shift ", sigma, " is not a number");
  const auto begin = std::chrono::steady_clock::now();
  const Range range("shift_invert");
  EigenReport report;
  const auto lambda_of = [&](double theta) { return sigma + 1 / theta; };
  Missing missing;
  if (options.count_below)
    missing = [&](const std::vector<double>& thetas) -> std::optional<std::int64_t> {
      const double radius = (1 - 10 * std::max(options.tolerance, 10 * double{epsilon<T>})) / std::abs(thetas.back());
      const std::int64_t low = options.count_below(sigma - radius), high = options.count_below(sigma + radius);
      if (low < 0 || high < 0) return std::nullopt;
      std::int64_t seen = 0;
      for (const double theta : thetas) seen += 1 < radius * std::abs(theta) ? 1 : 0;
      return high - low - seen;
    };
  std::optional<InverseTimesMass<T>> both;
  if (mass) both.emplace(inverse, *mass);
  Search<T> search(queue, mass ? static_cast<const Operator<T>&>(*both) : inverse, mass, num, options,
                   EigenOrder::largest, true, missing);
  search.run(report, start);
  finish(search, report, a, mass, num, 0, vectors, lambda_of, false);
  report.norm = 0;
  for (const double value : report.values) report.norm = std::max(report.norm, std::abs(value));
  report.seconds = seconds_since(begin);
  return report;
}

template <class T>
std::pair<double, double> spectral_bounds(Queue& queue, const Operator<T>& a, int steps, std::uint64_t seed) {
  check("spectral_bounds", queue, a, 1, {}, Vectors<T>{}, Vectors<const T>{});
  require(steps >= 1 && steps <= most_vectors, "spectral_bounds: ", steps, " steps were asked for; 1 to ", most_vectors,
          " are accepted");
  std::int64_t global = a.shape().rows;
  a.comm().sum(std::span(&global, 1));
  BlockLanczos<T> p(queue, a, nullptr, static_cast<int>(std::min<std::int64_t>(global, steps)), 1, Precision::full,
                    seed);
  p.begin();
  require(p.fill(steps), "spectral_bounds: the operator made NaN or Inf");
  const auto pairs = p.ritz(EigenOrder::lowest);
  const double outside = p.beyond();
  return {pairs.values.front() - outside, pairs.values.back() + outside};
}

template EigenReport lanczos(Queue&, const Operator<float>&, int, const EigenOptions&, Vectors<float>,
                             Vectors<const float>);
template EigenReport lanczos(Queue&, const Operator<double>&, int, const EigenOptions&, Vectors<double>,
                             Vectors<const double>);
template EigenReport lanczos(Queue&, const Operator<std::complex<float>>&, int, const EigenOptions&,
                             Vectors<std::complex<float>>, Vectors<const std::complex<float>>);
template EigenReport lanczos(Queue&, const Operator<std::complex<double>>&, int, const EigenOptions&,
                             Vectors<std::complex<double>>, Vectors<const std::complex<double>>);
template EigenReport shift_invert(Queue&, const Operator<float>&, const Operator<float>&, double, int,
                                  const EigenOptions&, const Operator<float>*, Vectors<float>, Vectors<const float>);
template EigenReport shift_invert(Queue&, const Operator<double>&, const Operator<double>&, double, int,
                                  const EigenOptions&, const Operator<double>*, Vectors<double>, Vectors<const double>);
template EigenReport shift_invert(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                                  double, int, const EigenOptions&, const Operator<std::complex<float>>*,
                                  Vectors<std::complex<float>>, Vectors<const std::complex<float>>);
template EigenReport shift_invert(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                                  double, int, const EigenOptions&, const Operator<std::complex<double>>*,
                                  Vectors<std::complex<double>>, Vectors<const std::complex<double>>);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<float>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<double>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<std::complex<float>>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<std::complex<double>>&, int, std::uint64_t);

}  // namespace millrace
