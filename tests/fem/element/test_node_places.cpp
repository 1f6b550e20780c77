// Places of nodes in the lists of all elements: ascending, all of them, the same for any number of threads.
#include "millrace/fem/element/node_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace millrace {
namespace {

TEST(NodePlaces, AreAllThatAreNotNegative) {
  const std::vector<Index> nodes{2, 0, -1, 2, 4, ~Index{4}};
  const NodePlaces<Index> found = find_node_places<Index>(nodes, 5, 1, 1);
  EXPECT_EQ(found.first, (std::vector<Index>{0, 1, 1, 3, 3, 4}));
  EXPECT_EQ(found.places, (std::vector<Index>{1, 0, 3, 4}));
  EXPECT_EQ(find_node_places<Offset>(nodes, 5, 3, 1).places, (std::vector<Index>{0, 0, 1, 1}));  // the elements
}

TEST(NodePlaces, ConstrainedNodesHaveNone) {
  const Array<Index> nodes(std::vector<Index>{2, 0, 1, 2});
  const Array<Index> kept = without_constrained(nodes, 3, std::vector<Index>{2}, 2);
  EXPECT_EQ(std::vector<Index>(kept.span().begin(), kept.span().end()), (std::vector<Index>{-1, 0, 1, -1}));
  EXPECT_EQ(find_node_places<Index>(kept.span(), 3, 1, 2).first, (std::vector<Index>{0, 1, 2, 2}));
}

TEST(NodePlaces, AreThoseOfOneThreadOnMany) {
  std::mt19937 generator(5);
  for (const Index num_nodes : {0, 1, 4095, 4096, 40000}) {
    std::vector<Index> nodes(to_size(num_nodes > 0 ? 3 * num_nodes + 1 : 0));
    for (Index& n : nodes) n = std::uniform_int_distribution<Index>(-1, num_nodes - 1)(generator);
    const NodePlaces<Offset> one = find_node_places<Offset>(nodes, num_nodes, 1, 1);
    const NodePlaces<Offset> five = find_node_places<Offset>(nodes, num_nodes, 1, 5);
    EXPECT_EQ(one.first, five.first) << num_nodes;
    EXPECT_EQ(one.places, five.places) << num_nodes;
    for (Index n = 0; n < num_nodes; ++n)
      for (Offset k = one.first[to_size(n)]; k < one.first[to_size(n) + 1]; ++k) {
        ASSERT_EQ(nodes[to_size(one.places[to_size(k)])], n);
        ASSERT_TRUE(k == one.first[to_size(n)] || one.places[to_size(k - 1)] < one.places[to_size(k)]);
      }
  }
}

TEST(NodePlaces, VisitsANodeOnOneThreadInOrder) {
  std::vector<Index> nodes;
  for (int round = 0; round < 3; ++round)
    for (Index n = 0; n < 20000; ++n) nodes.push_back(n);
  std::vector<int> met(20000);
  std::vector<char> fine(nodes.size());
  visit_nodes(nodes, 20000, 4, [&](Index n, std::size_t k) {
    fine[k] = k == to_size(n) + 20000 * to_size(met[to_size(n)]);
    ++met[to_size(n)];
  });
  EXPECT_EQ(std::count(fine.begin(), fine.end(), 1), std::ssize(fine));
}

}  // namespace
}  // namespace millrace
