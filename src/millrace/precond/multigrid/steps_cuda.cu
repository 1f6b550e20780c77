// Steps of a cycle on a GPU.
#include "millrace/precond/multigrid/steps.hpp"
#include "millrace/solve/engine/sweep.cuh"

namespace millrace::cuda {

using namespace multigrid;

template void sweep(Queue&, const Comm&, std::int64_t, const LanczosStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SmoothStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SubtractStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const LanczosStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SmoothStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const SubtractStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KrylovResidual<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KrylovSolution<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KrylovResidual<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const KrylovSolution<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const InvertStep<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const InvertStep<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ConvertStep<float, float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ConvertStep<float, double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ConvertStep<double, float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ConvertStep<double, double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ConvertDotStep<float, double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const FloatStep&);

}  // namespace millrace::cuda
