// Nodes on the surface of an element, which neighbours share: for sums in a fixed order, which elements add to each. A
// GPU leaves the share of an element in a slot of its own and adds the contributions afterwards.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "millrace/fem/element/data.hpp"

namespace millrace {

struct LocalSharedNodes {
  int num = 0;                // on the surface
  std::vector<Index> number;  // [nodes of an element]: number on the surface, -1 inside
};

/// Of a tet: numbers ascend with the nodes.
LocalSharedNodes shared_nodes_of_tet(int order);

/// All nodes on the surface of elements, one by one, without the constrained ones, and where their shares lie: slot
/// e * surface.num + number of element e. offsets [num_elem, nodes]: negative where constrained.
SharedNodes find_shared_nodes(std::span<const Index> offsets, Index num_elem, const LocalSharedNodes& surface, Index num_nodes);

/// The contributions of so many elements with so many each have numbers, or an Unsupported.
inline void check_contributions(Index num_elem, int slots_each) {
  const std::int64_t num_slots = std::int64_t{num_elem} * slots_each;
  require<Unsupported>(num_slots <= std::numeric_limits<Index>::max(), "element operator: deterministic sums of ",
                       num_elem, " elements with ", slots_each, " nodes to share need ", num_slots,
                       " contributions; at most 2^31 - 1 are possible. Accumulation::atomic needs none");
}

/// Sorts runs of nodes: visit(f) calls f(length, first node, slot of it), elements ascending, the same twice. A node is
/// the first of runs of one length only, and there are three lengths at most.
template <class Visit>
SharedNodes sort_runs(Index num_nodes, Visit&& visit) {
  const auto at = [](auto i) { return static_cast<std::size_t>(i); };
  std::vector<Index> count(at(num_nodes)), length(at(num_nodes)), place(at(num_nodes)), nodes, first{0};
  visit([&](int run, Index n, Index) { ++count[at(n)], length[at(n)] = run; });
  SharedNodes shared;
  for (std::size_t group = 0; group < shared.runs.size(); ++group) {
    int shortest = 0;
    for (const Index run : length)
      if (run > (group > 0 ? shared.runs[group - 1].length : 0) && (shortest == 0 || run < shortest)) shortest = run;
    if (shortest == 0) break;
    shared.runs[group].length = shortest;
    for (Index n = 0; n < num_nodes; ++n)
      if (length[at(n)] == shortest) {
        place[at(n)] = first.back();
        nodes.push_back(n), first.push_back(first.back() + count[at(n)]), ++shared.runs[group].num;
      }
  }
  std::vector<Index> contributions(at(first.back()));
  visit([&](int, Index n, Index slot) { contributions[at(place[at(n)]++)] = slot; });
  const auto array = [](const std::vector<Index>& v) { return Array<Index>(std::span<const Index>(v)); };
  shared.nodes = array(nodes), shared.first = array(first), shared.contributions = array(contributions);
  return shared;
}

}  // namespace millrace
