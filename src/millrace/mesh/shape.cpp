// Lattices of nodes on cells, edges and faces.
#include "millrace/mesh/shape.hpp"

namespace millrace {

std::vector<Lattice> lattice(Cell cell, int order) {
  std::vector<Lattice> nodes;
  nodes.reserve(static_cast<std::size_t>(num_nodes(cell, order)));
  const bool tensor = is_tensor(cell);
  const int last_j = dim(cell) > 1 ? order : 0, last_k = dim(cell) > 2 ? order : 0;
  for (int k = 0; k <= last_k; ++k)
    for (int j = 0; j <= (tensor ? last_j : last_j - k); ++j)
      for (int i = 0; i <= (tensor ? order : order - j - k); ++i) nodes.push_back({i, j, k});
  return nodes;
}

std::vector<int> vertex_nodes(Cell cell, int order) {
  std::vector<int> nodes;
  for (int v = 0; v < num_vertices(cell); ++v) {
    Lattice at = corner(cell, v);
    for (int& x : at) x *= order;
    nodes.push_back(lattice_index(cell, order, at));
  }
  return nodes;
}

std::vector<int> edge_nodes(Cell cell, int order, int edge) {
  std::vector<int> nodes;
  for (int i = 0; i <= order; ++i)
    nodes.push_back(lattice_index(cell, order, node_on(cell, edge_vertices(cell, edge), order, i)));
  return nodes;
}

std::vector<int> face_nodes(Cell cell, int order, int face) {
  std::vector<int> nodes;
  for (const Lattice& at : lattice(face_cell(cell), order))
    nodes.push_back(lattice_index(cell, order, node_on(cell, face_vertices(cell, face), order, at[0], at[1])));
  return nodes;
}

}  // namespace millrace
