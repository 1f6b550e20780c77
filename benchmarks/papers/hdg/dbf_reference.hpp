// The product of the dense block format as its paper writes it (Roca, Nguyen, Peraire 2011, Algorithm 1): inflate x
// through the table of neighbours, then contract. Plain loops, for tests and for the benchmark of the paper; on a GPU
// its Algorithm 2, one thread per value.
#pragma once

#include "millrace/sparse/format/dbf.hpp"

namespace millrace {

/// X[f, q] = x[neighbour(f, q / m) m + q % m] for every stored block row f, 0 where a block is padding.
/// X: [num_block_rows, width m], q fastest. Host only.
template <class T>
void inflate(const Dbf<T>& a, std::span<const T> x, std::span<T> inflated, int num_threads = 1);

/// y[f, i] = sum over q of A[f, q, i] X[f, q], padded blocks included; y: [num_rows] in the order of the matrix.
/// Host only.
template <class T>
void contract(const Dbf<T>& a, std::span<const T> inflated, std::span<T> y, int num_threads = 1);

namespace cuda {

/// The same on a GPU, for float and double, in the order of the queue and without memory of its own. Block rows must
/// not be kept apart.
template <class T>
void inflate(Queue& queue, const Dbf<T>& a, DeviceSpan<const T> x, DeviceSpan<T> inflated);

/// Needs the paper's A[m, r, q]: all block rows in one group.
template <class T>
void contract(Queue& queue, const Dbf<T>& a, DeviceSpan<const T> inflated, DeviceSpan<T> y);

}  // namespace cuda
}  // namespace millrace
