// What every CUDA file needs: checked calls, checked launches, and the device of a queue made current.
#pragma once

#include <cuda_runtime.h>

#include <source_location>

#include "millrace/base/device.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::cuda {

/// Throws a CudaError that names the call and CUDA's own text.
inline void check(cudaError_t code, const char* call, std::source_location place = std::source_location::current()) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // so that the next check does not find this error again
  throw CudaError(join(call, ": ", cudaGetErrorString(code), " (", cudaGetErrorName(code), ')'), place);
}

/// With MILLRACE_CUDA_SYNC=1 in the environment every launch is waited for, so that an error inside a
/// kernel is reported with the name of that kernel.
bool synchronous();

/// After every launch.
inline void check_launch(const char* kernel, cudaStream_t stream,
                         std::source_location place = std::source_location::current()) {
  check(cudaGetLastError(), kernel, place);
  if (synchronous()) check(cudaStreamSynchronize(stream), kernel, place);
}

/// Makes a device current for a scope; the one that was comes back after it.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != device.number()) check(cudaSetDevice(device.number()), "cudaSetDevice");
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

inline unsigned num_blocks(std::int64_t items, int per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// V neighbours in one load of up to 16 bytes that the caches drop first; data is aligned to it.
template <int V, class A>
__device__ inline void load_once(const A* data, A (&values)[V]) {
  static_assert(V == 1 || std::is_same_v<A, float> || std::is_same_v<A, double>);
  if constexpr (V == 1) {
    if constexpr (is_complex<A>)
      values[0] = *data;
    else
      values[0] = __ldcs(data);
  } else if constexpr (sizeof(A) == 8) {
    const double2 pair = __ldcs(reinterpret_cast<const double2*>(data));
    values[0] = pair.x, values[1] = pair.y;
  } else if constexpr (V == 2) {
    const float2 pair = __ldcs(reinterpret_cast<const float2*>(data));
    values[0] = pair.x, values[1] = pair.y;
  } else {
    const float4 four = __ldcs(reinterpret_cast<const float4*>(data));
    values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
  }
}

/// One number that the caches drop first.
template <class A>
__device__ inline A load_streamed(const A* data) {
  if constexpr (std::is_arithmetic_v<A>)
    return __ldcs(data);
  else
    return *data;
}

/// What another thread block has written during this launch, not what the nearest cache holds.
template <class A>
__device__ inline A load_fresh(const A* data) {
  if constexpr (is_complex<A>)
    return {__ldcg(&data->re), __ldcg(&data->im)};
  else
    return __ldcg(data);
}

template <class A>
__device__ inline A shuffle_down(A value, int offset, int width = 32) {
  if constexpr (is_complex<A>)
    return {__shfl_down_sync(0xffffffffu, value.re, offset, width),
            __shfl_down_sync(0xffffffffu, value.im, offset, width)};
  else
    return __shfl_down_sync(0xffffffffu, value, offset, width);
}
template <class A>
__device__ inline A shuffle_up(A value, int offset) {
  if constexpr (is_complex<A>)
    return {__shfl_up_sync(0xffffffffu, value.re, offset), __shfl_up_sync(0xffffffffu, value.im, offset)};
  else
    return __shfl_up_sync(0xffffffffu, value, offset);
}
template <class A>
__device__ inline A shuffle(A value, int lane) {
  if constexpr (is_complex<A>)
    return {__shfl_sync(0xffffffffu, value.re, lane), __shfl_sync(0xffffffffu, value.im, lane)};
  else
    return __shfl_sync(0xffffffffu, value, lane);
}

}  // namespace millrace::cuda
