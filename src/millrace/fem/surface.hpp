// Nodes on the surface of an element, which neighbours share: their numbers there, and for sums in a fixed order which
// elements add to each. A GPU leaves the share of an element in a slot of its own and adds the slots afterwards.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/element_data.hpp"

namespace millrace::cuda {

/// Number of a node among those on the surface of a hex with P nodes a direction: the planes k = 0 and P - 1, then the
/// rings between.
template <int P>
MILLRACE_HD constexpr int surface_number(int i, int j, int k) {
  if (k == 0) return i + P * j;
  if (k == P - 1) return P * P + i + P * j;
  const int ring = 2 * P * P + (k - 1) * (4 * P - 4);
  if (j == 0) return ring + i;
  if (j == P - 1) return ring + P + i;
  return ring + 2 * P + (i == 0 ? 0 : P - 2) + j - 1;
}
MILLRACE_HD constexpr int num_surface(int P) { return P * P * P - (P > 2 ? (P - 2) * (P - 2) * (P - 2) : 0); }
MILLRACE_HD constexpr bool on_surface(int P, int i, int j, int k) {
  return i == 0 || i == P - 1 || j == 0 || j == P - 1 || k == 0 || k == P - 1;
}

}  // namespace millrace::cuda

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
