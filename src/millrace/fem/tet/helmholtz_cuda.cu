// The fused kernels of helmholtz on tets.
#include "millrace/fem/tet/launch.cuh"

namespace millrace::cuda {

template void apply_tets(Queue&, const ElementData<float>&, const fem::Helmholtz<3>&, float, const float*, float,
                         float*);
template void apply_tets(Queue&, const ElementData<double>&, const fem::Helmholtz<3>&, double, const double*, double,
                         double*);

}  // namespace millrace::cuda
