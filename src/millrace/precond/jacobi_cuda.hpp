// What jacobi_cuda.cu does for Jacobi; declared in every build, defined in one with CUDA.
#pragma once

#include "millrace/precond/jacobi.hpp"

namespace millrace::cuda {

/// As on the host: returns the first row whose diagonal is zero, or num_rows. Waits for the result.
template <class T>
Index invert_diagonal(Queue& queue, const Csr<T>& a, bool zero_as_one, NarrowArray<T>& inverse);

/// y = alpha D^-1 x + beta y
template <class T>
void apply_jacobi(Queue& queue, const NarrowArray<T>& inverse, bool conjugated, Arith<T> alpha,
                  const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y);

}  // namespace millrace::cuda
