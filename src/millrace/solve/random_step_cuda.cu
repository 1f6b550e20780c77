// Random vectors on a GPU.
#include "millrace/solve/random_step.hpp"
#include "millrace/solve/sweep.cuh"

namespace millrace::cuda {

template void sweep(Queue&, std::int64_t, const RandomStep<float>&);
template void sweep(Queue&, std::int64_t, const RandomStep<double>&);
template void sweep(Queue&, std::int64_t, const RandomStep<Complex<float>>&);
template void sweep(Queue&, std::int64_t, const RandomStep<Complex<double>>&);

}  // namespace millrace::cuda
