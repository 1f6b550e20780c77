// Lists the nodes that elements share, and the elements that share each.
#include "millrace/fem/element/shared_nodes.hpp"

namespace millrace {

LocalSharedNodes shared_nodes_of_tet(int order) {
  LocalSharedNodes local;
  for (int k = 0; k <= order; ++k)
    for (int j = 0; j + k <= order; ++j)
      for (int i = 0; i + j + k <= order; ++i) {
        const bool on = i == 0 || j == 0 || k == 0 || i + j + k == order;
        local.number.push_back(on ? local.num++ : -1);
      }
  return local;
}

SharedNodes find_shared_nodes(std::span<const Index> offsets, Index num_elem, const LocalSharedNodes& local,
                              Index num_nodes) {
  check_contributions(num_elem, local.num);
  const std::size_t nodes = local.number.size();
  return sort_runs(num_nodes, [&](auto&& f) {
    for (Index e = 0; e < num_elem; ++e)
      for (std::size_t n = 0; n < nodes; ++n)
        if (const Index node = offsets[static_cast<std::size_t>(e) * nodes + n]; local.number[n] >= 0 && node >= 0)
          f(1, node, e * local.num + local.number[n]);
  });
}

}  // namespace millrace
