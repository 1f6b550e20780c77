// Timing on any queue: CUDA events on a GPU, a steady clock on the host. Samples keep every figure. Work of a GPU can
// be captured into a graph first, which is launched once for many kernels.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "millrace/base/queue.hpp"

struct CUgraphExec_st;  // the driver's own name, so that cudaGraphExec_t needs no CUDA header here

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

/// How often and how long work is repeated.
struct TimingOptions {
  int warm_ups = 3;
  int min_runs = 10;
  int max_runs = 1000;
  double max_seconds = 0.5;  // no new run begins after this much measured time (min_runs still hold)
  bool cold = false;         // empty the caches before every run
};

/// Times work on the queue. The work is given to the queue by `work` and may be asynchronous.
Samples time(Queue& queue, const std::function<void()>& work, const TimingOptions& options = {});

/// Work of a GPU's queue, captured `times` times one after another and replayed as one CUDA graph. The queue, and all
/// memory that the work uses, must live as long as this.
class Graph {
 public:
  /// Runs the work once, so that nothing is allocated or loaded during the capture. Throws what the work throws, or a
  /// CudaError when it does what cannot be captured; the queue can be used afterwards.
  Graph(Queue& queue, const std::function<void()>& work, int times = 1);
  /// Gives the whole graph to the queue.
  void replay() const;

 private:
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<CUgraphExec_st> graph_;
};

}  // namespace millrace
