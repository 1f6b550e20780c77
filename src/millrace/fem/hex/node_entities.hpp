// The nodes of a hex on a GPU, entity by entity: where numbers run evenly in every vertex, edge, face and inside, 27
// small records name them all. NVRTC reads this file, too.
#pragma once

#include "millrace/fem/element/entity_nodes.hpp"

namespace millrace::cuda {

/// First end, middle, last end of a direction with P nodes.
MILLRACE_HD constexpr int entity_class(int P, int i) { return i == 0 ? 0 : i == P - 1 ? 2 : 1; }
/// Nodes of a class.
MILLRACE_HD constexpr int entity_width(int P, int cls) { return cls == 1 ? P - 2 : 1; }
/// Of the P^3 nodes of an element sorted by entity: how many come before entity (x, y, z).
MILLRACE_HD constexpr int entity_begin(int P, int x, int y, int z) {
  const auto before = [&](int cls) { return cls == 2 ? P - 1 : cls; };
  return before(z) * P * P + entity_width(P, z) * (before(y) * P + entity_width(P, y) * before(x));
}
/// The place of node (i, j, k) in that order, x fastest in an entity.
template <int P>
MILLRACE_HD constexpr int entity_place(int i, int j, int k) {
  const int x = entity_class(P, i), y = entity_class(P, j), z = entity_class(P, k);
  const int in_x = x == 1 ? i - 1 : 0, in_y = y == 1 ? j - 1 : 0, in_z = z == 1 ? k - 1 : 0;
  return entity_begin(P, x, y, z) + in_x + entity_width(P, x) * (in_y + entity_width(P, y) * in_z);
}

/// Elements whose contributions interleave, where few nodes lie side by side: whole sectors are then read.
MILLRACE_HD constexpr int contribution_group(int P) { return P == 2 ? 32 : P == 3 ? 8 : 1; }
/// Where the contribution of an element to the node at place n of that order lies.
template <int P>
MILLRACE_HD constexpr std::int64_t hex_contribution(Index element, int n) {
  constexpr int G = contribution_group(P);
  return (std::int64_t{element} / G * (P * P * P) + n) * G + element % G;
}
MILLRACE_HD constexpr std::int64_t num_hex_contributions(int P, Index num_elem) {
  const int G = contribution_group(P);
  return (std::int64_t{num_elem} + G - 1) / G * G * (P * P * P);
}

}  // namespace millrace::cuda
