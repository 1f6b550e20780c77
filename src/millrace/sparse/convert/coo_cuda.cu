// Coordinates and CSR on a GPU.
#include "millrace/sparse/convert/coo.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

template <class T>
Csr<T> to_csr(const Coo<T>& a, bool add_up) {
  return on_stage(a.device(), [&](DeviceStage& stage) { return convert::to_csr(stage, a, add_up); });
}

template <class T>
Csr<T> sort_rows(const Csr<T>& a) {
  return on_stage(a.device(), [&](DeviceStage& stage) { return convert::sort_rows(stage, a); });
}

template <class T>
bool is_sorted_by_row(const Coo<T>& a) {
  return on_stage(a.device(), [&](DeviceStage& stage) { return convert::is_sorted_by_row(stage, a); });
}

#define MILLRACE_INSTANTIATE(T)                               \
  template Csr<T> to_csr(const Coo<T>&, bool);                \
  template Csr<T> sort_rows(const Csr<T>&);                   \
  template bool is_sorted_by_row(const Coo<T>&);              \
  template Coo<T> from_csr(const Csr<T>&, const FormatSpec&); \
  template Csr<T> from_csr(const Csr<T>&, const FormatSpec&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
