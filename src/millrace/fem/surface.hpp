// Nodes on the surface of an element, which neighbours share: their numbers there, and for sums in a fixed order which
// elements add to each. A GPU leaves the share of an element in a slot of its own and adds the slots afterwards.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/element_data.hpp"
#include "millrace/fem/surface_number.hpp"

namespace millrace {

struct SurfaceNodes {
  int num = 0;                // on the surface
  std::vector<Index> number;  // [nodes of an element]: number on the surface, -1 inside
};

/// Of a hex (order 1 to 8, numbers as in surface_number) or a tet (any order, numbers ascend with the nodes).
SurfaceNodes surface_nodes(Cell cell, int order);

/// All nodes on the surface of elements, ascending, without the constrained ones, and where their shares lie: slot
/// e * surface.num + number of element e. offsets [num_elem, nodes]: negative where constrained.
SharedNodes find_shared(std::span<const Index> offsets, Index num_elem, const SurfaceNodes& surface, Index num_nodes);

}  // namespace millrace
