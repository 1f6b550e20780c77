// The fused kernels of mass.
#include "millrace/fem/hex/launch.cuh"

namespace millrace::cuda {

template void apply_elements<float, fem::Mass<3>>(Queue&, const ElementData<float>&, const PointKernel<float>&,
                                                  const ApplyRequest<float>&);
template void apply_elements<double, fem::Mass<3>>(Queue&, const ElementData<double>&, const PointKernel<double>&,
                                                   const ApplyRequest<double>&);

}  // namespace millrace::cuda
