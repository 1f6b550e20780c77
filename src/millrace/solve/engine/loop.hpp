// The loop of every solver: it runs the body of an iteration until Progress says that it is over, restarts from the
// true residual where the recurrence was wrong, and writes the report. On a GPU the body is captured in a graph.
#pragma once

#include <optional>

#include "millrace/base/timer.hpp"
#include "millrace/solve/engine/progress.hpp"
#include "millrace/solve/engine/system.hpp"
#include "millrace/solve/engine/watch.hpp"

namespace millrace::detail {

/// A named stretch of time in NVIDIA's profilers; nothing in a build without CUDA.
class Range {
 public:
  explicit Range(const char* name);
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range();
};

/// The scalars of a solver in the memory of its device. `Scalars` is a plain struct with a member `progress`.
template <class Scalars>
class DeviceScalars {
 public:
  explicit DeviceScalars(Queue& queue, const Scalars& start = {}) : memory_(queue, 1) {
    copy_bytes(queue, queue.device(), memory_.data(), Device::host(), &start, sizeof(Scalars));
    queue.wait();  // `start` may be gone soon
  }
  Scalars* data() { return memory_.data(); }

 private:
  Array<Scalars> memory_;
};

/// What a solver hands to the loop.
struct Method {
  std::function<void()> start;  // r = b - A x is there: what comes before the first call of `iterate`, or one iteration
  std::function<void()> iterate;               // enqueues the work of one call: the same calls every time, no waiting
  std::function<void(const Progress&)> end{};  // after the last iteration, before the true residual is computed
  std::function<void()> restart{};             // instead of `start` after a breakdown; empty: a breakdown is the end
  std::function<void()> forget{};              // A has got another scale: what was captured is void
  /// `indefinite` before the first iteration: the signs of A and M under which the method may work.
  std::function<Scales(const Progress&)> signs{};
  int iterations = 1;         // that one call makes at most (a GMRES cycle makes several)
  bool one_by_one = false;    // on a GPU: no graph, and a look at the progress after every call (solvers inside)
  bool scales_matrix = true;  // false: the method knows numbers of A by itself, or another A
  /// Traffic of one iteration and of one start, asked for at the end: that of a solver inside is known then.
  std::function<double()> iteration_bytes, start_bytes;
  double end_bytes = 0;
  std::function<double(int iterations)> counted_bytes{};  // of all iterations so far, where they differ
  std::function<std::string(const Progress&)> explain{};  // breakdown, indefinite, stagnation: why, and what might help
};

/// Runs the method on the system; `progress` is a member of the solver's scalars, on the device.
template <class T>
SolveReport run(System<T>& system, Progress* progress, const Method& method);

/// Calls the body until the progress is over, or the monitor stops it.
class Loop {
 public:
  /// For all ranks: on a GPU they enqueue the same batches, whatever each has of the vectors.
  Loop(Queue& queue, const Comm& comm, const SolveOptions& options, Progress* progress, const Method& method,
       std::int64_t n, bool preconditioned);
  /// Can be called again after a restart; the graph stays.
  Progress run();
  Progress fetch();  // waits for the queue
  bool stopped() const { return stopped_; }

 private:
  void run_one_by_one();
  void run_on_gpu();
  void enqueue_batch(int slot, const double* history);      // of iterations, with a copy of the progress after them
  void hear(const Progress& state, const double* history);  // no history: at most one iteration is new

  Queue& queue_;
  Comm comm_;
  const SolveOptions& options_;
  Progress* progress_;
  const Method& method_;
  int batch_;          // bodies between two looks at the progress of a GPU
  bool ahead_ = true;  // a batch is given to it before the one before it is looked at; a heavy one near the end is not
  int heard_ = 0;      // iterations that the monitor has heard of
  bool stopped_ = false;
  bool one_by_one_;
  bool tried_graph_ = false;
  std::optional<Graph> graph_{};
  Watch<Progress> watch_{};  // what batches k and k + 1 have left, and the history for the monitor
};

}  // namespace millrace::detail
