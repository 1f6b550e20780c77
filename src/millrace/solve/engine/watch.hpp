// Watch: how the host follows a solver on a GPU without stopping it. Copies of the solver's state come after the work
// that the queue has, into one of two slots of pinned memory; the host reads one while the next batch of work runs.
#pragma once

#include <memory>

#include "millrace/base/array.hpp"

struct CUevent_st;  // what a cudaEvent_t points to

namespace millrace::cuda {
std::shared_ptr<CUevent_st> make_event(Device device);
void record(CUevent_st* event, const Stream& stream);
void wait(CUevent_st* event);
}  // namespace millrace::cuda

namespace millrace::detail {

/// Residuals of the recurrence that a copy brings along for the monitor.
struct ResidualCopy {
  const double* from = nullptr;  // on the GPU
  std::int64_t to = 0;           // the first place in Watch::residuals
  std::int64_t count = 0;
};

template <class State>
class Watch {
 public:
  /// Allocates once; later calls do nothing. `num_residuals`: room for what the monitor is told, 0 without one.
  void prepare(Queue& queue, std::int64_t num_residuals) {
    if constexpr (build::cuda) {
      if (!copies_.empty()) return;
      copies_ = Array<State>(Device::host(), 2, Memory::pinned);
      residuals_ = Array<double>(Device::host(), num_residuals, Memory::pinned);
      for (auto& event : events_) event = cuda::make_event(queue.device());
    }
  }
  /// A copy of the state as the work before it leaves it, into that slot.
  void enqueue(Queue& queue, int slot, const State* state, const ResidualCopy& copy = {}) {
    if constexpr (build::cuda) {
      copy_bytes(queue, Device::host(), copies_.data() + slot, queue.device(), state, sizeof(State));
      if (copy.count > 0)
        copy_bytes(queue, Device::host(), residuals_.data() + copy.to, queue.device(), copy.from,
                   static_cast<std::size_t>(copy.count) * sizeof(double));
      cuda::record(events_[slot].get(), *queue.shared_stream());
    }
  }
  /// Waits for the copy in that slot.
  const State& wait(int slot) {
    if constexpr (build::cuda) cuda::wait(events_[slot].get());
    return copies_.data()[slot];
  }
  const Array<double>& residuals() const { return residuals_; }

 private:
  Array<State> copies_{};  // [2] pinned
  Array<double> residuals_{};
  std::shared_ptr<CUevent_st> events_[2];
};

}  // namespace millrace::detail
