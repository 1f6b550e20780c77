// Dense blocks and diagonals on a GPU.
#include "millrace/sparse/convert_dbf.hpp"
#include "millrace/sparse/convert_dia.hpp"
#include "millrace/sparse/convert_stage.cuh"

namespace millrace::cuda {

#define MILLRACE_INSTANTIATE(T)                               \
  template Bsr<T> from_csr(const Csr<T>&, const FormatSpec&); \
  template Dbf<T> from_csr(const Csr<T>&, const FormatSpec&); \
  template Dia<T> from_csr(const Csr<T>&, const FormatSpec&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
