// One walk over the cells of all blocks.
#include "millrace/fem/element/first_cells.hpp"

#include "millrace/base/to_size.hpp"

namespace millrace {

std::vector<Index> first_cells(const Space& space) {
  std::vector<Index> first(to_size(space.num_nodes), -1);
  Index before = 0;
  for (const SpaceBlock& block : space.blocks) {
    const auto nodes = block.restriction.offsets.span();
    for (std::int64_t k = 0; k < nodes.size(); ++k)
      if (Index& cell = first[to_size(nodes[k])]; cell < 0)
        cell = before + static_cast<Index>(k / block.restriction.nodes);
    before += block.restriction.num_elem;
  }
  return first;
}

}  // namespace millrace
