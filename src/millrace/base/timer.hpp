// Timing on any queue: CUDA events on a GPU, a steady clock on the host. Samples keep every figure.
#pragma once

#include <functional>
#include <vector>

#include "millrace/base/queue.hpp"

namespace millrace {

/// Seconds of repeated runs.
struct Samples {
  std::vector<double> seconds;

  double median() const { return quantile(0.5); }
  double fastest() const { return quantile(0); }
  double quantile(double q) const;
  /// Half of the distance between the quartiles, over the median.
  double spread() const;
};

struct TimingOptions {
  int warm_ups = 3;
  int min_runs = 10;
  int max_runs = 1000;
  double max_seconds = 0.5;  // no new run begins after this much measured time (min_runs still hold)
  bool cold = false;         // empty the caches before every run
};

/// Times work on the queue. The work is given to the queue by `work` and may be asynchronous.
Samples time(Queue& queue, const std::function<void()>& work, const TimingOptions& options = {});

}  // namespace millrace
