// Products of a matrix on many ranks: built, checked row by row on every rank, and timed by the slowest one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/printable.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/sparse/global_rows_values.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/bench/arguments.hpp"
#include "verbs/bench/report.hpp"
#include "verbs/bench/run.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

/// One format on these ranks.
template <class T>
struct RankEntrant {
  std::unique_ptr<DistributedMatrix<T>> a;
  Point point;
};

template <class T>
class RankBench {
 public:
  RankBench(const Comm& world, const SpreadRows<T>& spread, int num_vectors, Queue& queue, const Point& common)
      : world_(world), queue_(queue), num_(num_vectors), common_(common), here_(with_halo(world, spread.rows())) {
    constexpr std::uint64_t seed = 20120521;
    std::vector<std::int64_t> numbers(to_size(here_.rows.num_rows));
    std::iota(numbers.begin(), numbers.end(), spread.rows().first);
    numbers.insert(numbers.end(), here_.plan.ghosts.begin(), here_.plan.ghosts.end());
    for (int v = 0; v < num_; ++v)
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto counter = static_cast<std::uint64_t>(v * here_.parts.num_rows() + numbers[i]);
        all_x_.push_back(random_value<T>(seed, counter));
        if (i < to_size(here_.rows.num_rows)) x_.push_back(all_x_.back());
      }
  }

  std::vector<Point> run(const std::vector<std::string>& formats, const DistributedOptions& how, double min_time,
                         std::vector<std::string>& skipped) {
    const Reference<T> reference(here_.rows, all_x_, num_, queue_.num_threads());
    std::vector<RankEntrant<T>> entrants;
    std::vector<Point> points;
    for (const std::string& format : formats) {
      DistributedOptions options = how;
      options.format = format;
      options.device = queue_.device();
      try {
        const auto begin = Clock::now();
        auto a = std::make_unique<DistributedMatrix<T>>(world_, here_, options);
        Point point = common_;
        point.setup_seconds = seconds_since(begin);
        describe(*a, format, point);
        check(*a, reference, point);
        if (point.check.ok())
          entrants.push_back({std::move(a), std::move(point)});
        else
          points.push_back(std::move(point));
      } catch (const Unsupported& error) {  // on all ranks
        skipped.push_back(skipped_text(format, error.what()));
      }
    }
    time(entrants, min_time);
    for (RankEntrant<T>& entrant : entrants) points.push_back(std::move(entrant.point));
    return points;
  }

 private:
  void apply(const DistributedMatrix<T>& a) {
    a.apply(queue_, {.x = Vectors<const T>(x_there_, num_), .y = Vectors<T>(y_there_, num_)});
    queue_.wait();
  }

  void describe(const DistributedMatrix<T>& a, const std::string& format, Point& point) const {
    const Traffic traffic = a.traffic(num_);
    double sums[] = {traffic.total(), traffic.minimum,
                     (is_complex<T> ? 8.0 : 2.0) * static_cast<double>(a.num_entries()) * num_, traffic.halo};
    world_.sum(sums);
    point.traffic_bytes = sums[0];
    point.minimum_bytes = sums[1];
    point.flops = sums[2];
    point.contender.name = fmt::format("{}, {}", format, to_text(a.mode()));
    point.contender.format = format;
    point.contender.note = fmt::format("{}; {} of halo on all ranks", a.details(), bytes_text(sums[3]));
  }

  /// In the order of the user, as x is; a format with an order of its own sees both in its own.
  void check(const DistributedMatrix<T>& a, const Reference<T>& reference, Point& point) {
    const std::vector<T> nothing(x_.size(), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    const std::vector<Index> order = a.permutation() ? a.permutation()->to_vector() : std::vector<Index>();
    const Device device = queue_.device();
    x_there_ = Array<T>(std::span<const T>(order.empty() ? x_ : reordered(x_, order, false))).to(device);
    y_there_ = Array<T>(std::span<const T>(nothing)).to(device);
    apply(a);
    const std::vector<T> y = y_there_.to_vector();
    point.check = reference.check(order.empty() ? y : reordered(y, order, true));
    double worst[] = {point.check.max_error_over_bound};
    world_.max(worst);
    point.check.max_error_over_bound = worst[0];
  }

  std::vector<T> reordered(const std::vector<T>& from, const std::vector<Index>& order, bool back) const {
    std::vector<T> to(from.size());
    const std::int64_t rows = here_.rows.num_rows;
    for (int v = 0; v < num_; ++v)
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::size_t inside = to_size(v * rows + i), users = to_size(v * rows + order[to_size(i)]);
        back ? to[users] = from[inside] : to[inside] = from[users];
      }
    return to;
  }

  /// In turns, until each has its time; how often follows from times that all ranks know.
  void time(std::vector<RankEntrant<T>>& entrants, double min_time) {
    constexpr std::size_t least = 5;
    Progress progress("benchmarking " + common_.matrix.name);
    double spent = 0;
    for (bool more = !entrants.empty(); more;) {
      more = false;
      for (RankEntrant<T>& entrant : entrants) {
        std::vector<double>& seconds = entrant.point.samples.seconds;
        const double own = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        if (own >= min_time && seconds.size() >= least) continue;
        more = true;
        world_.barrier();
        const auto begin = Clock::now();
        apply(*entrant.a);
        double slowest[] = {seconds_since(begin)};
        world_.max(slowest);
        seconds.push_back(slowest[0]);
        spent += slowest[0];
      }
      progress.update(spent / (min_time * static_cast<double>(entrants.size()) + 1e-9));
    }
  }

  Comm world_;
  Queue& queue_;
  int num_;
  const Point& common_;
  HaloRows<T> here_;
  std::vector<T> x_, all_x_;    // [num, rows], [num, rows and halo]
  Array<T> x_there_, y_there_;  // on the device
};

Bandwidth bandwidth_of_all(const Comm& world, Queue& queue) {
  world.barrier();
  const Bandwidth mine = measure_bandwidth(queue);
  double rates[] = {mine.read, mine.copy, mine.triad};
  world.sum(rates);
  Bandwidth all = mine;
  all.read = rates[0];
  all.copy = rates[1];
  all.triad = rates[2];
  return all;
}

void check_for_ranks(const BenchArguments& arguments) {
  require<Unsupported>(!arguments.states.cold && !arguments.states.both && !arguments.states.graph && !arguments.gather,
                       "bench on ranks leaves caches as they are: none of --cold, --both, --graph and --gather");
  for (const std::string& argument : arguments.matrices) check_matrix(argument);
}

}  // namespace

int bench_on_ranks(const BenchArguments& arguments) {
  const Comm world = Comm::world();
  together(world, [&] { check_for_ranks(arguments); });
  Queue queue(device_of_rank(arguments.device), threads_of_rank(arguments.num_threads));
  const Style style = style_of_stdout(arguments.drawing);
  const bool quiet = arguments.json == "-" || !talks();
  const Bandwidth limit = [&] {
    Progress progress("measuring the memory of this machine");
    return bandwidth_of_all(world, queue);
  }();
  if (!quiet)
    fmt::print("{}: {}, {}; together they read {:.1f} GB/s, copy {:.1f}, triad {:.1f}\n", to_string(queue.device()),
               facts(queue.device()).name, workers_text(world.size(), queue.num_threads()), limit.read * 1e-9,
               limit.copy * 1e-9, limit.triad * 1e-9);
  std::vector<Point> points;
  for (const std::string& argument : arguments.matrices) {
    AnyRows any = read_or_make_rows(argument, arguments.max_memory, arguments.ranks.reproducible);
    Point common;
    common.matrix = facts_of_rows(argument, any);
    common.device = to_string(queue.device());
    common.num_threads = queue.device().on_host() ? queue.num_threads() * world.size() : 0;
    together(world, [&] {
      require(common.matrix.rows == common.matrix.cols, common.matrix.name, ": is ", common.matrix.rows, " x ",
              common.matrix.cols, "; on ranks bench takes square matrices");
    });
    std::vector<std::string> precisions = split(arguments.precisions);
    if (precisions.empty()) precisions = {precision_of_rows(any, "")};
    for (const std::string& precision : precisions)
      with_precision(precision, [&]<class T>() {
        AnyRows copy = std::visit([](const auto& rows) -> AnyRows { return clone(rows); }, any);
        const SpreadRows<T> spread(world, rows_in_precision<T>(std::move(copy)), arguments.ranks.partition_kind(),
                                   arguments.ranks.reproducible ? Comm::reproducible_rows : 1);
        common.precision = scalar_name<T>();
        for (const std::string& number : split(arguments.num_vectors)) {
          common.num_vectors = parse_num_vectors(number);
          std::vector<std::string> skipped;
          RankBench<T> bench(world, spread, common.num_vectors, queue, common);
          const std::vector<Point> found = bench.run(format_choices<T>(split(arguments.formats)), arguments.ranks.how(),
                                                     arguments.min_time, skipped);
          if (!quiet) {
            fmt::print("\n{}: {} x {}, {} nonzeros, {}{}\n", bold(common.matrix.name, style),
                       count_text(common.matrix.rows), count_text(common.matrix.cols),
                       count_text(common.matrix.entries), common.precision,
                       common.num_vectors == 1 ? "" : fmt::format(", {} right-hand sides", common.num_vectors));
            fmt::print("{}", bench_table(found, limit, style));
            for (const std::string& text : skipped) fmt::print("skipped:      {}\n", printable(text));
            std::fflush(stdout);
          }
          points.insert(points.end(), found.begin(), found.end());
        }
      });
  }
  if (!arguments.json.empty())
    together(world, [&] {
      nlohmann::ordered_json record = bench_record(queue.device(), limit, points);
      record["ranks"] = world.size();
      if (talks()) write_json(arguments.json, record);
    });
  const auto wrong = std::find_if(points.begin(), points.end(), [](const Point& p) { return !p.check.ok(); });
  if (wrong == points.end()) return exit_ok;
  if (talks()) fmt::print(stderr, "millrace: {} on {}: wrong result\n", wrong->contender.name, wrong->matrix.name);
  return exit_wrong_result;
}

}  // namespace millrace::command
