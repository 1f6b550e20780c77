// What a region of host threads costs, and from which work on it pays: threads_for (base/parallel.hpp) has its
// constants from here. A triad y = c y + x over vectors in caches, on one thread and on many, again and again; the same
// in turns with a sweep of one thread, after which the vectors lie in its cache; a chain of multiplications; regions of
// nothing, with threads that look for work and with threads that sleep. Every answer is checked.
//
// usage: benchmark_threads OUT.json [small]
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "millrace/base/array.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/record.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;

struct Bench {
  TimingOptions timing;
  int times;  // per sample
  Json points = Json::array();

  Samples run(const std::function<void()>& work) const {
    Queue queue(Device::host(), 1);
    Samples samples = time(
        queue,
        [&] {
          for (int k = 0; k < times; ++k) work();
        },
        timing);
    for (double& seconds : samples.seconds) seconds /= times;
    return samples;
  }
  /// amount: bytes or flops of one thread's work.
  void add(int threads, const char* kind, std::int64_t amount, const Samples& alone, const Samples& together) {
    fmt::print("{:>3} threads  {:<12} {:>9}  {:>9.2f} us on one, {:>9.2f} us: {:.2f} times as fast\n", threads, kind,
               amount, alone.median() * 1e6, together.median() * 1e6, alone.median() / together.median());
    points.push_back({{"threads", threads},
                      {"kind", kind},
                      {"amount", amount},
                      {"one_thread_us", bench::samples_json(alone)},
                      {"samples_us", bench::samples_json(together)},
                      {"one_thread_median_us", alone.median() * 1e6},
                      {"median_us", together.median() * 1e6},
                      {"spread", together.spread()}});
  }
};

constexpr double factor = 0.5;  // y tends to 2 x

void triad(double* y, const double* x, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) y[i] = factor * y[i] + x[i];
}

void measure_bytes(Bench& bench, int threads, std::int64_t n) {
  Array<double> x(n, 1.0), y(n, 0.0);
  const auto alone = [&] { triad(y.data(), x.data(), 0, n); };
  const auto together = [&] {
    parallel(threads, [&](int part, int count) {
      const auto [begin, end] = even_part(n, part, count);
      triad(y.data(), x.data(), begin, end);
    });
  };
  const Samples one = bench.run(alone), many = bench.run(together), both = bench.run([&] {
    alone();
    together();
  });
  const double first = y.span()[0];  // 2 - 2^(1 - steps), wherever a part began
  require(first >= 1 && first <= 2, "the triad gave ", first, ", not 1 to 2");
  for (const double value : y.span()) require(value == first, "the triad gave ", value, " and ", first);
  bench.add(threads, "bytes", 24 * n, one, many);
  Samples rest = both;
  for (double& seconds : rest.seconds) seconds = std::max(0.0, seconds - one.median());
  bench.add(threads, "bytes-mixed", 24 * n, one, rest);
}

void measure_flops(Bench& bench, int threads, std::int64_t n) {
  std::vector<double> sums(static_cast<std::size_t>(threads) * 16);
  const auto chain = [&](int part, std::int64_t begin, std::int64_t end) {
    double value = 1;
    for (std::int64_t i = begin; i < end; ++i) value = value * 0.5 + 1;  // each waits for the one before
    sums[static_cast<std::size_t>(part) * 16] = value;
  };
  const auto alone = [&] { chain(0, 0, n); };
  const auto together = [&] {
    parallel(threads, [&](int part, int count) {
      const auto [begin, end] = even_part(n, part, count);
      chain(part, begin, end);
    });
  };
  const Samples one = bench.run(alone), many = bench.run(together);
  require(std::abs(sums[0] - 2) < 0.1, "the chain gave ", sums[0], ", not 2");
  bench.add(threads, "flops", 2 * n, one, many);
}

void measure_regions(Bench& bench, int threads) {
  int parts = 0;
  const auto region = [&] {
    parallel(threads, [&](int part, int) {
      if (part == 0) ++parts;
    });
  };
  const Samples nothing = bench.run([&] { ++parts; });
  bench.add(threads, "region", 0, nothing, bench.run(region));
  require(parts > 0, "no region ran");
  Samples asleep;
  for (int k = 0; k < bench.timing.min_runs; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // longer than they look for work
    const auto begin = std::chrono::steady_clock::now();
    region();
    asleep.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  bench.add(threads, "region-asleep", 0, nothing, asleep);
}

int run(int argc, char** argv) {
  require(argc >= 2, "usage: benchmark_threads OUT.json [small]");
  const bool small = argc > 2 && std::string_view(argv[2]) == "small";
  Bench bench{{.warm_ups = 2, .min_runs = small ? 1 : 21, .max_runs = small ? 1 : 61, .max_seconds = 0.1},
              small ? 2 : 20};
  const int cores = default_num_threads();
  for (int threads = 2; threads <= std::max(2, cores); threads *= 2) {
    measure_regions(bench, threads);
    for (std::int64_t n = small ? 8192 : 1024; n <= (small ? 8192 : 1 << 19); n *= 2) {
      measure_bytes(bench, threads, n);
      measure_flops(bench, threads, n);
    }
  }
  Queue queue(Device::host(), cores);
  bench::write_json(argv[1], bench::points_record("millrace.threads", Device::host(), measure_bandwidth(queue),
                                                  std::move(bench.points)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_threads", [&] { return run(argc, argv); });
}
