// The fused kernels of mass on hexes with stored factors.
#include "millrace/fem/hex/launch.cuh"

namespace millrace::cuda {

template void apply_hexes_stored<float, fem::Mass<3>, AllElementOrders>(Queue&, const ElementData<float>&,
                                                                        const PointKernel<float>&,
                                                                        const ApplyRequest<float>&);
template void apply_hexes_stored<double, fem::Mass<3>, AllElementOrders>(Queue&, const ElementData<double>&,
                                                                         const PointKernel<double>&,
                                                                         const ApplyRequest<double>&);

}  // namespace millrace::cuda
