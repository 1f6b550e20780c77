// What CUDA knows of its devices.
#include <cstdlib>
#include <string>

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

bool synchronous() {
  static const bool asked = [] {
    const char* value = std::getenv("MILLRACE_CUDA_SYNC");
    return value && value[0] != '\0' && value[0] != '0';
  }();
  return asked;
}

int num_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {  // no driver, or none that fits this build
    cudaGetLastError();
    return 0;
  }
  return count;
}

static int attribute(cudaDeviceAttr which, int number) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, number), "cudaDeviceGetAttribute");
  return value;
}

static std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

DeviceFacts facts(int number) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  DeviceFacts facts;
  facts.name = properties.name;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.cache_bytes = properties.l2CacheSize;
  facts.num_units = properties.multiProcessorCount;
  facts.driver = "CUDA driver " + version(driver) + ", runtime " + version(runtime);
  facts.clock_mhz = attribute(cudaDevAttrClockRate, number) / 1000;
  facts.memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, number) / 1000;
  return facts;
}

}  // namespace millrace::cuda
