// Where a plane cuts one cell: the reference cell is split into small tets, and those are cut one by one.
#pragma once

#include <array>
#include <vector>

#include "millrace/mesh/patches/cell_map.hpp"

namespace millrace::detail {

/// A piece of a line.
struct Segment {
  Place from, to;
};

struct CellCut {
  std::vector<Patch> patches;
  std::array<std::vector<Segment>, 6> on_faces;  // [local face]: where the plane cuts it
};

/// What all cells of a cut share.
struct CutRules {
  Plane plane;
  double zero;        // distances up to this are 0
  double exact;       // corners of patches are this near to the plane
  double least_area;  // patches with a smaller double area are left out
  double tolerance;   // of places
  int least, most;    // subdivisions
};

/// Adds the patches of a cell and its face lines. A lattice point with distance 0 counts as above the plane, so that of
/// two cells with a face in the plane the lower one is cut.
void cut_cell(const BlockMap& map, Index cell, const CutRules& rules, CellCut& result);

/// Whether the whole cell lies on one side, from distances of its nodes; may say no although it does.
bool misses(Cell cell, int order, const std::vector<double>& distances);

}  // namespace millrace::detail
