// A number that stands for the pattern of a matrix, so that another pattern is noticed without keeping this one.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// A sum over all offsets and columns of hashes of them and their places: the same for any number of threads.
template <class T>
std::uint64_t pattern_hash(int num_threads, const Csr<T>& a);

}  // namespace millrace::multigrid
