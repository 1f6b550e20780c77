// What kernels of hexahedra and of halos need of CUDA, on the host: threads of a block are fibres (emulator.cpp), one
// running at a time until it waits. Enough to run the kernels lane by lane where there is no GPU, not to time them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n)

struct int2 {
  int x, y;
};
struct float2 {
  float x, y;
};
struct double2 {
  double x, y;
};
struct float4 {
  float x, y, z, w;
};
struct int4 {
  int x, y, z, w;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct CUstream_st;
using cudaStream_t = CUstream_st*;
enum cudaError_t { cudaSuccess = 0 };
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return ""; }
inline const char* cudaGetErrorName(cudaError_t) { return ""; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = -1, cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
enum { cudaDevAttrMultiProcessorCount, cudaFuncAttributeMaxDynamicSharedMemorySize };
inline cudaError_t cudaDeviceGetAttribute(int* value, int, int) { return *value = 1, cudaSuccess; }
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int, std::size_t) {
  return *blocks = 1, cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, int, int) {
  return cudaSuccess;
}

namespace emulator {

inline constexpr std::size_t max_shared_bytes = std::size_t{512} * 1024;
extern dim3 thread_idx, block_idx, block_dim, grid_dim;
extern bool backwards;  // the last thread of a block first: what waits too little gives another result

/// Runs the kernel for every thread; shared memory is full of NaN at first.
void launch(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& kernel);
void wait_for_block();
void wait_for_warp();
/// The value of another lane of the warp.
double exchange(double value, unsigned lane);
/// A bit of each lane of the warp.
unsigned ballot(bool value);

}  // namespace emulator

#define threadIdx (emulator::thread_idx)
#define blockIdx (emulator::block_idx)
#define blockDim (emulator::block_dim)
#define gridDim (emulator::grid_dim)
#define __syncthreads() emulator::wait_for_block()
#define __syncwarp() emulator::wait_for_warp()

using std::fabs;
using std::fma;
using std::llabs;
using std::max;
using std::min;
using std::nan;
template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
T __ldcv(const T* from) {
  return *from;
}
template <class T>
T atomicAdd(T* to, T value) {
  const T old = *to;
  return *to += value, old;
}
template <class T>
T atomicCAS(T* to, T expected, T value) {
  const T old = *to;
  if (old == expected) *to = value;
  return old;
}
template <class T>
T atomicMax(T* to, T value) {
  const T old = *to;
  return *to = std::max(old, value), old;
}
inline unsigned atomicOr(unsigned* to, unsigned bits) {
  const unsigned old = *to;
  return *to |= bits, old;
}
inline unsigned atomicInc(unsigned* to, unsigned last) {
  const unsigned old = *to;
  return *to = old >= last ? 0 : old + 1, old;
}
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float value) { return 1 / std::sqrt(value); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(std::uint64_t{a} * b >> 32); }
inline void __threadfence() {}
inline void __threadfence_system() {}
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline double __shfl_down_sync(unsigned, double value, int offset, int = 32) {
  const unsigned lane = threadIdx.x % 32 + static_cast<unsigned>(offset);
  return emulator::exchange(value, lane < 32 ? lane : threadIdx.x % 32);
}
inline double __shfl_up_sync(unsigned, double value, int offset, int = 32) {
  const unsigned lane = threadIdx.x % 32, by = static_cast<unsigned>(offset);
  return emulator::exchange(value, lane >= by ? lane - by : lane);
}
template <class T>
T __shfl_sync(unsigned, T value, int lane, int width = 32) {
  const int from = static_cast<int>(threadIdx.x % 32) / width * width + lane % width;
  if constexpr (sizeof(T) == 8)  // all bits of whole numbers, too
    return std::bit_cast<T>(emulator::exchange(std::bit_cast<double>(value), static_cast<unsigned>(from)));
  else
    return static_cast<T>(emulator::exchange(static_cast<double>(value), static_cast<unsigned>(from)));
}
template <class T>
T __shfl_xor_sync(unsigned all, T value, int mask, int = 32) {
  return __shfl_sync(all, value, static_cast<int>(threadIdx.x % 32) ^ mask);
}
inline unsigned __ballot_sync(unsigned, bool value) { return emulator::ballot(value); }
inline bool __any_sync(unsigned all, bool value) { return __ballot_sync(all, value) != 0; }
inline bool __all_sync(unsigned all, bool value) { return __ballot_sync(all, !value) == 0; }
/// The lanes of the warp that have the same number.
inline unsigned __match_any_sync(unsigned all, unsigned value) {
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= unsigned{__shfl_sync(all, value, lane) == value} << lane;
  return bits;
}
inline int __popc(unsigned bits) { return std::popcount(bits); }
/// The sum of the products of four signed bytes.
inline int __dp4a(int a, int b, int sum) {
  for (int k = 0; k < 4; ++k) sum += static_cast<std::int8_t>(a >> (8 * k)) * static_cast<std::int8_t>(b >> (8 * k));
  return sum;
}
