// The steps of iterative refinement on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/refine_steps.hpp"

namespace millrace::cuda {

template void sweep(Queue&, std::int64_t, const ToNarrow<double>&);
template void sweep(Queue&, std::int64_t, const ToNarrow<Complex<double>>&);
template void sweep(Queue&, std::int64_t, const FromNarrow<double>&);
template void sweep(Queue&, std::int64_t, const FromNarrow<Complex<double>>&);
template void sweep(Queue&, std::int64_t, const RefineAdvance&);

}  // namespace millrace::cuda
