// Complex products on a GPU.
#include "millrace/sparse/product/spmv_cuda.cuh"

namespace millrace::cuda {

using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;
template void spmv(Queue&, const AnyFormat<ComplexFloat>&, const Plans&, const ApplyRequest<ComplexFloat>&);
template void spmv(Queue&, const AnyFormat<ComplexDouble>&, const Plans&, const ApplyRequest<ComplexDouble>&);
template void update_values(Queue&, AnyFormat<ComplexFloat>&, const Csr<ComplexFloat>&);
template void update_values(Queue&, AnyFormat<ComplexDouble>&, const Csr<ComplexDouble>&);

}  // namespace millrace::cuda
