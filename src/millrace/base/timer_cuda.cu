// Timing by CUDA events, emptying the caches of a GPU, and work captured into a graph.
#include <functional>
#include <memory>

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {
namespace {

struct Event {
  cudaEvent_t handle = nullptr;
  Event() { check(cudaEventCreate(&handle), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(handle); }
};

// Mapping  grid-stride over 16-byte words.
// Traffic  reads the buffer once; it stays clean in the cache, so nothing is written back later.
// Result   none: the sum is stored only if it equals a value that it does not take.
__global__ void __launch_bounds__(256) read_all(const uint4* data, std::int64_t count, unsigned* sink) {
  unsigned sum = 0;
  for (std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x; i < count; i += gridDim.x * std::int64_t{256}) {
    const uint4 word = data[i];
    sum += word.x ^ word.y ^ word.z ^ word.w;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
}

}  // namespace

double time_once(const Stream& stream, const std::function<void()>& work) {
  const DeviceGuard guard(stream.device);
  const Event begin, end;
  check(cudaEventRecord(begin.handle, stream.handle), "cudaEventRecord");
  work();
  check(cudaEventRecord(end.handle, stream.handle), "cudaEventRecord");
  check(cudaEventSynchronize(end.handle), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.handle, end.handle), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

void flush_caches(const Stream& stream, void* memory, std::size_t bytes) {
  const DeviceGuard guard(stream.device);
  const auto count = static_cast<std::int64_t>(bytes / sizeof(uint4)) - 1;
  read_all<<<1024, 256, 0, stream.handle>>>(static_cast<const uint4*>(memory) + 1, count,
                                            static_cast<unsigned*>(memory));
  check_launch("read_all", stream.handle);
}

std::shared_ptr<CUgraphExec_st> capture(const Stream& stream, const std::function<void()>& work, int times) {
  const DeviceGuard guard(stream.device);
  cudaGraph_t captured = nullptr;
  // Calls that a replay would not repeat, such as allocations, are refused in this thread.
  check(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  try {
    for (int i = 0; i < times; ++i) work();
  } catch (...) {
    cudaStreamEndCapture(stream.handle, &captured);
    if (captured) cudaGraphDestroy(captured);
    cudaGetLastError();  // the work's own error is the one to tell
    throw;
  }
  check(cudaStreamEndCapture(stream.handle, &captured), "cudaStreamEndCapture");
  const std::unique_ptr<CUgraph_st, decltype([](cudaGraph_t graph) { cudaGraphDestroy(graph); })> owned(captured);
  cudaGraphExec_t graph = nullptr;
  check(cudaGraphInstantiate(&graph, captured, 0), "cudaGraphInstantiate");
  return {graph, [](cudaGraphExec_t old) { cudaGraphExecDestroy(old); }};
}

void launch(const Stream& stream, CUgraphExec_st* graph) {
  const DeviceGuard guard(stream.device);
  check(cudaGraphLaunch(graph, stream.handle), "cudaGraphLaunch");
}

}  // namespace millrace::cuda
