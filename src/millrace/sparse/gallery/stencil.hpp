// Stencils on a box of grid points with variable coefficients.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

struct Stencil {
  int dimension;  // 2 or 3
  bool corners;   // all 8 or 26 neighbours, or only those along the axes
};

/// Neighbours couple by -(1 + u/4) with u random in [0, 1) and the same in both directions; the diagonal is
/// the sum of their sizes plus 0.01. So the matrix is symmetric, diagonally dominant and an M-matrix.
/// Parameters: n, nx, ny, nz (0: as n), seed.
Csr<double> make_stencil(const Values& values, const Progress& progress, Stencil stencil);

}  // namespace millrace::gallery
