// Nodes that an element shares with its neighbours: for sums in a fixed order, which elements contribute to each. A GPU
// writes the contribution of an element to a place of its own and adds them up afterwards.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "millrace/fem/element/data.hpp"

namespace millrace {

struct LocalSharedNodes {
  int num = 0;                // that others may share: those on its surface
  std::vector<Index> number;  // [nodes of an element]: number among them, -1 inside
};

/// Of a tet: numbers ascend with the nodes.
LocalSharedNodes shared_nodes_of_tet(int order);

/// All nodes that elements share, one by one, without the constrained ones, and where the contributions lie: that of
/// element e at e * local.num + number. offsets [num_elem, nodes]: negative where constrained.
SharedNodes find_shared_nodes(std::span<const Index> offsets, Index num_elem, const LocalSharedNodes& local,
                              Index num_nodes);

/// Can the contributions of num_elem elements, per_element each, be numbered? If not, an Unsupported.
inline void check_contributions(Index num_elem, int per_element) {
  const std::int64_t num = std::int64_t{num_elem} * per_element;
  require<Unsupported>(num <= std::numeric_limits<Index>::max(), "element operator: deterministic sums of ", num_elem,
                       " elements with ", per_element, " nodes to share need ", num,
                       " contributions; at most 2^31 - 1 are possible. Accumulation::atomic needs none");
}

/// Sorts runs of nodes: visit(f) calls f(length, first node, place of its contribution), elements ascending, the same
/// twice. A node is the first of runs of one length only, and there are three lengths at most.
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
  visit([&](int, Index n, Index at_place) { contributions[at(place[at(n)]++)] = at_place; });
  const auto array = [](const std::vector<Index>& v) { return Array<Index>(std::span<const Index>(v)); };
  shared.nodes = array(nodes), shared.first = array(first), shared.contributions = array(contributions);
  return shared;
}

}  // namespace millrace
