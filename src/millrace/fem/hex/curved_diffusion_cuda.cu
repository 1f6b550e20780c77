// The fused kernels of diffusion on curved hexes, with recomputed factors.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::cuda {

template void apply_hexes_recomputed<true, float, fem::Diffusion<3>, AllElementOrders>(Queue&,
                                                                                       const ElementData<float>&,
                                                                                       const PointKernel<float>&,
                                                                                       const ApplyRequest<float>&);
template void apply_hexes_recomputed<true, double, fem::Diffusion<3>, AllElementOrders>(Queue&,
                                                                                        const ElementData<double>&,
                                                                                        const PointKernel<double>&,
                                                                                        const ApplyRequest<double>&);

}  // namespace millrace::cuda
