// The fused kernels of helmholtz on hexes with straight edges and recomputed factors.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::cuda {

template void apply_recomputed<false>(Queue&, const ElementData<float>&, const fem::Helmholtz<3>&,
                                      const ApplyRequest<float>&);
template void apply_recomputed<false>(Queue&, const ElementData<double>&, const fem::Helmholtz<3>&,
                                      const ApplyRequest<double>&);

}  // namespace millrace::cuda
