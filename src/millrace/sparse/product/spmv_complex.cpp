// Products of complex matrices.
#include "millrace/sparse/product/apply.hpp"

namespace millrace {

template void spmv(Queue&, const AnyFormat<std::complex<float>>&, const Plans&,
                   const ApplyRequest<std::complex<float>>&);
template void spmv(Queue&, const AnyFormat<std::complex<double>>&, const Plans&,
                   const ApplyRequest<std::complex<double>>&);

}  // namespace millrace
