// The steps of iterative refinement on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/refine_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const ToSingle<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ToSingle<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FromSingle<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FromSingle<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const RefineAdvance&);

}  // namespace millrace::cuda
