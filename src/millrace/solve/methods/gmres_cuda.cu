// The step of GMRES between two cycles on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/gmres_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const GmresCheck<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const GmresCheck<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const GmresCheck<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const GmresCheck<Complex<double>>&);

}  // namespace millrace::cuda
