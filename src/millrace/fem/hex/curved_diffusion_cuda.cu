// The fused kernels of diffusion on curved hexes with recomputed factors.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::cuda {

template void apply_recomputed<true>(Queue&, const ElementData<float>&, const fem::Diffusion<3>&,
                                     const ApplyRequest<float>&);
template void apply_recomputed<true>(Queue&, const ElementData<double>&, const fem::Diffusion<3>&,
                                     const ApplyRequest<double>&);

}  // namespace millrace::cuda
