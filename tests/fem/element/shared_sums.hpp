// The contributions of elements, summed by the lists of SharedNodes, are the sum over all elements.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "millrace/fem/element/data.hpp"

namespace millrace::testing {

/// offsets [num_elem, nodes], negative where constrained. place(e, node): of its contribution among num_places, or
/// negative where the element alone has the node.
template <class Place>
void expect_sums(const std::vector<Index>& offsets, Index num_elem, std::int64_t num_places, const SharedNodes& shared,
                 Index num_nodes, Place&& place) {
  const auto at = [](auto i) { return static_cast<std::size_t>(i); };
  const int nodes = static_cast<int>(std::ssize(offsets) / num_elem);
  std::vector<int> expected(at(num_nodes)), found(at(num_nodes)), contributions(at(num_places), -1);
  std::vector<Index> owner(at(num_places), -1);
  for (Index e = 0; e < num_elem; ++e)
    for (int i = 0; i < nodes; ++i) {
      const Index n = offsets[at(e * nodes + i)];
      if (n < 0) continue;
      const int number = e * nodes + i + 1;
      expected[at(n)] += number;
      if (const std::int64_t s = place(e, i); s < 0) {
        EXPECT_EQ(std::exchange(found[at(n)], number), 0);
      } else {
        ASSERT_LT(s, num_places);
        EXPECT_EQ(std::exchange(contributions[at(s)], number), -1) << "two nodes at one place";
        owner[at(s)] = e;
      }
    }
  const auto first = shared.first.span(), list = shared.contributions.span(), begins = shared.nodes.span();
  std::size_t run = 0;
  std::int64_t summed = 0;
  for (const Runs& runs : shared.runs)
    for (Index r = 0; r < runs.num; ++r, ++run)
      for (int k = 0; k < runs.length; ++k, ++summed)
        for (Index s = first[run]; s < first[run + 1]; ++s) {
          found[at(begins[run] + k)] += contributions[at(list[at(s)] + k)];
          EXPECT_LT(s > first[run] ? owner[at(list[at(s - 1)])] : -1, owner[at(list[at(s)])]) << "elements ascend";
        }
  EXPECT_EQ(run, begins.size());
  EXPECT_EQ(summed, shared.num_nodes());
  EXPECT_EQ(found, expected);
}

}  // namespace millrace::testing
