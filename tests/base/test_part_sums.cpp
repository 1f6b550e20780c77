// Parts of ranks are nodes of one tree.
#include "millrace/base/part_sums.hpp"

#include <gtest/gtest.h>

namespace millrace::testing {

using detail::nodes_inside;
using detail::TreeNode;

TEST(PartSums, NodesOfRanksMakeTheWholeTree) {
  for (const std::int64_t all : {1, 2, 3, 5, 8, 13, 64, 100})
    for (std::int64_t cut = 0; cut <= all; ++cut)
      for (std::int64_t second = cut; second <= all; second += 3) {
        std::vector<TreeNode> nodes;
        std::vector<double> values;  // sums of the parts' numbers, so that every part is seen once
        for (const auto& [begin, end] : {std::pair{std::int64_t{0}, cut}, {cut, second}, {second, all}})
          for (const TreeNode& node : nodes_inside(begin, end, all)) {
            const std::int64_t last = std::min(all, node.begin() + (std::int64_t{1} << node.level));
            EXPECT_GE(node.begin(), begin);
            EXPECT_LE(last, end);
            nodes.push_back(node);
            double sum = 0;
            for (std::int64_t p = node.begin(); p < last; ++p) sum += static_cast<double>(p + 1);
            values.push_back(sum);
          }
        TreeNode root;
        while (std::int64_t{1} << root.level < all) ++root.level;
        std::size_t next = 0;
        const auto sum = detail::finish_tree(nodes, values, all, 1, root, next);
        EXPECT_EQ(next, nodes.size());
        EXPECT_EQ(sum[0], static_cast<double>(all * (all + 1) / 2));
      }
  EXPECT_EQ(nodes_inside(0, 100, 100).size(), 1U);
  EXPECT_TRUE(nodes_inside(4, 4, 100).empty());
}

TEST(PartSums, ARankAloneAddsNeighbours) {
  std::vector<float> sums;
  for (int i = 0; i < 37; ++i) sums.push_back(1.0F / static_cast<float>(i + 1));
  std::vector<float> expected = sums;
  while (expected.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i < expected.size(); i += 2)
      next.push_back(i + 1 < expected.size() ? expected[i] + expected[i + 1] : expected[i]);
    expected = next;
  }
  detail::add_parts(Comm(), sums.data(), 37, 1, 4096);
  EXPECT_EQ(sums[0], expected[0]);
}

}  // namespace millrace::testing
