// A tree of boxes over many boxes: which of them hold a place, and which are near it.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/places/bounds.hpp"

namespace millrace::detail {

/// Halved again and again at the median of the boxes' middles along the longest side, so that it is balanced and the
/// same on every run.
class BoxTree {
 public:
  explicit BoxTree(std::span<const Bounds> boxes);

  /// f(number) of all boxes that may hold a place, in no order: some more that share a leaf with one.
  template <class F>
  void for_each_near(const Point& place, F&& f) const {
    Index waiting[64];
    int num = 0;
    if (!nodes_.empty()) waiting[num++] = 0;
    while (num > 0) {
      const Node& node = nodes_[to_size(waiting[--num])];
      if (!node.box.holds(place)) continue;
      if (node.count > 0) {
        for (Index i = 0; i < node.count; ++i) f(order_[to_size(node.next + i)]);
      } else {
        waiting[num++] = node.next;
        waiting[num++] = static_cast<Index>(&node - nodes_.data()) + 1;
      }
    }
  }

  /// f(number) of boxes in leaves not farther from a place than limit(), a squared distance that f may lower; near
  /// ones come first.
  template <class Limit, class F>
  void for_each_within(const Point& place, Limit&& limit, F&& f) const {
    std::pair<double, Index> waiting[64];
    int num = 0;
    if (!nodes_.empty()) waiting[num++] = {nodes_[0].box.distance_squared(place), 0};
    while (num > 0) {
      const auto [distance, number] = waiting[--num];
      if (distance > limit()) continue;
      const Node& node = nodes_[to_size(number)];
      if (node.count > 0) {
        for (Index i = 0; i < node.count; ++i) f(order_[to_size(node.next + i)]);
        continue;
      }
      std::pair<double, Index> near{nodes_[to_size(number) + 1].box.distance_squared(place), number + 1};
      std::pair<double, Index> far{nodes_[to_size(node.next)].box.distance_squared(place), node.next};
      if (far.first < near.first) std::swap(near, far);
      waiting[num++] = far;
      waiting[num++] = near;
    }
  }

 private:
  /// A node's first child follows it.
  struct Node {
    Bounds box;
    Index next = 0;   // the second child, or the first entry of order_
    Index count = 0;  // entries of a leaf; 0: it has children
  };
  Index build(std::span<const Bounds> boxes, std::span<const Point> middles, Index begin, Index end);

  std::vector<Node> nodes_;
  std::vector<Index> order_;  // [num boxes]: leaf after leaf
};

}  // namespace millrace::detail
