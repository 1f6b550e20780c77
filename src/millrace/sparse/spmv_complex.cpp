// Products of complex matrices.
#include "millrace/sparse/spmv_host.hpp"

namespace millrace {

template void spmv(Queue&, const AnyFormat<std::complex<float>>&, const TransposePlan*,
                   const Apply<std::complex<float>>&);
template void spmv(Queue&, const AnyFormat<std::complex<double>>&, const TransposePlan*,
                   const Apply<std::complex<double>>&);

}  // namespace millrace
