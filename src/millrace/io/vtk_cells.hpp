// Cells as VTK numbers them: its types, its order of the nodes of a cell, and a cell of any order cut into linear ones.
#pragma once

#include <vector>

#include "millrace/mesh/shape.hpp"

namespace millrace {

/// The highest order of VTK's Lagrange cells.
inline constexpr int max_vtk_order = 10;

/// VTK's number of a kind of cell: the linear types (VTK_LINE, ...) for order 1, VTK_LAGRANGE_CURVE and so on above.
int vtk_cell_type(Cell cell, int order);

/// VTK's order of the nodes: entry i is the lattice index (shape.hpp) of VTK's node i. [num_nodes(cell, order)]
/// Corners, inside edges, inside faces, inside; triangles and tets repeat this for the lattice that is left inside.
/// Hexes as VTK numbers them since its version 9, in files of version 2.1 or later.
std::vector<int> vtk_nodes(Cell cell, int order);

/// The cell of an order cut into order^dim linear cells of its own kind between neighbouring nodes: lattice indices in
/// VTK's order of their corners. [order^dim, num_vertices(cell)] Volumes of all pieces have one sign, and pieces of
/// neighbouring cells match.
std::vector<int> linear_pieces(Cell cell, int order);

}  // namespace millrace
