// An order of cells and points that keeps neighbours close in memory.
#pragma once

#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// In which order cells are numbered.
enum class CellOrder {
  hilbert,  // along a Hilbert curve through the centres of the cells (Skilling 2004)
  rcm,      // reverse Cuthill-McKee (George 1971) of cells that share a face
};

/// New to old: cell i of the block in its new order is cell p[i] of the old one.
std::vector<Index> make_cell_order(const Mesh& mesh, const CellBlock& block, CellOrder order);

/// Puts the cells of every block in that order and numbers the points as the cells use them, block after block;
/// boundary faces are sorted by their first point. Points that no cell uses come last.
void reorder(Mesh& mesh, CellOrder order = CellOrder::hilbert);

}  // namespace millrace
