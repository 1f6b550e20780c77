// Builds the tree from its root, by medians.
#include "millrace/mesh/places/box_tree.hpp"

#include <algorithm>
#include <numeric>

namespace millrace::detail {

constexpr Index leaf_size = 4;

BoxTree::BoxTree(std::span<const Bounds> boxes) : order_(boxes.size()) {
  if (boxes.empty()) return;
  std::vector<Point> middles(boxes.size());
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d) middles[b][d] = (boxes[b].lower[d] + boxes[b].upper[d]) / 2;
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(boxes.size());
  build(boxes, middles, 0, static_cast<Index>(boxes.size()));
}

Index BoxTree::build(std::span<const Bounds> boxes, std::span<const Point> middles, Index begin, Index end) {
  const auto number = static_cast<Index>(nodes_.size());
  nodes_.emplace_back();
  const auto first = order_.begin() + begin, last = order_.begin() + end;
  if (end - begin <= leaf_size) {
    Node leaf{boxes[to_size(*first)], begin, end - begin};
    for (auto i = first; i != last; ++i) leaf.box.include(boxes[to_size(*i)]);
    nodes_.back() = leaf;
    return number;
  }
  Bounds spread{middles[to_size(*first)], middles[to_size(*first)]};
  for (auto i = first; i != last; ++i) spread.include(middles[to_size(*i)]);
  std::size_t longest = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (spread.upper[d] - spread.lower[d] > spread.upper[longest] - spread.lower[longest]) longest = d;
  const auto before = [&](Index a, Index b) {
    return std::pair(middles[to_size(a)][longest], a) < std::pair(middles[to_size(b)][longest], b);
  };
  const Index middle = begin + (end - begin) / 2;
  std::nth_element(first, order_.begin() + middle, last, before);
  const Index left = build(boxes, middles, begin, middle), right = build(boxes, middles, middle, end);
  Node& node = nodes_[to_size(number)];
  node.box = nodes_[to_size(left)].box;
  node.box.include(nodes_[to_size(right)].box);
  node.next = right;
  return number;
}

}  // namespace millrace::detail
