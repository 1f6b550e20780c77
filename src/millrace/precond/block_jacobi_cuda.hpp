// What block_jacobi_cuda.cu does for block Jacobi; declared in every build, defined in one with CUDA.
#pragma once

#include "millrace/precond/block_jacobi.hpp"

namespace millrace::cuda {

/// Inverts diagonal blocks of up to 32 rows. Returns the first singular one, or num_blocks. Waits for the result.
template <class T>
Index invert_blocks(Queue& queue, const Csr<T>& a, const DiagonalBlocks& blocks, bool singular_as_one,
                    NarrowArray<T>& inverses);

/// y = alpha B x + beta y
template <class T>
void apply_blocks(Queue& queue, const DiagonalBlocks& blocks, const NarrowArray<T>& inverses, Arith<T> alpha,
                  const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y);

}  // namespace millrace::cuda
