// The sweeps of the kernel polynomial method on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/kpm_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const KpmStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KpmStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KpmStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KpmStep<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SignStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SignStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SignStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SignStep<Complex<double>>&);

}  // namespace millrace::cuda
