// Coordinates and CSR on a GPU.
#include "millrace/sparse/convert/coo.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

template <class T>
Csr<T> to_csr(Queue& queue, const Coo<T>& a, bool add_up) {
  DeviceSteps steps(queue);
  return convert::to_csr(steps, a, add_up);
}

template <class T>
Csr<T> sort_rows(Queue& queue, const Csr<T>& a) {
  DeviceSteps steps(queue);
  return convert::sort_rows(steps, a);
}

template <class T>
void check_entries(Queue& queue, const Coo<T>& a) {
  DeviceSteps steps(queue);
  convert::check_entries(steps, a);
}

template <class T>
bool is_sorted_by_row(Queue& queue, const Coo<T>& a) {
  DeviceSteps steps(queue);
  return convert::is_sorted_by_row(steps, a);
}

#define MILLRACE_INSTANTIATE(T)                          \
  template Csr<T> to_csr(Queue&, const Coo<T>&, bool);   \
  template Csr<T> sort_rows(Queue&, const Csr<T>&);      \
  template void check_entries(Queue&, const Coo<T>&);    \
  template bool is_sorted_by_row(Queue&, const Coo<T>&); \
  template Coo<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
