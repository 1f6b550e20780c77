// Products of real matrices.
#include "millrace/sparse/product/apply.hpp"

namespace millrace {

template void spmv(Queue&, const AnyFormat<float>&, const Plans&, const ApplyRequest<float>&);
template void spmv(Queue&, const AnyFormat<double>&, const Plans&, const ApplyRequest<double>&);

}  // namespace millrace
