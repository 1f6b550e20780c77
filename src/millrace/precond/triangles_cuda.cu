// Triangular solutions on a GPU for real vectors.
#include "millrace/precond/triangles_cuda.cuh"

namespace millrace::cuda {

#define MILLRACE_INSTANTIATE(T)                                                                      \
  template void solve_triangles(Queue&, const FactorPattern&, const NarrowArray<T>&, Arith<T>,       \
                                const Vectors<const Arith<T>>&, Arith<T>, const Vectors<Arith<T>>&); \
  template void sweep_triangles(Queue&, const FactorPattern&, const NarrowArray<T>&, int, Arith<T>,  \
                                const Vectors<const Arith<T>>&, Arith<T>, const Vectors<Arith<T>>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
