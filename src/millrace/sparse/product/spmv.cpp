// Products of real matrices.
#include "millrace/sparse/product/apply.hpp"

namespace millrace {

template void spmv(Queue&, const AnyFormat<float>&, const TransposePlan*, const ApplyRequest<float>&);
template void spmv(Queue&, const AnyFormat<double>&, const TransposePlan*, const ApplyRequest<double>&);

}  // namespace millrace
