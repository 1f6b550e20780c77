// The steps of BiCGStab on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/bicgstab_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabStart<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabStart<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabStart<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabStart<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabProducts<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabProducts<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabProducts<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabProducts<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabHalf<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabHalf<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabHalf<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabHalf<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabUpdate<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabUpdate<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabUpdate<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabUpdate<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabDirection<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabDirection<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabDirection<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabDirection<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabScale<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabScale<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabScale<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const BicgstabScale<Complex<double>>&);

}  // namespace millrace::cuda
