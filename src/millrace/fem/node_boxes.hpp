// Finds the boxes of nodes of hexahedra, and what elements share as runs of nodes.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/element_data.hpp"

namespace millrace {

/// [num_elem, 27] of hexes; empty where some numbers do not run evenly, or nodes of a box are constrained in part.
/// offsets [num_elem, P, P, P]: negative where constrained.
std::vector<NodeBox> find_boxes(std::span<const Index> offsets, Index num_elem, int P);

/// The nodes of hexes, and how many elements that follow each other may add up what they share before it leaves.
struct HexNodes {
  std::span<const Index> offsets;  // [num_elem, P, P, P], negative where constrained
  std::span<const NodeBox> boxes;  // the same, or empty
  Index num_elem = 0;
  int P = 0;
  Index num_nodes = 0;  // of the space
  int group = 1;        // elements e and e + 1 of a group join where the last x of e is the first x of e + 1

  /// Is what element e has there the same as what e + 1 has? By boxes, or node by node: (y, z) at the last x of e.
  bool same_box(Index e, int y, int z) const;
  bool same_node(Index e, int j, int k) const;
};

/// Whether elements may join: nodes inside faces that two of them share are no other's.
bool can_join(const HexNodes& hexes);

/// The nodes on the surface of hexes, as runs where there are boxes: hex_slot of box_begin, and in the order of the
/// nodes from there; without boxes one by one, at box_number. If elements join, the later one leaves the sum, and
/// what is inside a face is written at once.
SharedNodes find_shared_of_hexes(const HexNodes& hexes, bool joins = false);

/// The first of the nodes inside hexes, if all others come before them; else num_nodes.
Index first_inner_node(std::span<const Index> offsets, Index num_elem, int P, Index num_nodes);

}  // namespace millrace
