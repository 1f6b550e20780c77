// Reverse Cuthill-McKee, component by component: number the nodes level by level from one end of the graph,
// neighbours of low degree first, and turn the order round.
#include <algorithm>

#include "millrace/sparse/pattern/order_graph.hpp"

namespace millrace {
namespace {

class CuthillMcKee {
 public:
  explicit CuthillMcKee(const RowGraph& graph)
      : graph_(graph), seen_(static_cast<std::size_t>(graph.num_nodes()), false) {
    order_.reserve(seen_.size());
  }

  std::vector<Index> reverse_order() && {
    for (Index node = 0; node < graph_.num_nodes(); ++node) {
      if (seen(node)) continue;
      const auto component = static_cast<std::ptrdiff_t>(order_.size());
      walk(peripheral_node(node), Sort::by_degree);
      std::reverse(order_.begin() + component, order_.end());
    }
    return std::move(order_);
  }

 private:
  std::vector<bool>::reference seen(Index node) { return seen_[static_cast<std::size_t>(node)]; }
  bool lower_degree(Index a, Index b) const { return std::pair(graph_.degree(a), a) < std::pair(graph_.degree(b), b); }

  struct Walk {
    Index num_levels;
    std::size_t last_level;  // where it begins in order_
  };
  enum class Sort { none, by_degree };
  // Appends the component of `start` to the order, breadth first.
  Walk walk(Index start, Sort children) {
    std::size_t level = order_.size(), done = level;
    order_.push_back(start);
    seen(start) = true;
    for (Index num_levels = 1;; ++num_levels) {
      const std::size_t level_end = order_.size();
      for (; done < level_end; ++done) {
        const std::size_t first_child = order_.size();
        for (const Index neighbour : graph_.of(order_[done]))
          if (!seen(neighbour)) {
            seen(neighbour) = true;
            order_.push_back(neighbour);
          }
        if (children == Sort::by_degree)
          std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first_child), order_.end(),
                    [&](Index a, Index b) { return lower_degree(a, b); });
      }
      if (order_.size() == level_end) return {num_levels, level};
      level = level_end;
    }
  }

  // A node about as far from some other as any: walk, go on from the node of lowest degree in the last level, and
  // stop when that finds no more levels.
  Index peripheral_node(Index start) {
    const std::size_t component = order_.size();
    for (Index max_levels = 0;;) {
      const Walk found = walk(start, Sort::none);
      const Index far = *std::min_element(order_.begin() + static_cast<std::ptrdiff_t>(found.last_level), order_.end(),
                                          [&](Index a, Index b) { return lower_degree(a, b); });
      for (std::size_t k = component; k < order_.size(); ++k) seen(order_[k]) = false;
      order_.resize(component);
      if (found.num_levels <= max_levels) return start;
      max_levels = found.num_levels;
      start = far;
    }
  }

  const RowGraph& graph_;
  std::vector<bool> seen_;    // [num_nodes]
  std::vector<Index> order_;  // of the nodes numbered so far
};

}  // namespace

std::vector<Index> order_rcm(const RowGraph& graph) { return CuthillMcKee(graph).reverse_order(); }

}  // namespace millrace
