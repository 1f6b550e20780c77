// The element types of gmsh, and where the nodes of each lie in the reference cell. Inside the library.
#pragma once

#include <string>
#include <vector>

#include "millrace/mesh/shape.hpp"

namespace millrace {

struct GmshType {
  int number = 0;
  int dim = 0;  // 0: a single point, with no cell
  Cell cell = Cell::segment;
  int order = 1;
  bool serendipity = false;  // nodes on vertices and edges only
  int num_nodes = 0;
};

/// Null when this type is not read; why_not then says what it is.
const GmshType* find_gmsh_type(std::int64_t number);
std::string why_not(std::int64_t number);

/// The places of the nodes in gmsh's order: vertices, then inside edges, inside faces, inside the cell, where the nodes
/// inside a face or cell are again ordered as those of a smaller one.
std::vector<Lattice> gmsh_lattice(Cell cell, int order);

}  // namespace millrace
