// Measures memory: a run is checked first, then timed. The host runs are here, those of a GPU in bandwidth_cuda.cu.
#include "millrace/tune/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/tune/bandwidth_cuda.hpp"

namespace millrace {
namespace {

// The words hold 1 + (i % period) step: ordinary numbers in 1..1.5, and the sum of their bits is known.
constexpr std::int64_t period = std::int64_t{1} << 20;
constexpr double step = 0x1p-21;
constexpr int step_shift = 52 - 21;  // step in units of the mantissa's last bit
constexpr double factor = 2;         // of the triad; exact, so a fused multiply-add gives the same

double word_at(std::int64_t i) { return 1 + static_cast<double>(i % period) * step; }

std::uint64_t sum_of_bits(std::int64_t size) {
  const auto triangle = [](std::int64_t n) { return static_cast<std::uint64_t>(n * (n - 1) / 2); };
  const std::uint64_t steps = static_cast<std::uint64_t>(size / period) * triangle(period) + triangle(size % period);
  return static_cast<std::uint64_t>(size) * std::bit_cast<std::uint64_t>(1.0) + (steps << step_shift);
}

// Four streams: one alone does not keep enough reads under way to fill the memory's pipe. Integer sums, since the
// compiler may not reorder those of floating-point numbers, and a chain of additions would be the limit.
std::uint64_t sum_part(const double* words, std::int64_t size) {
  const std::int64_t quarter = size / 4;
  const double *a = words, *b = a + quarter, *c = b + quarter, *d = c + quarter;
  std::uint64_t sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0;
  for (std::int64_t i = 0; i < quarter; ++i) {
    sum_a += std::bit_cast<std::uint64_t>(a[i]);
    sum_b += std::bit_cast<std::uint64_t>(b[i]);
    sum_c += std::bit_cast<std::uint64_t>(c[i]);
    sum_d += std::bit_cast<std::uint64_t>(d[i]);
  }
  return sum_a + sum_b + sum_c + sum_d;
}

void triad_part(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c, std::int64_t size,
                double s) {
  for (std::int64_t i = 0; i < size; ++i) a[i] = b[i] + s * c[i];
}

// Every thread works inside the share of the memory that it has touched first.
class HostRuns {
 public:
  HostRuns(Queue& queue, Array<double>& words)
      : num_threads_(queue.num_threads()), share_(words.size() / num_threads_), words_(words) {}
  static std::int64_t granule(const Queue& queue) {
    return 96 * std::int64_t{queue.num_threads()};
  }  // whole cache lines

  void fill() {
    parallel(num_threads_, [&](int thread, int) {
      for (std::int64_t i = thread * share_; i < (thread + 1) * share_; ++i) words_.data()[i] = word_at(i);
    });
  }
  void read() {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(num_threads_));
    parallel(num_threads_, [&](int thread, int) {
      sums[static_cast<std::size_t>(thread)] = sum_part(words_.data() + thread * share_, share_);
    });
    sum_ = 0;
    for (const std::uint64_t part : sums) sum_ += part;
  }
  void copy() {
    parallel(num_threads_, [&](int thread, int) {
      const double* from = words_.data() + thread * share_;
      std::copy(from, from + share_ / 2, words_.data() + thread * share_ + share_ / 2);
    });
  }
  void triad() {
    parallel(num_threads_, [&](int thread, int) {
      double* a = words_.data() + thread * share_;
      triad_part(a, a + share_ / 3, a + 2 * (share_ / 3), share_ / 3, factor);
    });
  }
  void nothing() {
    parallel(num_threads_, [](int, int) {});
  }
  std::uint64_t sum() const { return sum_; }
  std::int64_t last_share() const { return share_ * (num_threads_ - 1); }

 private:
  int num_threads_;
  std::int64_t share_;
  Array<double>& words_;
  std::uint64_t sum_ = 0;
};

class GpuRuns {
 public:
  GpuRuns(Queue& queue, Array<double>& words) : queue_(queue), words_(words), sum_(queue.device(), 1) {}
  static std::int64_t granule(const Queue&) { return cuda::bandwidth_granule; }

  void fill() { cuda::fill_words(queue_, words_.data(), words_.size(), 1, step, period); }
  void read() { cuda::sum_words(queue_, words_.data(), words_.size(), sum_.data()); }
  void copy() { cuda::copy_words(queue_, words_.data(), words_.size()); }
  void triad() { cuda::triad_words(queue_, words_.data(), words_.size(), factor); }
  void nothing() { cuda::launch_nothing(queue_); }
  std::uint64_t sum() const { return sum_.to_vector()[0]; }
  std::int64_t last_share() const { return 0; }

 private:
  Queue& queue_;
  Array<double>& words_;
  Array<std::uint64_t> sum_;  // [1]
};

double read_back(const Array<double>& words, std::int64_t i) {
  double value = 0;
  copy_bytes(Device::host(), &value, words.device(), words.data() + i, sizeof value);
  return value;
}

// Checks every run once, on fresh memory, before it is timed.
template <class Runs>
void check_runs(Queue& queue, const Array<double>& words, Runs& runs) {
  const std::int64_t first = runs.last_share(), size = words.size() - first, last = first + size - 1;
  runs.fill();
  runs.read();
  queue.wait();
  require(runs.sum() == sum_of_bits(words.size()), "bandwidth: the sum over memory is wrong");
  runs.copy();
  queue.wait();
  require(read_back(words, last) == word_at(first + size / 2 - 1), "bandwidth: the copy is wrong");
  runs.fill();
  runs.triad();
  queue.wait();
  require(read_back(words, first + size / 3 - 1) == word_at(first + size / 3 * 2 - 1) + factor * word_at(last),
          "bandwidth: the triad is wrong");
}

template <class Runs>
Bandwidth measure(Queue& queue, std::int64_t bytes) {
  const std::int64_t granule = Runs::granule(queue);
  const std::int64_t word_bytes = sizeof(double);
  Array<double> words(queue.device(), std::max<std::int64_t>(1, bytes / (granule * word_bytes)) * granule);
  Runs runs(queue, words);
  check_runs(queue, words, runs);
  const TimingOptions options{.warm_ups = 2, .min_runs = 9, .max_runs = 100, .max_seconds = 0.3};
  const auto rate = [&](void (Runs::*run)()) {
    return static_cast<double>(words.bytes()) / time(queue, std::bind(run, &runs), options).median();
  };
  Bandwidth found;
  found.read = rate(&Runs::read);
  found.copy = rate(&Runs::copy);
  found.triad = rate(&Runs::triad);
  const TimingOptions many{.warm_ups = 20, .min_runs = 100, .max_runs = 1000, .max_seconds = 0.02};
  found.launch_seconds = time(
                             queue, [&] { runs.nothing(); }, many)
                             .median();
  return found;
}

}  // namespace

Bandwidth measure_bandwidth(Queue& queue, std::int64_t bytes) {
  const ThreadLimit limit(queue);
  require(bytes >= 0, "bandwidth: ", bytes, " bytes were asked for; 0 takes the default");
  const Device device = queue.device();
  if (bytes == 0) {
    const DeviceFacts facts = millrace::facts(device);
    const std::int64_t mib = std::int64_t{1} << 20;
    bytes = std::max(device.on_host() ? 768 * mib : 4096 * mib, 16 * facts.cache_bytes);
    if (facts.memory_bytes > 0) bytes = std::min(bytes, facts.memory_bytes / 4);
  }
  if (device.on_host()) return measure<HostRuns>(queue, bytes);
  if constexpr (build::cuda)
    return measure<GpuRuns>(queue, bytes);
  else
    throw Unsupported("bandwidth: a CUDA device was asked for, but this build has no CUDA");
}

}  // namespace millrace
