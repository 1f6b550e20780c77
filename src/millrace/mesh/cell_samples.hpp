// Cells and fields as plain arrays of values at the nodes of cells: what solvers hand to those who write files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/base/scalar.hpp"
#include "millrace/mesh/shape.hpp"

namespace millrace {

/// Cells and fields at their nodes. A cell of order k has its nodes, for place and fields alike, at the equispaced
/// lattice of order k, numbered as shape.hpp says. Where fields jump between cells, cells have points of their own.
struct CellSamples {
  /// Cells of one kind and order.
  struct Block {
    Cell cell = Cell::segment;
    int order = 1;
    std::vector<Index> nodes;  // [num_cells, num_nodes(cell, order)]: numbers of points
  };
  /// Values of one name.
  struct Field {
    std::string name;
    int comps = 1;
    bool vector = false;         // a direction in the plane or in space
    std::vector<double> values;  // [num_points or num_cells, comps]
  };

  int dim = 0;
  std::vector<double> points;        // [num_points, dim]
  std::vector<Block> blocks;         // in the order of the mesh's
  std::vector<Field> fields;         // at points
  std::vector<Field> cell_fields;    // one value a cell, over the blocks in order
  std::vector<std::int32_t> groups;  // [num_cells]: physical groups; or empty
};

}  // namespace millrace
