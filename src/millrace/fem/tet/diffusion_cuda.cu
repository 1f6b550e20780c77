// The fused kernels of diffusion on tets.
#include "millrace/fem/tet/launch.cuh"

namespace millrace::cuda {

template void apply_tets(Queue&, const ElementData<float>&, const fem::Diffusion<3>&, float, const float*, float,
                         float*);
template void apply_tets(Queue&, const ElementData<double>&, const fem::Diffusion<3>&, double, const double*, double,
                         double*);

}  // namespace millrace::cuda
