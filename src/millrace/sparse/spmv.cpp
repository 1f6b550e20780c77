// Products of real matrices.
#include "millrace/sparse/spmv_host.hpp"

namespace millrace {

template void spmv(Queue&, const AnyFormat<float>&, const TransposePlan*, const Apply<float>&);
template void spmv(Queue&, const AnyFormat<double>&, const TransposePlan*, const Apply<double>&);

}  // namespace millrace
