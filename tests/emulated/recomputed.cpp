// The kernels of hexes with recomputed factors, for the emulator.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::emulated {

#define MILLRACE_INSTANTIATE(curved, Physics)                                      \
  template void apply_hexes_recomputed<curved, double, Physics, AllElementOrders>( \
      Queue&, const ElementData<double>&, const PointKernel<double>&, const ApplyRequest<double>&)
MILLRACE_INSTANTIATE(false, fem::Mass<3>);
MILLRACE_INSTANTIATE(true, fem::Mass<3>);
MILLRACE_INSTANTIATE(false, fem::Diffusion<3>);
MILLRACE_INSTANTIATE(true, fem::Diffusion<3>);

}  // namespace millrace::emulated
