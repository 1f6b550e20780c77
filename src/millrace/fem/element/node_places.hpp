// Where each node stands in the lists of nodes of all elements.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/scalar.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {

/// Those of node n are places[first[n]] .. places[first[n + 1] - 1], ascending.
template <class First>
struct NodePlaces {
  std::vector<First> first;   // [num_nodes + 1]
  std::vector<Index> places;  // [first[num_nodes]]
};

/// Calls f(node, entry) for all entries of nodes [num_elem, nodes of an element], numbers below num_nodes; negative
/// ones are left out. Those of one node come on one thread, ascending: each thread takes a range of nodes and looks at
/// all of the list, so that nothing depends on the number of threads.
template <class F>
void visit_nodes(std::span<const Index> nodes, Index num_nodes, int num_threads, F&& f) {
  parallel_for(num_threads, num_nodes, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::uint32_t>(begin), count = static_cast<std::uint32_t>(end - begin);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (static_cast<std::uint32_t>(nodes[k]) - first < count) f(nodes[k], k);
  });
}

/// The same list with -1 for the constrained nodes.
inline Array<Index> without_constrained(const Array<Index>& nodes, Index num_nodes, std::span<const Index> constrained,
                                        int num_threads) {
  std::vector<bool> held(to_size(num_nodes));
  for (const Index n : constrained) held[to_size(n)] = true;
  Array<Index> kept = nodes.clone();
  parallel_for(num_threads, kept.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (held[to_size(kept.data()[k])]) kept.data()[k] = -1;
  });
  return kept;
}

/// The places of all nodes. A place is counted in units of `width`: 1 names the entry, the number of nodes of an
/// element the element.
template <class First>
NodePlaces<First> find_node_places(std::span<const Index> nodes, Index num_nodes, int width, int num_threads) {
  NodePlaces<First> found{std::vector<First>(to_size(num_nodes) + 1), {}};
  visit_nodes(nodes, num_nodes, num_threads, [&](Index n, std::size_t) { ++found.first[to_size(n) + 1]; });
  std::partial_sum(found.first.begin(), found.first.end(), found.first.begin());
  found.places.resize(to_size(found.first.back()));
  std::vector<First> next(found.first.begin(), found.first.end() - 1);
  visit_nodes(nodes, num_nodes, num_threads, [&](Index n, std::size_t k) {
    found.places[to_size(next[to_size(n)]++)] = static_cast<Index>(k / to_size(width));
  });
  return found;
}

}  // namespace millrace
