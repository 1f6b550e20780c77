// The steps of MINRES on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/minres_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const LanczosStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosStep<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosGamma<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosGamma<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosGamma<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosGamma<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const MinresUpdate<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const MinresUpdate<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const MinresUpdate<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const MinresUpdate<Complex<double>>&);

}  // namespace millrace::cuda
