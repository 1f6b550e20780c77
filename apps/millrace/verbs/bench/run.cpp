// Builds, checks and times the contenders of one matrix in groups that fit into memory.
#include "verbs/bench/run.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <optional>

#include "command.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/bench/measure.hpp"
#include "millrace/bench/random.hpp"
#include "terminal/progress.hpp"
#include "verbs/bench/peer_trial.hpp"

namespace millrace::command {

namespace {

template <class T>
Array<T> random_vectors(std::int64_t size) {
  constexpr std::uint64_t seed = 20120521;
  Array<T> x(size);
  parallel_for(default_num_threads(), size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) x.data()[i] = random_value<T>(seed, static_cast<std::uint64_t>(i));
  });
  return x;
}

// A contender that exists, with the points it will fill: one for each state.
template <class T>
struct Entrant {
  Contender<T> contender;
  std::vector<Point> points;
  std::string failed{};  // why it cannot go on
};

template <class T>
class Bench {
 public:
  Bench(const Csr<T>& a, const MatrixFacts& matrix, int num_vectors, Queue& queue, const BenchOptions& options)
      : a_(a),
        queue_(queue),
        options_(options),
        num_vectors_(num_vectors),
        x_(random_vectors<T>(std::int64_t{a.num_cols} * num_vectors)),
        x_there_(x_.to(queue.device())),
        y_(queue.device(), std::int64_t{a.num_rows} * num_vectors),
        poison_(y_.size(), std::numeric_limits<RealOf<T>>::quiet_NaN()),
        reference_(a, x_.span(), num_vectors, default_num_threads()),
        progress_("benchmarking " + matrix.name) {
    const double vectors = static_cast<double>(x_.bytes() + y_.bytes());
    const auto entries = static_cast<double>(a.num_entries());
    point_.matrix = matrix;
    point_.precision = scalar_name<T>();
    point_.num_vectors = num_vectors;
    point_.device = to_string(queue.device());
    point_.num_threads = queue.device().on_host() ? queue.num_threads() : 0;
    point_.traffic_bytes = vectors;  // and what the contender moves
    point_.minimum_bytes = vectors + entries * sizeof(T);
    point_.flops = (is_complex<T> ? 8.0 : 2.0) * entries * num_vectors;
  }

  BenchResult run() {
    const Vectors<const T> x(queue_.device(), x_there_.data(), a_.num_cols, num_vectors_);
    const Vectors<T> y(queue_.device(), y_.data(), a_.num_rows, num_vectors_);
    const Problem<T> problem{a_, queue_, x, y};
    Makers<T> makers = own_formats(problem, format_choices<T>(options_.formats));
    const std::size_t num_own = makers.size();
    const auto add = [&](Makers<T>&& more) { std::move(more.begin(), more.end(), std::back_inserter(makers)); };
    if (options_.with_gather) add(gather_ceiling(problem));
    if (options_.with_peers) add(sound_peers(problem));

    const std::int64_t room = facts(queue_.device()).memory_bytes / 3;
    std::int64_t held = 0;
    num_contenders_ = makers.size();
    for (std::size_t i = 0; i < makers.size(); ++i) {
      if (auto entrant = enter(makers[i], i < num_own)) {
        held += entrant->contender.facts.format_bytes;
        group_.push_back(std::move(*entrant));
      }
      if (held > room || i + 1 == makers.size()) {
        time_group();
        held = 0;
      }
    }
    compare_with_gather();
    return std::move(result_);
  }

 private:
  // Those of a GPU are tried in another process first: what breaks there would take this one with it.
  Makers<T> sound_peers(const Problem<T>& problem) {
    Makers<T> makers = peers(problem);
    if (queue_.device().on_host() || makers.empty()) return makers;
    const auto broken = broken_peers(point_.device, point_.precision, num_vectors_);
    for (const auto& [name, why] : broken) skip(name, why);
    std::erase_if(makers, [&](const Maker<T>& maker) { return broken.contains(maker.name); });
    return makers;
  }

  // Builds and checks a contender; nothing when it cannot serve, or when its result is wrong.
  std::optional<Entrant<T>> enter(const Maker<T>& maker, bool own) {
    progress_.update(done_);
    try {
      const auto begin = Clock::now();
      Entrant<T> entrant{maker.make(), {}};
      queue_.wait();
      Point point = point_;
      point.setup_seconds = seconds_since(begin);
      point.contender = entrant.contender.facts;
      point.traffic_bytes += static_cast<double>(point.contender.moved_bytes);
      if (point.contender.ceiling) point.traffic_bytes -= static_cast<double>(y_.bytes());  // it has no y
      check(entrant.contender, entrant.contender.run, point);
      for (const State state : options_.states) {
        point.state = state;
        (point.check.ok() ? entrant.points : result_.points).push_back(point);
      }
      if (point.check.ok()) return entrant;
    } catch (const Unsupported& error) {
      skip(maker.name, error.what());
    } catch (const CudaError& error) {
      skip(maker.name, error.what());
    } catch (const std::bad_alloc&) {
      skip(maker.name, "not enough memory");
    } catch (const Error& error) {
      if (own) throw;
      skip(maker.name, error.what());
    }
    return {};
  }

  void skip(const std::string& name, const std::string& why) { result_.skipped.push_back(skipped_text(name, why)); }

  void time_group() {
    const double share =
        static_cast<double>(group_.size()) / static_cast<double>(num_contenders_ * options_.states.size());
    for (std::size_t s = 0; s < options_.states.size(); ++s) {
      const State state = options_.states[s];
      std::vector<std::function<void()>> works;
      std::vector<Point*> points;  // of the works
      for (Entrant<T>& entrant : group_) {
        auto work = state == State::graph ? graph_of(entrant.contender, entrant.points[s]) : entrant.contender.run;
        if (!work) continue;
        works.push_back(entrant.contender.facts.peer() ? forgiving(std::move(work), entrant.failed) : std::move(work));
        points.push_back(&entrant.points[s]);
      }
      const auto samples = measure_in_turns(queue_, works, {options_.min_time, state == State::cold},
                                            [&](double part) { progress_.update(done_ + part * share); });
      for (std::size_t i = 0; i < works.size(); ++i) {
        points[i]->samples = samples[i];
        if (state == State::graph)
          for (double& seconds : points[i]->samples.seconds) seconds /= num_graph_products;
      }
      done_ += share;
    }
    for (const Entrant<T>& entrant : group_)
      if (!entrant.failed.empty()) skip(entrant.contender.facts.name, entrant.failed);
    std::erase_if(group_, [](const Entrant<T>& entrant) { return !entrant.failed.empty(); });
    for (Entrant<T>& entrant : group_)
      for (Point& point : entrant.points)
        if (point.timed() || !point.check.ok()) result_.points.push_back(std::move(point));
    group_.clear();
  }

  // Work of a peer, whose error is kept and ends nothing but its own part.
  static std::function<void()> forgiving(std::function<void()> work, std::string& failed) {
    return [work = std::move(work), &failed] {
      if (!failed.empty()) return;
      try {
        work();
      } catch (const Error& error) {
        failed = error.what();
      }
    };
  }

  // Replays products that were captured one after another; nothing when they cannot be or their result is wrong.
  std::function<void()> graph_of(const Contender<T>& contender, Point& point) {
    try {
      const Graph graph(queue_, contender.run, num_graph_products);
      check(
          contender, [&] { graph.replay(); }, point);
      if (point.check.ok()) return [graph] { graph.replay(); };
    } catch (const Error& error) {
      skip(contender.facts.name + " (graph)", error.what());
    }
    return {};
  }

  void check(const Contender<T>& contender, const std::function<void()>& work, Point& point) {
    y_.assign(poison_.device_span());
    work();
    queue_.wait();
    point.check =
        contender.check ? contender.check() : reference_.check(y_.to_vector(), contender.facts.value_rounding);
  }

  void compare_with_gather() {
    for (const Point& ceiling : result_.points) {
      if (!ceiling.contender.ceiling || !ceiling.timed()) continue;
      for (Point& point : result_.points)
        if (point.timed() && !point.contender.ceiling && point.state == ceiling.state)
          point.share_of_gather = ceiling.median() / point.median();
    }
  }

  static constexpr int num_graph_products = 20;  // a launch of 4 us costs each of them 0.2 us
  const Csr<T>& a_;
  Queue& queue_;
  const BenchOptions& options_;
  int num_vectors_;
  Array<T> x_;        // [num_vectors, num_cols], host
  Array<T> x_there_;  // the same on the device
  Array<T> y_;        // [num_vectors, num_rows]
  Array<T> poison_;   // of the size of y, all NaN
  Reference<T> reference_;
  Progress progress_;
  double done_ = 0;
  std::size_t num_contenders_ = 0;
  Point point_;  // what all points share
  std::vector<Entrant<T>> group_;
  BenchResult result_;
};

}  // namespace

std::string skipped_text(const std::string& name, std::string_view why) {
  const std::size_t end = why.find(": ");  // of the word that the library's own texts begin with
  const bool again = end != std::string_view::npos && name.starts_with(why.substr(0, end)) &&
                     (name.size() == end || name[end] == '-' || name[end] == ' ');
  return fmt::format("{}: {}", name, again ? why.substr(end + 2) : why);
}

template <class T>
BenchResult run_bench(const Csr<T>& a, const MatrixFacts& matrix, int num_vectors, Queue& queue,
                      const BenchOptions& options) {
  return Bench<T>(a, matrix, num_vectors, queue, options).run();
}

template BenchResult run_bench(const Csr<float>&, const MatrixFacts&, int, Queue&, const BenchOptions&);
template BenchResult run_bench(const Csr<double>&, const MatrixFacts&, int, Queue&, const BenchOptions&);
template BenchResult run_bench(const Csr<std::complex<float>>&, const MatrixFacts&, int, Queue&, const BenchOptions&);
template BenchResult run_bench(const Csr<std::complex<double>>&, const MatrixFacts&, int, Queue&, const BenchOptions&);

}  // namespace millrace::command
