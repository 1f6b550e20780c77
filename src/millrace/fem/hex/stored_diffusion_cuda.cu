// The fused kernels of diffusion on hexes with stored factors.
#include "millrace/fem/hex/launch.cuh"

namespace millrace::cuda {

template void apply_hexes_stored<float, fem::Diffusion<3>, AllElementOrders>(Queue&, const ElementData<float>&,
                                                                             const PointKernel<float>&,
                                                                             const ApplyRequest<float>&);
template void apply_hexes_stored<double, fem::Diffusion<3>, AllElementOrders>(Queue&, const ElementData<double>&,
                                                                              const PointKernel<double>&,
                                                                              const ApplyRequest<double>&);

}  // namespace millrace::cuda
