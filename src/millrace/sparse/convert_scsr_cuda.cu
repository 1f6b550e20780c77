// Sorted tiles of CSR, made on a GPU.
#include "millrace/sparse/convert_scsr.hpp"
#include "millrace/sparse/convert_stage.cuh"

namespace millrace::cuda {

template Scsr<float> from_csr(const Csr<float>&, const FormatSpec&);
template Scsr<double> from_csr(const Csr<double>&, const FormatSpec&);
template Scsr<std::complex<float>> from_csr(const Csr<std::complex<float>>&, const FormatSpec&);
template Scsr<std::complex<double>> from_csr(const Csr<std::complex<double>>&, const FormatSpec&);

}  // namespace millrace::cuda
