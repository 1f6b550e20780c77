// The loop on host and GPU.
#include "millrace/solve/engine/loop.hpp"

#include <utility>

#include "millrace/base/read_back.hpp"

namespace millrace::cuda {
void push_range(const char* name);
void pop_range();
}  // namespace millrace::cuda

namespace millrace::detail {

Range::Range(const char* name) {
  if constexpr (build::cuda) cuda::push_range(name);
  (void)name;
}
Range::~Range() {
  if constexpr (build::cuda) cuda::pop_range();
}

namespace {

// Large vectors: few, since up to two batches of products run in vain at the end; small ones: many, since a look at the
// progress costs the time of several iterations.
constexpr int batch_of(std::int64_t n, int iterations) {
  const std::int64_t bodies = (std::int64_t{1} << 24) / std::max<std::int64_t>(n, 1) / iterations;
  return static_cast<int>(std::clamp<std::int64_t>(bodies, iterations > 1 ? 1 : 2, 32));
}
// A heavy preconditioner runs in vain too, and few iterations are needed with it: a batch lasts as long as a look,
// about 100 us of memory traffic.
constexpr double look_bytes = 4e8;
int batch_with(double bytes, int plain) {
  return static_cast<int>(std::clamp(look_bytes / std::max(bytes, 1.0), 1.0, static_cast<double>(plain)));
}

// Of the rank that has most.
std::int64_t most(const Queue& queue, const Comm& comm, std::int64_t n) {
  if (!queue.device().on_host()) comm.max(std::span(&n, 1));
  return n;
}

}  // namespace

Loop::Loop(Queue& queue, const Comm& comm, const SolveOptions& options, Progress* progress, const Method& method,
           std::int64_t n, bool preconditioned)
    : queue_(queue),
      comm_(comm),
      options_(options),
      progress_(progress),
      method_(method),
      batch_(batch_of(most(queue, comm, n), std::max(method.iterations, 1))),
      one_by_one_(method.one_by_one) {
  if (queue.device().on_host() || !preconditioned || method.iterations > 1 || !method.iteration_bytes) return;
  double bytes = method.iteration_bytes();
  comm.max(std::span(&bytes, 1));
  batch_ = batch_with(bytes, batch_);
  ahead_ = bytes < 4 * look_bytes;
}

Progress Loop::fetch() { return read_back(queue_, progress_); }

Progress Loop::run() {
  const Range range("iterations");
  if (options_.monitor) hear(fetch(), nullptr);  // of an iteration that the start has made
  if (stopped_) return fetch();
  if (queue_.device().on_host()) {
    while (progress_->active() && !stopped_) {
      method_.iterate();
      hear(*progress_, progress_->history);
    }
  } else if constexpr (build::cuda) {
    if (!one_by_one_) run_on_gpu();
    if (one_by_one_) run_one_by_one();  // from the start, or after a capture that failed
  }
  return fetch();
}

void Loop::run_one_by_one() {
  std::vector<double> history;
  for (Progress state = fetch(); state.active() && !stopped_;) {
    method_.iterate();
    state = fetch();
    if (!options_.monitor) continue;
    history.resize(static_cast<std::size_t>(state.history_size));
    const auto first = static_cast<std::size_t>(heard_) + 1, last = static_cast<std::size_t>(state.iterations) + 1;
    if (first < last && last <= history.size())
      copy_bytes(Device::host(), history.data() + first, queue_.device(), state.history + first,
                 (last - first) * sizeof(double));
    hear(state, history.data());
  }
}

void Loop::run_on_gpu() {
  Progress state = fetch();
  watch_.prepare(queue_, options_.monitor ? state.history_size : 0);
  if (!state.active()) return;
  // Even a heavy batch is given to the GPU before the one before it is looked at, as long as that one cannot be the
  // last: none gains so many digits.
  constexpr double far = 1e3;
  for (int slot = 0, waiting = 0; !stopped_;) {
    for (; waiting == 0 || (waiting == 1 && (ahead_ || state.residual > far * state.target)); ++waiting) {
      enqueue_batch((slot + waiting) % 2, state.history);
      if (one_by_one_) return;
    }
    state = watch_.wait(slot);
    slot = 1 - slot, --waiting;
    hear(state, watch_.residuals().data());
    if (!state.active()) return;
  }
}

void Loop::enqueue_batch(int slot, const double* history) {
  if (options_.graph && !tried_graph_) {
    tried_graph_ = true;
    bool captured = true, ran = false;
    try {
      graph_.emplace(
          queue_,
          [&] {  // runs the body once: the first iteration
            method_.iterate();
            ran = true;
          },
          batch_);
    } catch (const Error&) {
      // Something in it cannot be captured, for instance a solver inside the solver. A true error comes again.
      if (comm_.size() > 1 && !ran) throw;  // or the other ranks would wait
      captured = false;
    }
    if (!comm_.all(captured)) {  // all ranks, or none
      graph_.reset();
      one_by_one_ = true;
      return;
    }
  } else if (graph_) {
    graph_->replay();
  } else {
    for (int i = 0; i < batch_; ++i) method_.iterate();
  }
  // Three batches may lie between what was heard and the end of this one.
  const std::int64_t size = watch_.residuals().size(), begin = std::min<std::int64_t>(heard_ + 1, size);
  const std::int64_t max_count = std::int64_t{3} * batch_ * method_.iterations + 1;
  watch_.enqueue(queue_, slot, progress_, {history + begin, begin, std::min(size - begin, max_count)});
}

void Loop::hear(const Progress& state, const double* history) {
  for (; heard_ < state.iterations && options_.monitor && !stopped_; ++heard_) {
    const int iteration = heard_ + 1;
    const double norm = history && iteration < state.history_size ? history[iteration] : state.residual;
    if (!options_.monitor(iteration, norm / state.rhs_norm)) stopped_ = true;
  }
}

}  // namespace millrace::detail
