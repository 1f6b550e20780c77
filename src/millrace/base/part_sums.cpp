// The largest nodes, from left to right.
#include "millrace/base/part_sums.hpp"

namespace millrace::detail {

std::vector<TreeNode> nodes_inside(std::int64_t begin, std::int64_t end, std::int64_t all) {
  std::vector<TreeNode> nodes;
  for (std::int64_t part = begin; part < end;) {
    TreeNode node{0, part};
    // Its parent begins at the same part, and has none behind the end but those that do not exist.
    while (node.index % 2 == 0 && (std::int64_t{1} << node.level) < all) {
      const TreeNode parent{node.level + 1, node.index / 2};
      if (std::min(all, parent.begin() + (std::int64_t{1} << parent.level)) > end) break;
      node = parent;
    }
    nodes.push_back(node);
    part = std::min(end, node.begin() + (std::int64_t{1} << node.level));
  }
  return nodes;
}

}  // namespace millrace::detail
