// What incomplete factors do on a GPU; declared in every build, defined in one with CUDA. Only factorise waits.
#pragma once

#include "millrace/precond/factorise.hpp"
#include "millrace/precond/narrow_array.hpp"

namespace millrace::cuda {

/// As factor::scatter_values, factor::factorise and the rounding to what is stored, one after another. For block = 1.
template <class T>
factor::Outcome factorise(Queue& queue, const FactorPattern& pattern, const Csr<T>& a, const factor::PivotRule& rule,
                          NarrowArray<T>& factors);

/// y = alpha (L D U)^-1 x + beta y for block = 1: exactly, or by Jacobi sweeps; and for larger blocks.
template <class T>
void solve_triangles(Queue& queue, const FactorPattern& pattern, const NarrowArray<T>& factors, Arith<T> alpha,
                     const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y);
template <class T>
void sweep_triangles(Queue& queue, const FactorPattern& pattern, const NarrowArray<T>& factors, int sweeps,
                     Arith<T> alpha, const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y);
template <class T>
void solve_block_triangles(Queue& queue, const FactorPattern& pattern, const NarrowArray<T>& factors, Arith<T> alpha,
                           const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y);

}  // namespace millrace::cuda
