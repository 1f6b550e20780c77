// How much of a kernel runs at once: for grids that stay resident and share their work out themselves.
#pragma once

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

inline int num_units(Device device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device.number()), "cudaDeviceGetAttribute");
  return count;
}

/// Thread blocks of a kernel that the whole device holds at once.
template <class Kernel>
int num_resident(Device device, Kernel* kernel, int threads, std::size_t shared_bytes) {
  int count = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return count * num_units(device);
}

/// More shared memory than a kernel has unasked.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  if (bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
}

}  // namespace millrace::cuda
