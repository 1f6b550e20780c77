// The steps of conjugate gradients on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/cg_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const CgResidual<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgResidual<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgResidual<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgResidual<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgDirection<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgDirection<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgDirection<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const CgDirection<Complex<double>>&);

}  // namespace millrace::cuda
