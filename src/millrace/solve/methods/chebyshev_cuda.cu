// The steps of the Chebyshev iteration on a GPU.
#include "millrace/solve/engine/sweep.cuh"
#include "millrace/solve/methods/chebyshev_steps.hpp"

namespace millrace::cuda {

using namespace detail;

template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevStart<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevStart<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevStart<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevStart<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevUpdate<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevUpdate<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevUpdate<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevUpdate<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevDirection<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevDirection<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevDirection<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevDirection<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevResidual<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevResidual<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevResidual<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevResidual<Complex<double>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevTerm<float>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevTerm<double>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevTerm<Complex<float>>&);
template void sweep(Queue&, const Comm&, std::int64_t, const ChebyshevTerm<Complex<double>>&);

}  // namespace millrace::cuda
