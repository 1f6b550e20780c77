// The fused kernels of mass on tets.
#include "millrace/fem/tet/launch.cuh"

namespace millrace::cuda {

template void apply_tets(Queue&, const ElementData<float>&, const fem::Mass<3>&, float, const float*, float, float*);
template void apply_tets(Queue&, const ElementData<double>&, const fem::Mass<3>&, double, const double*, double,
                         double*);

}  // namespace millrace::cuda
