// The faces of cells at the points of a rule: each face through its cell, whose functions have gradients there.
#pragma once

#include "millrace/fem/basis/geometry.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::detail {

/// One local face of the cells of a block.
struct FaceMap {
  Quadrature inside;        // the points of the rule as points of the cell, with its weights
  ElementMap map;           // of the cell there
  Point first{}, second{};  // directions of the face's own coordinates in the reference cell
  double sign = 1;          // of their normal: outwards is 1

  FaceMap(const CellBlock& block, int face, const Quadrature& rule);
  /// The outward normal at a point, as long as the map stretches the face there. j: of the cell.
  Point normal(const Jacobian& j, int dim) const;
};

}  // namespace millrace::detail
