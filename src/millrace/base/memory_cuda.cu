// Memory of a GPU: plain, pinned on the host, and from the stream-ordered pool; and copies.
#include <cstdint>

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

void* allocate(Device device, std::size_t bytes) {
  const DeviceGuard guard(device);
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    throw CudaError(join("memory: ", bytes, " bytes were asked for on ", to_string(device), ", which has ", free,
                         " of ", total, " free"));
  }
  check(code, "cudaMalloc");
  return data;
}

void free(Device, void* data) noexcept { cudaFree(data); }  // waits for the work that uses it

void* allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMallocHost(&data, bytes), "cudaMallocHost");
  return data;
}

void free_pinned(void* data) noexcept { cudaFreeHost(data); }

// The pool keeps what is given back, so that the next request costs nothing.
static void keep_pool(Device device) {
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device.number()), "cudaDeviceGetDefaultMemPool");
  std::uint64_t keep = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
}

void* allocate_in_order(const Stream& stream, std::size_t bytes) {
  const DeviceGuard guard(stream.device);
  keep_pool(stream.device);
  void* data = nullptr;
  check(cudaMallocAsync(&data, bytes, stream.handle), "cudaMallocAsync");
  return data;
}

void free_in_order(const Stream& stream, void* data) noexcept { cudaFreeAsync(data, stream.handle); }

void destroy(Stream& stream) noexcept { cudaStreamDestroy(stream.handle); }

void copy(Device to, void* target, Device from, const void* source, std::size_t bytes) {
  for (const Device device : {from, to}) {  // queues do not order themselves with this copy
    if (device.on_host()) continue;
    const DeviceGuard guard(device);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  check(cudaMemcpy(target, source, bytes, cudaMemcpyDefault), "cudaMemcpy");
  // From pageable memory it returns while the last bytes are still on their way, and queues would not wait for them.
  const DeviceGuard guard(to.on_host() ? from : to);
  check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

void copy_in_order(const Stream& stream, void* target, const void* source, std::size_t bytes) {
  const DeviceGuard guard(stream.device);
  check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream.handle), "cudaMemcpyAsync");
}

void zero_in_order(const Stream& stream, void* data, std::size_t bytes) {
  const DeviceGuard guard(stream.device);
  check(cudaMemsetAsync(data, 0, bytes, stream.handle), "cudaMemsetAsync");
}

CUstream_st* make_stream(Device device) {
  const int count = []() {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
  }();
  cudaGetLastError();
  require<Unsupported>(device.number() < count, "queue: ", to_string(device), " was asked for, but this machine has ",
                       count, " usable GPUs");
  const DeviceGuard guard(device);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

void wait(const Stream& stream) { check(cudaStreamSynchronize(stream.handle), "cudaStreamSynchronize"); }

bool capturing(const Stream& stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream.handle, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace millrace::cuda
