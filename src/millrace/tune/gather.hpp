// The gather ceiling: all entries of a matrix streamed in CSR order, each with the x of its column, and nothing else.
// No rows and no y: a product that stores 4-byte columns and full values and reads x through L2 cannot be faster than
// this on a GPU. One that keeps entries of x in shared memory can.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// Entries that go into one sum.
inline constexpr std::int64_t gather_tile = 2048;

/// Sums that gathering that many entries leaves.
inline std::int64_t num_gather_sums(std::int64_t num_entries) { return (num_entries + gather_tile - 1) / gather_tile; }

/// Enqueues: sums[i] = the sum of value * x[column] over the entries i * gather_tile and following.
/// x has an entry per column, sums has num_gather_sums(entries); matrix, x and sums live on the queue's device. On the
/// host this is the plain loop that the GPU's is tested against, not a ceiling.
template <class T>
void gather(Queue& queue, const Csr<T>& a, Vectors<const T> x, DeviceSpan<T> sums);

}  // namespace millrace
