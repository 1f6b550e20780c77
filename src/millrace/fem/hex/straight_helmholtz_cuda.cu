// The fused kernels of helmholtz on hexes with straight edges, with recomputed factors.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::cuda {

template void apply_hexes_recomputed<false, float, fem::Helmholtz<3>, AllElementOrders>(Queue&,
                                                                                        const ElementData<float>&,
                                                                                        const PointKernel<float>&,
                                                                                        const ApplyRequest<float>&);
template void apply_hexes_recomputed<false, double, fem::Helmholtz<3>, AllElementOrders>(Queue&,
                                                                                         const ElementData<double>&,
                                                                                         const PointKernel<double>&,
                                                                                         const ApplyRequest<double>&);

}  // namespace millrace::cuda
