// Matrices without a mesh: a power law of row lengths, one full row, uniformly random columns.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// Row lengths follow a Pareto law (tail exponent 8/7) with the wanted mean, at most n/16; columns are skewed
/// so that a few are hot. Diagonal 4, other values in [-1, 1). Parameters: n, mean, seed.
Csr<double> make_powerlaw(const Values& values, const Progress& progress);

/// Row n/2 is full; the others have the diagonal and k - 1 columns drawn within 32 of it. Parameters: n, k, seed.
Csr<double> make_hugerow(const Values& values, const Progress& progress);

/// The diagonal and k - 1 columns drawn from all. Parameters: n, k, seed.
Csr<double> make_random(const Values& values, const Progress& progress);

}  // namespace millrace::gallery
