// The fused kernels of diffusion on curved hexes with recomputed factors.
#include "millrace/fem/hex_recomputed_cuda.cuh"

namespace millrace::cuda {

template void apply_recomputed<true>(Queue&, const ElementData<float>&, const fem::Diffusion<3>&, const Apply<float>&);
template void apply_recomputed<true>(Queue&, const ElementData<double>&, const fem::Diffusion<3>&,
                                     const Apply<double>&);

}  // namespace millrace::cuda
