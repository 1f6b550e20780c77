// A random renumbering of rows and columns alike: P A P^T.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// Old number of every new row, [n]; every permutation is equally likely (Fisher and Yates).
Array<Index> random_permutation(Index n, std::uint64_t seed);

/// B with B[i, j] = A[old_of[i], old_of[j]], columns ascending.
Csr<double> permute_symmetrically(const Csr<double>& a, std::span<const Index> old_of, const Values& values,
                                  const Progress& progress = {});

}  // namespace millrace::gallery
