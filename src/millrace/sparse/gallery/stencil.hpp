// Stencils on a box of grid points: with variable coefficients (poisson), and Laplace's with Dirichlet boundaries.
#pragma once

#include <vector>

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

struct Stencil {
  int dimension;  // 2 or 3
  bool corners;   // all 8 or 26 neighbours, or only those along the axes
};

struct StencilStep {
  int x, y, z;
  bool stays() const { return x == 0 && y == 0 && z == 0; }
};

struct GridPoint {
  std::int64_t x, y, z;
};

/// The box of the parameters n, nx, ny, nz (0: as n), and the steps to the neighbours in the order of their columns.
class StencilGrid {
 public:
  StencilGrid(const Values& values, Stencil stencil);

  Index num_rows() const { return num_rows_; }
  const std::vector<StencilStep>& steps() const { return steps_; }
  const GridPoint& sides() const { return sides_; }
  GridPoint point(Index row) const { return {row % sides_.x, row / sides_.x % sides_.y, row / sides_.x / sides_.y}; }
  bool is_inside(const GridPoint& p, StencilStep step) const {
    return p.x + step.x >= 0 && p.x + step.x < sides_.x && p.y + step.y >= 0 && p.y + step.y < sides_.y &&
           p.z + step.z >= 0 && p.z + step.z < sides_.z;
  }
  std::int64_t column(Index row, StencilStep step) const {
    return row + step.x + sides_.x * (step.y + sides_.y * step.z);
  }
  std::int64_t row_length(Index row) const;

 private:
  GridPoint sides_;
  Index num_rows_;
  std::vector<StencilStep> steps_{};
};

/// Neighbours couple by -(1 + u/4) with u random in [0, 1) and the same in both directions; the diagonal is
/// the sum of their sizes plus 0.01. So the matrix is symmetric, diagonally dominant and an M-matrix: a Neumann problem
/// plus 0.01, which is equally easy at all sizes. Parameters: n, nx, ny, nz, seed.
Csr<double> make_stencil(const Values& values, const Progress& progress, Stencil stencil);

/// -div(k grad u) with u = 0 on the boundary: neighbours couple by -k, and the diagonal is the sum over all neighbours,
/// those beyond the boundary, too. Where nothing is said k = 1 and the eigenvalues are known. `contrast` makes k = it
/// in every other block of a checkerboard of 8 blocks along each side, and harmonic means in between; `anisotropy`
/// multiplies the couplings along the last direction. Symmetric positive definite; the condition grows as n^2.
/// Parameters: n, nx, ny, nz, contrast, anisotropy.
Csr<double> make_laplace(const Values& values, const Progress& progress, Stencil stencil);

}  // namespace millrace::gallery
