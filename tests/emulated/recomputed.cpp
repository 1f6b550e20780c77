// The kernels of hexes with recomputed factors, for the emulator.
#include "millrace/fem/hex/recomputed.cuh"

namespace millrace::emulated {

template void apply_recomputed<false>(Queue&, const ElementData<double>&, const fem::Mass<3>&,
                                      const ApplyRequest<double>&);
template void apply_recomputed<true>(Queue&, const ElementData<double>&, const fem::Mass<3>&,
                                     const ApplyRequest<double>&);
template void apply_recomputed<false>(Queue&, const ElementData<double>&, const fem::Diffusion<3>&,
                                      const ApplyRequest<double>&);
template void apply_recomputed<true>(Queue&, const ElementData<double>&, const fem::Diffusion<3>&,
                                     const ApplyRequest<double>&);

}  // namespace millrace::emulated
