// Nested dissection, by METIS. It counts in integers of one width, 4 or 8 bytes as it was built.
#include <array>
#include <limits>

#include "millrace/sparse/pattern/order_graph.hpp"

#if MILLRACE_WITH_METIS
#include <metis.h>
#endif

namespace millrace {

std::vector<Index> order_metis([[maybe_unused]] const RowGraph& graph) {
#if MILLRACE_WITH_METIS
  static_assert(sizeof(idx_t) * 8 == IDXTYPEWIDTH);
  require<Unsupported>(graph.num_neighbours() <= std::numeric_limits<idx_t>::max(), "metis: the graph of A + A^T has ",
                       graph.num_neighbours(), " directed edges; this METIS counts in ", IDXTYPEWIDTH, " bits, up to ",
                       std::numeric_limits<idx_t>::max());
  if (graph.num_neighbours() == 0) return natural_order(graph.num_nodes());  // METIS expects edges
  idx_t num_nodes = graph.num_nodes();
  std::vector<idx_t> begin(graph.begin.data(), graph.begin.data() + graph.begin.size());
  std::vector<idx_t> neighbours(graph.neighbours.data(), graph.neighbours.data() + graph.neighbours.size());
  std::vector<idx_t> order(static_cast<std::size_t>(num_nodes)), place(order.size());  // new to old, old to new
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  const int status =
      METIS_NodeND(&num_nodes, begin.data(), neighbours.data(), nullptr, options.data(), order.data(), place.data());
  require(status != METIS_ERROR_MEMORY, "metis: no memory for a graph of ", graph.num_nodes(), " nodes and ",
          graph.num_neighbours(), " directed edges");
  require(status == METIS_OK, "metis: METIS_NodeND failed with status ", status);
  return {order.begin(), order.end()};
#else
  throw Unsupported("ordering 'metis' was asked for, but this build has no METIS");
#endif
}

}  // namespace millrace
