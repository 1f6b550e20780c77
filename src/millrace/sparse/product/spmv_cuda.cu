// Real products on a GPU.
#include "millrace/sparse/product/spmv_cuda.cuh"

namespace millrace::cuda {

template void spmv(Queue&, const AnyFormat<float>&, const Plans&, const ApplyRequest<float>&);
template void spmv(Queue&, const AnyFormat<double>&, const Plans&, const ApplyRequest<double>&);

}  // namespace millrace::cuda
