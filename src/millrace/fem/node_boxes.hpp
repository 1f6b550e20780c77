// Finds the boxes of nodes of hexahedra, and what elements share as runs of nodes.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/element_data.hpp"

namespace millrace {

/// [num_elem, 27] of hexes; empty where some numbers do not run evenly, or nodes of a box are constrained in part.
/// offsets [num_elem, P, P, P]: negative where constrained.
std::vector<NodeBox> find_boxes(std::span<const Index> offsets, Index num_elem, int P);

/// The nodes on the surface of hexes, as runs where there are boxes: hex_slot of box_begin, and in the order of the
/// nodes from there; without boxes one by one, at box_number.
SharedNodes find_shared_of_hexes(std::span<const Index> offsets, std::span<const NodeBox> boxes, Index num_elem, int P,
                                 Index num_nodes);

/// The first of the nodes inside hexes, if all others come before them; else num_nodes.
Index first_inner_node(std::span<const Index> offsets, Index num_elem, int P, Index num_nodes);

}  // namespace millrace
