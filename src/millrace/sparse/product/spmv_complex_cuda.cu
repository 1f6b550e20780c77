// Complex products on a GPU.
#include "millrace/sparse/product/spmv_cuda.cuh"

namespace millrace::cuda {

using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;
template void spmv(Queue&, const AnyFormat<ComplexFloat>&, const Plans&, const ApplyRequest<ComplexFloat>&);
template void spmv(Queue&, const AnyFormat<ComplexDouble>&, const Plans&, const ApplyRequest<ComplexDouble>&);

}  // namespace millrace::cuda
