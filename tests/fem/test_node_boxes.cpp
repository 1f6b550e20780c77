// The nodes of hexes as boxes: the same numbers as the offsets say, on meshes that turn their elements every way, and
// sums over runs of them.
#include "millrace/fem/node_boxes.hpp"

#include <gtest/gtest.h>

#include "fem_tools.hpp"
#include "millrace/fem/space.hpp"
#include "shared_sums.hpp"

namespace millrace::testing {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Index node_of(const NodeBox& box, int i, int j, int k) {
  return box.first + box.step[0] * (i - 1) + box.step[1] * (j - 1) + box.step[2] * (k - 1);
}

TEST(NodeBoxes, NameTheNodesOfTheOffsets) {
  for (int order = 1; order <= 8; ++order) {
    const int P = order + 1;
    const Space space = make_space(turned_box(), order);
    std::vector<Index> offsets = space.restriction.offsets.to_vector();
    std::vector<bool> outer(at(space.num_nodes));
    for (const Index n : space.outer_nodes) outer[at(n)] = true;
    for (Index& n : offsets)
      if (outer[at(n)]) n = ~n;
    const Index num_elem = space.restriction.num_elem;
    const std::vector<NodeBox> boxes = find_boxes(offsets, num_elem, P);
    ASSERT_EQ(std::ssize(boxes), num_elem * 27) << "order " << order;
    int places = 0;
    for (Index e = 0; e < num_elem; ++e)
      for (int n = 0; n < P * P * P; ++n) {
        const int i = n % P, j = n / P % P, k = n / (P * P);
        const auto cls = [&](int place) { return cuda::box_class(P, place); };
        const NodeBox& box = boxes[at(e * 27 + cls(i) + 3 * cls(j) + 9 * cls(k))];
        const Index node = offsets[at(e * P * P * P + n)];
        if (node < 0)
          EXPECT_LT(node_of(box, i, j, k), 0);
        else
          EXPECT_EQ(node_of(box, i, j, k), node);
        places += box.step[0] < 0 || box.step[1] < 0 || box.step[2] < 0;
      }
    EXPECT_TRUE(order < 3 || places > 0) << "no element looks at a shared node another way";
    if (order < 3) continue;  // the numbers themselves are shorter
    const SharedNodes shared = find_shared_of_hexes(offsets, boxes, num_elem, P, space.num_nodes);
    expect_sums(offsets, num_elem, cuda::num_hex_slots(P, num_elem), shared, space.num_nodes,
                [&](Index e, int n) -> Index {
                  const int i = n % P, j = n / P % P, k = n / (P * P);
                  const int x = cuda::box_class(P, i), y = cuda::box_class(P, j), z = cuda::box_class(P, k);
                  if (x == 1 && y == 1 && z == 1) return -1;
                  const NodeBox& box = boxes[at(e * 27 + x + 3 * y + 9 * z)];
                  return e * P * P * P + cuda::box_begin(P, x, y, z) + node_of(box, i, j, k) - box.first + box.before;
                });
    EXPECT_EQ(shared.runs[2].length, (order - 1) * (order - 1));
    const Index inner = first_inner_node(offsets, num_elem, P, space.num_nodes);
    EXPECT_EQ(inner, space.num_nodes - num_elem * (P - 2) * (P - 2) * (P - 2));
  }
}

TEST(NodeBoxes, AreNotFoundWhereNumbersDoNotRunEvenly) {
  const Space space = make_space(make_box(Cell::hex, {2, 1, 1}), 4);
  std::vector<Index> offsets = space.restriction.offsets.to_vector();
  ASSERT_FALSE(find_boxes(offsets, 2, 5).empty());
  std::vector<Index> partly = offsets;
  partly[at(2 + 5 * (2 + 5 * 2))] = ~partly[at(2 + 5 * (2 + 5 * 2))];
  EXPECT_TRUE(find_boxes(partly, 2, 5).empty());
  EXPECT_EQ(first_inner_node(partly, 2, 5, space.num_nodes), space.num_nodes);  // a constrained one is inside
  for (Index& n : offsets) n = (n * 7) % space.num_nodes;
  EXPECT_TRUE(find_boxes(offsets, 2, 5).empty());
  const SharedNodes shared = find_shared_of_hexes(offsets, {}, 2, 5, space.num_nodes);
  expect_sums(offsets, 2, 250, shared, space.num_nodes, [](Index e, int n) -> Index {
    const int i = n % 5, j = n / 5 % 5, k = n / 25;
    const bool inside = i % 4 > 0 && j % 4 > 0 && k % 4 > 0;
    return inside ? -1 : e * 125 + cuda::box_number<5>(i, j, k);
  });
}

TEST(NodeBoxes, OfLowOrderInterleaveTheirSlots) {
  const Mesh mesh = make_box(Cell::hex, {5, 3, 3});
  const Space linear = make_space(mesh, 1), quadratic = make_space(mesh, 2);
  std::vector<Index> offsets = linear.restriction.offsets.to_vector();
  SharedNodes shared = find_shared_of_hexes(offsets, {}, 45, 2, linear.num_nodes);
  expect_sums(offsets, 45, cuda::num_hex_slots(2, 45), shared, linear.num_nodes,
              [](Index e, int n) { return cuda::hex_slot<2>(e, n); });
  offsets = quadratic.restriction.offsets.to_vector();
  shared = find_shared_of_hexes(offsets, {}, 45, 3, quadratic.num_nodes);
  expect_sums(offsets, 45, cuda::num_hex_slots(3, 45), shared, quadratic.num_nodes, [](Index e, int n) -> std::int64_t {
    return n == 13 ? -1 : cuda::hex_slot<3>(e, cuda::box_number<3>(n % 3, n / 3 % 3, n / 9));
  });
}

TEST(NodeBoxes, NumberEveryNodeOnce) {
  std::vector<bool> seen(6 * 6 * 6);
  for (int n = 0; n < 216; ++n) {
    const int number = cuda::box_number<6>(n % 6, n / 6 % 6, n / 36);
    ASSERT_TRUE(number >= 0 && number < 216);
    EXPECT_FALSE(seen[at(number)]);
    seen[at(number)] = true;
  }
}

}  // namespace
}  // namespace millrace::testing
