// What the loop needs of CUDA: events, and ranges for the profilers.
#include <nvtx3/nvToolsExt.h>

#include <memory>

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

std::shared_ptr<CUevent_st> make_event(Device device) {
  const DeviceGuard guard(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return {event, [](cudaEvent_t old) { cudaEventDestroy(old); }};
}

void record(CUevent_st* event, const Stream& stream) {
  const DeviceGuard guard(stream.device);
  check(cudaEventRecord(event, stream.handle), "cudaEventRecord");
}

void wait(CUevent_st* event) { check(cudaEventSynchronize(event), "cudaEventSynchronize"); }

void push_range(const char* name) { nvtxRangePushA(name); }
void pop_range() { nvtxRangePop(); }

}  // namespace millrace::cuda
