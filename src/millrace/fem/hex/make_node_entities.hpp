// Finds the nodes of the entities of hexes, and what elements share as runs of nodes.
#pragma once

#include <span>
#include <vector>

#include "millrace/fem/element/data.hpp"

namespace millrace {

/// [num_elem, 27] of hexes; empty where some numbers do not run evenly, or nodes of an entity are constrained in part.
/// offsets [num_elem, P, P, P]: negative where constrained.
std::vector<EntityNodes> find_entities(std::span<const Index> offsets, Index num_elem, int P);

/// The nodes of hexes.
struct HexNodes {
  std::span<const Index> offsets;         // [num_elem, P, P, P], negative where constrained
  std::span<const EntityNodes> entities;  // the same, or empty
  Index num_elem = 0;
  int P = 0;
  Index num_nodes = 0;  // of the space
};

/// FaceMerge bits of every element, in groups of `group` that follow each other: two merge where both see all nodes
/// between them the same way, and those inside their face belong to no other. Empty if none do.
std::vector<std::uint8_t> find_face_merges(const HexNodes& hexes, int group);

/// The nodes on the surface of hexes. With entities as runs, from hex_contribution of entity_begin on, in the order of
/// the nodes; without, one by one at entity_place. Where elements merge, the later one contributes the sum, and what is
/// inside their face is written at once.
SharedNodes find_shared_nodes_of_hexes(const HexNodes& hexes, std::span<const std::uint8_t> merges = {});

/// The first of the nodes inside hexes, if all others come before them; else num_nodes.
Index first_inner_node(std::span<const Index> offsets, Index num_elem, int P, Index num_nodes);

}  // namespace millrace
