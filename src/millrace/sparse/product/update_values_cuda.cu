// New values on the same pattern, on a GPU.
#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/product/update_values.hpp"

namespace millrace::cuda {

template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern, Trust trusted) {
  DeviceSteps steps(queue);
  update_format(steps, a, same_pattern, trusted);
}

#define MILLRACE_INSTANTIATE(T) template void update_values(Queue&, AnyFormat<T>&, const Csr<T>&, Trust)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
