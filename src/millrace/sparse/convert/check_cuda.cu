// Checks of a user's CSR arrays on the GPU where they are.
#include "millrace/sparse/convert/check.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

void wait_for_device(Device device) {
  const DeviceGuard guard(device);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void check_rows(Queue& queue, const convert::Rows& a) {
  DeviceSteps steps(queue);
  convert::check_rows(steps, a);
}

}  // namespace millrace::cuda
