// The fused kernels of mass on hexes with straight edges and recomputed factors.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::cuda {

template void apply_recomputed<false>(Queue&, const ElementData<float>&, const fem::Mass<3>&,
                                      const ApplyRequest<float>&);
template void apply_recomputed<false>(Queue&, const ElementData<double>&, const fem::Mass<3>&,
                                      const ApplyRequest<double>&);

}  // namespace millrace::cuda
