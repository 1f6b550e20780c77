// The fused kernels of helmholtz on tets.
#include "millrace/fem/tet/launch.cuh"

namespace millrace::cuda {

template void apply_tets_stored<float, fem::Helmholtz<3>, AllElementOrders>(Queue&, const ElementData<float>&,
                                                                            const PointKernel<float>&,
                                                                            const ApplyRequest<float>&);
template void apply_tets_stored<double, fem::Helmholtz<3>, AllElementOrders>(Queue&, const ElementData<double>&,
                                                                             const PointKernel<double>&,
                                                                             const ApplyRequest<double>&);

}  // namespace millrace::cuda
