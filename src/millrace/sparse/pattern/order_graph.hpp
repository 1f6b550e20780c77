// The graph of a square matrix, and the orderings that need nothing else: rows are nodes, and an entry (i, j)
// joins i and j whichever of the two holds it.
#pragma once

#include <numeric>
#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// The pattern of A + A^T without its diagonal.
struct RowGraph {
  Array<Offset> begin{0};   // [num_nodes + 1]
  Array<Index> neighbours;  // [begin of the end], of every node ascending and each once

  Index num_nodes() const { return static_cast<Index>(begin.size() - 1); }
  Offset num_neighbours() const { return neighbours.size(); }  // twice the number of edges
  Index degree(Index node) const { return static_cast<Index>(begin.data()[node + 1] - begin.data()[node]); }
  std::span<const Index> of(Index node) const {
    return {neighbours.data() + begin.data()[node], static_cast<std::size_t>(degree(node))};
  }
};
template <class T>
RowGraph make_graph(const Csr<T>& a);

inline std::vector<Index> natural_order(Index num_nodes) {
  std::vector<Index> order(static_cast<std::size_t>(num_nodes));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

/// Orders of the nodes, new to old. Unsupported where the build lacks the library behind it.
std::vector<Index> order_rcm(const RowGraph& graph);
std::vector<Index> order_metis(const RowGraph& graph);
template <class T>
std::vector<Index> order_amd(const Csr<T>& a);  // makes its own graph

}  // namespace millrace
