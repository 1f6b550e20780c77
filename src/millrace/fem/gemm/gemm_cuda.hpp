// Products of a table with many columns on a GPU: by cuBLAS or by our own kernel, at once or in a batch.
#pragma once

#include "millrace/base/queue.hpp"
#include "millrace/fem/basis_actions.hpp"
#include "millrace/fem/gemm/choice.hpp"

namespace millrace::cuda {

/// Whether this build has cuBLAS.
bool has_gemm_library();

/// C = A B or C += A B, all of it on the GPU: A [m, k], transposed [k, m], B [n, k], C [n, m], the last index fastest.
template <class T>
void multiply_table(Queue& queue, const GemmShape& shape, GemmVariant variant, const T* table, const T* in, T* out,
                    Write write = Write::set);
/// By the variant that the table of this process has for the shape.
template <class T>
void multiply_table(Queue& queue, const GemmShape& shape, const T* table, const T* in, T* out,
                    Write write = Write::set);
/// The same by a loop, one thread per entry: what the others are compared with.
template <class T>
void multiply_table_plainly(Queue& queue, const GemmShape& shape, const T* table, const T* in, T* out,
                            Write write = Write::set);

/// The largest |a[i] - b[i]|; infinity where either is no number.
template <class T>
double max_difference(Queue& queue, std::int64_t size, const T* a, const T* b);

// The parts of multiply_table, each in a file of its own.
template <class T>
void multiply_by_own_kernel(Queue& queue, const GemmShape& shape, int eta, const T* table, const T* in, T* out,
                            Write write);
template <class T>
void multiply_by_library(Queue& queue, const GemmShape& shape, int eta, const T* table, const T* in, T* out,
                         Write write);

}  // namespace millrace::cuda
