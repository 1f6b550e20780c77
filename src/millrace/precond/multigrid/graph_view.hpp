// The graph of strong connections as plain pointers, and what one node does in it when aggregates are made: the same
// arithmetic on host threads and on a GPU, in whole numbers, so that both find the same aggregates.
#pragma once

#include "millrace/precond/multigrid/priority.hpp"

namespace millrace::multigrid {

struct GraphView {
  Index num_nodes;
  const Offset* begin;            // [num_nodes + 1]: where the places of a node begin
  const Index* degree;            // [num_nodes]: places that are used
  const Index* neighbours;        // [places]
  const std::uint16_t* strength;  // [places]
};

inline constexpr Index not_yet = -2, alone = -1;  // instead of the number of an aggregate

MILLRACE_HD inline Key first_key(const GraphView& g, Index node) {
  return make_key(g.degree[node] > 0 ? NodeState::undecided : NodeState::out, node);
}

/// The largest of the numbers of a node and its neighbours.
MILLRACE_HD inline Key largest_around(const GraphView& g, const Key* of, Index node) {
  Key most = of[node];
  const Offset begin = g.begin[node], end = begin + g.degree[node];
  for (Offset s = begin; s < end; ++s) {
    const Key other = of[g.neighbours[s]];
    if (other > most) most = other;
  }
  return most;
}

/// What an undecided node becomes, from `near`, the largest keys around the nodes.
MILLRACE_HD inline Key next_key(const GraphView& g, const Key* near, Key own, Index node) {
  const Key most = largest_around(g, near, node);
  if (most == own) return make_key(NodeState::root, node);
  return state_of(most) == NodeState::root ? make_key(NodeState::out, node) : own;
}

/// Step 1: the aggregate of the root that a node is or joins, alone, or not_yet. number[root]: of its aggregate.
template <class Keys, class Number>
MILLRACE_HD Index join_root(const GraphView& g, const Keys& keys, const Number* number, Index node) {
  if (state_of(keys[node]) == NodeState::root) return static_cast<Index>(number[node]);
  if (g.degree[node] == 0) return alone;
  std::uint16_t strongest = 0;
  Key largest = 0;
  const Offset begin = g.begin[node], end = begin + g.degree[node];
  for (Offset s = begin; s < end; ++s) {
    const Key key = keys[g.neighbours[s]];
    if (state_of(key) != NodeState::root) continue;
    const std::uint16_t strength = g.strength[s];
    if (strength > strongest || (strength == strongest && key > largest)) strongest = strength, largest = key;
  }
  return largest == 0 ? not_yet : static_cast<Index>(number[node_of(largest)]);
}

/// Step 2: the aggregate that surrounds a node most, of those that step 1 has left in `first`. Of more than 256
/// neighbours the first 256 count.
MILLRACE_HD inline Index join_aggregate(const GraphView& g, const Index* first, Index node) {
  constexpr Index most = 256;
  const Offset begin = g.begin[node], end = begin + (g.degree[node] < most ? g.degree[node] : most);
  Index best = alone;
  std::uint32_t best_sum = 0;
  for (Offset s = begin; s < end; ++s) {
    const Index aggregate = first[g.neighbours[s]];
    if (aggregate < 0 || aggregate == best) continue;
    std::uint32_t sum = 0;
    for (Offset t = begin; t < end; ++t)
      if (first[g.neighbours[t]] == aggregate) sum += g.strength[t];
    if (sum > best_sum || (sum == best_sum && mix_bits(static_cast<std::uint32_t>(aggregate)) >
                                                  mix_bits(static_cast<std::uint32_t>(best))))
      best = aggregate, best_sum = sum;
  }
  return best;
}

}  // namespace millrace::multigrid
