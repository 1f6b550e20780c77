// Dense blocks and diagonals on a GPU.
#include "millrace/sparse/convert/dbf.hpp"
#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/convert/dia.hpp"

namespace millrace::cuda {

#define MILLRACE_INSTANTIATE(T)                                       \
  template Bsr<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&); \
  template Dbf<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&); \
  template Dia<T> from_csr(Queue&, const Csr<T>&, const FormatSpec&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
