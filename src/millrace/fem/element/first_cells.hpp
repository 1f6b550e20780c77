// Which cell gives a node its value, where several have it.
#pragma once

#include <vector>

#include "millrace/fem/space.hpp"

namespace millrace {

/// The first cell that has each node, counted over all blocks. [num_nodes]
std::vector<Index> first_cells(const Space& space);

}  // namespace millrace
