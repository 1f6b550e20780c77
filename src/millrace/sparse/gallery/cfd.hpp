// Like a finite-volume flow solver: dense blocks on the 7-point stencil of n^3 cells.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// Nonsymmetric, diagonally dominant. Parameters: n, block, seed.
Csr<double> make_cfd(const Values& values, const Progress& progress);

}  // namespace millrace::gallery
