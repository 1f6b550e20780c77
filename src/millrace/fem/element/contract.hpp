// The one loop of the host's element operators: a small dense table applied along one direction of a block of numbers,
// for all elements of a batch at once. Interpolation, derivatives and their transposes are all this.
#pragma once

#include "millrace/fem/basis/lanes.hpp"

namespace millrace {

/// out[b, m, a] = sum_n table[n, m] in[b, n, a] for b < before, m < M, a < after; an entry has num_lanes<T> numbers.
/// in and out must not overlap.
template <class T>
using Contract = void (*)(int n, int m, const T* table, const T* in, T* out, int before, int after);

/// The fastest there is: sizes 2..10 that differ by at most one are compiled (with `add` equal sizes only), all others
/// run with sizes as values.
/// `add`: the sum is added to what out holds.
template <class T>
Contract<T> find_contract(int n, int m, bool add);

/// Is this pair of sizes compiled?
bool has_compiled_contract(int n, int m);

}  // namespace millrace
