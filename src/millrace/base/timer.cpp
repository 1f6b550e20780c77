// Samples and their quantiles, and timing on the host.
#include "millrace/base/timer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "millrace/base/array.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/thread_limit.hpp"

namespace millrace {

namespace cuda {
double time_once(const Stream& stream, const std::function<void()>& work);
void flush_caches(const Stream& stream, void* memory, std::size_t bytes);
std::shared_ptr<CUgraphExec_st> capture(const Stream& stream, const std::function<void()>& work, int times);
void launch(const Stream& stream, CUgraphExec_st* graph);
}  // namespace cuda

double Samples::quantile(double q) const {
  if (seconds.empty()) return std::nan("");
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  return below + 1 < sorted.size() ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[below];
}

double Samples::spread() const { return (quantile(0.75) - quantile(0.25)) / 2 / median(); }

namespace {

// Pushes everything out of the caches by writing a buffer several times their size.
class Flusher {
 public:
  explicit Flusher(Queue& queue)
      : queue_(queue),
        buffer_(queue.device(), std::max<std::int64_t>(64 << 20, 4 * facts(queue.device()).cache_bytes)) {}
  void flush() {
    ++value_;
    if (buffer_.device().on_host())
      parallel_for(queue_.num_threads(), buffer_.size(), [&](std::int64_t begin, std::int64_t end) {
        std::fill(buffer_.data() + begin, buffer_.data() + end, value_);
      });
    else if constexpr (build::cuda)
      cuda::flush_caches(*queue_.shared_stream(), buffer_.data(), static_cast<std::size_t>(buffer_.size()));
  }

 private:
  Queue& queue_;
  Array<char> buffer_;
  char value_ = 0;
};

double time_once(Queue& queue, const std::function<void()>& work) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::time_once(*queue.shared_stream(), work);
  const auto begin = Clock::now();
  work();
  return seconds_since(begin);
}

}  // namespace

Samples time(Queue& queue, const std::function<void()>& work, const TimingOptions& options) {
  const ThreadLimit limit(queue);
  for (int i = 0; i < options.warm_ups; ++i) work();
  queue.wait();
  std::unique_ptr<Flusher> flusher;
  if (options.cold) flusher = std::make_unique<Flusher>(queue);
  Samples samples;
  double total = 0;
  for (int run = 0; run < options.max_runs && (run < options.min_runs || total < options.max_seconds); ++run) {
    if (flusher) flusher->flush();
    samples.seconds.push_back(time_once(queue, work));
    total += samples.seconds.back();
  }
  return samples;
}

Graph::Graph(Queue& queue, const std::function<void()>& work, int times) : stream_(queue.shared_stream()) {
  require(times >= 1, "graph: the work is to be captured ", times, " times; 1 or more are accepted");
  require<Unsupported>(!queue.device().on_host(), "graph: the queue is of the host; CUDA graphs are of a GPU");
  if constexpr (build::cuda) {
    work();  // the GPU may still be busy with it during the capture
    graph_ = cuda::capture(*stream_, work, times);
  }
}

void Graph::replay() const {
  if constexpr (build::cuda) cuda::launch(*stream_, graph_.get());
}

}  // namespace millrace
