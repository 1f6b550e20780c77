// The shared steps on a GPU.
#include "millrace/solve/engine/steps.hpp"
#include "millrace/solve/engine/sweep.cuh"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const ResidualStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ResidualStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ResidualStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ResidualStep<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const AddStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const AddStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const AddStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const AddStep<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FillStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FillStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FillStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FillStep<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const RandomStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const RandomStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const RandomStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const RandomStep<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const PermuteStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const PermuteStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const PermuteStep<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const PermuteStep<Complex<double>>&);

}  // namespace millrace::cuda
