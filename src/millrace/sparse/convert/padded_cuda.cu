// The padded family and the hybrid format on a GPU.
#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/convert/hyb.hpp"

namespace millrace::cuda {

#define MILLRACE_INSTANTIATE(T)                                         \
  template Ell<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&);   \
  template Ellr<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&);  \
  template Sell<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&);  \
  template Rgcsr<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&); \
  template Jds<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&);   \
  template Pjds<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&);  \
  template Hyb<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
