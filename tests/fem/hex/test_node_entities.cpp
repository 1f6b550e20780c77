// The nodes of hexes as entities: the same numbers as the offsets say, on meshes that turn their elements every way,
// and sums over runs of them.
#include "millrace/fem/hex/make_node_entities.hpp"
#include "millrace/fem/hex/node_entities.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fem/element/shared_sums.hpp"
#include "fem/fem_tools.hpp"
#include "millrace/fem/hex/node_entities.hpp"
#include "millrace/fem/space.hpp"

namespace millrace::testing {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Index node_of(const EntityNodes& entity, int i, int j, int k) {
  return entity.first + entity.step[0] * (i - 1) + entity.step[1] * (j - 1) + entity.step[2] * (k - 1);
}

TEST(NodeEntities, NameTheNodesOfTheOffsets) {
  for (int order = 1; order <= 8; ++order) {
    const int P = order + 1;
    const Space space = make_space(turned_box(), order);
    std::vector<Index> offsets = space.only_block().restriction.offsets.to_vector();
    std::vector<bool> outer(at(space.num_nodes));
    for (const Index n : space.all_boundary_nodes) outer[at(n)] = true;
    for (Index& n : offsets)
      if (outer[at(n)]) n = ~n;
    const Index num_elem = space.only_block().restriction.num_elem;
    const std::vector<EntityNodes> entities = find_entities(offsets, num_elem, P);
    ASSERT_EQ(std::ssize(entities), num_elem * 27) << "order " << order;
    int places = 0;
    for (Index e = 0; e < num_elem; ++e)
      for (int n = 0; n < P * P * P; ++n) {
        const int i = n % P, j = n / P % P, k = n / (P * P);
        const auto cls = [&](int place) { return cuda::entity_class(P, place); };
        const EntityNodes& entity = entities[at(e * 27 + cls(i) + 3 * cls(j) + 9 * cls(k))];
        const Index node = offsets[at(e * P * P * P + n)];
        if (node < 0)
          EXPECT_LT(node_of(entity, i, j, k), 0);
        else
          EXPECT_EQ(node_of(entity, i, j, k), node);
        places += entity.step[0] < 0 || entity.step[1] < 0 || entity.step[2] < 0;
      }
    EXPECT_TRUE(order < 3 || places > 0) << "no element looks at a shared node another way";
    if (order < 3) continue;  // the numbers themselves are shorter
    const SharedNodes shared = find_shared_nodes_of_hexes({offsets, entities, num_elem, P, space.num_nodes});
    expect_sums(offsets, num_elem, cuda::num_hex_contributions(P, num_elem), shared, space.num_nodes,
                [&](Index e, int n) -> Index {
                  const int i = n % P, j = n / P % P, k = n / (P * P);
                  const int x = cuda::entity_class(P, i), y = cuda::entity_class(P, j), z = cuda::entity_class(P, k);
                  if (x == 1 && y == 1 && z == 1) return -1;
                  const EntityNodes& entity = entities[at(e * 27 + x + 3 * y + 9 * z)];
                  return e * P * P * P + cuda::entity_begin(P, x, y, z) + node_of(entity, i, j, k) - entity.first +
                         entity.before;
                });
    EXPECT_EQ(shared.runs[2].length, (order - 1) * (order - 1));
    const Index inner = first_inner_node(offsets, num_elem, P, space.num_nodes);
    EXPECT_EQ(inner, space.num_nodes - num_elem * (P - 2) * (P - 2) * (P - 2));
  }
}

TEST(NodeEntities, AreNotFoundWhereNumbersDoNotRunEvenly) {
  const Space space = make_space(make_box(Cell::hex, {2, 1, 1}), 4);
  std::vector<Index> offsets = space.only_block().restriction.offsets.to_vector();
  ASSERT_FALSE(find_entities(offsets, 2, 5).empty());
  std::vector<Index> partly = offsets;
  partly[at(2 + 5 * (2 + 5 * 2))] = ~partly[at(2 + 5 * (2 + 5 * 2))];
  EXPECT_TRUE(find_entities(partly, 2, 5).empty());
  EXPECT_EQ(first_inner_node(partly, 2, 5, space.num_nodes), space.num_nodes);  // a constrained one is inside
  for (Index& n : offsets) n = (n * 7) % space.num_nodes;
  EXPECT_TRUE(find_entities(offsets, 2, 5).empty());
  const SharedNodes shared = find_shared_nodes_of_hexes({offsets, {}, 2, 5, space.num_nodes});
  expect_sums(offsets, 2, 250, shared, space.num_nodes, [](Index e, int n) -> Index {
    const int i = n % 5, j = n / 5 % 5, k = n / 25;
    const bool inside = i % 4 > 0 && j % 4 > 0 && k % 4 > 0;
    return inside ? -1 : e * 125 + cuda::entity_place<5>(i, j, k);
  });
}

TEST(NodeEntities, OfLowOrderInterleaveTheirContributions) {
  const Mesh mesh = make_box(Cell::hex, {5, 3, 3});
  const Space linear = make_space(mesh, 1), quadratic = make_space(mesh, 2);
  std::vector<Index> offsets = linear.only_block().restriction.offsets.to_vector();
  SharedNodes shared = find_shared_nodes_of_hexes({offsets, {}, 45, 2, linear.num_nodes});
  expect_sums(offsets, 45, cuda::num_hex_contributions(2, 45), shared, linear.num_nodes,
              [](Index e, int n) { return cuda::hex_contribution<2>(e, n); });
  offsets = quadratic.only_block().restriction.offsets.to_vector();
  shared = find_shared_nodes_of_hexes({offsets, {}, 45, 3, quadratic.num_nodes});
  expect_sums(offsets, 45, cuda::num_hex_contributions(3, 45), shared, quadratic.num_nodes,
              [](Index e, int n) -> std::int64_t {
                return n == 13 ? -1 : cuda::hex_contribution<3>(e, cuda::entity_place<3>(n % 3, n / 3 % 3, n / 9));
              });
}

/// Where element e leaves its share of node (i, j, k) when elements join: -1 at once, -2 with the next element, else
/// the place of its slot in the element.
int place_when_merging(const HexNodes& hexes, int bits, Index e, int i, int j, int k) {
  const int P = hexes.P, x = cuda::entity_class(P, i), y = cuda::entity_class(P, j), z = cuda::entity_class(P, k);
  if (x == 2 && (bits & FaceMerge::with_next)) return -2;
  if (y == 1 && z == 1 && (x == 1 || (x == 0 && (bits & FaceMerge::with_previous)))) return -1;
  const int in[] = {x == 1 ? i - 1 : 0, y == 1 ? j - 1 : 0, z == 1 ? k - 1 : 0};
  int place = cuda::entity_begin(P, x, y, z);
  if (hexes.entities.empty())
    return place + in[0] + cuda::entity_width(P, x) * (in[1] + cuda::entity_width(P, y) * in[2]);
  const EntityNodes& entity = hexes.entities[at(Offset{e} * 27 + x + 3 * y + 9 * z)];
  for (int d = 0; d < 3; ++d) place += entity.step[d] * in[d];
  return place + entity.before;
}

TEST(NodeEntities, SumsOfElementsThatMerge) {
  for (const int order : {2, 3, 4})
    for (const bool turned : {false, true}) {
      const int P = order + 1, size = P * P * P;
      const Space space = make_space(turned ? turned_box() : make_box(Cell::hex, {7, 2, 2}), order);
      const std::vector<Index> offsets = space.only_block().restriction.offsets.to_vector();
      const Index num_elem = space.only_block().restriction.num_elem;
      const std::vector<EntityNodes> entities =
          order == 2 ? std::vector<EntityNodes>{} : find_entities(offsets, num_elem, P);
      const HexNodes hexes{offsets, entities, num_elem, P, space.num_nodes};
      std::vector<std::uint8_t> merges = find_face_merges(hexes, 5);
      EXPECT_TRUE(turned || !merges.empty());
      merges.resize(at(num_elem), 0);
      std::vector<double> expected(at(space.num_nodes)), found(expected),
          contributions(at(cuda::num_hex_contributions(P, num_elem)));
      int num_merged = 0;
      for (Index e = 0; e < num_elem; ++e)
        for (int n = 0; n < size; ++n) {
          const int i = n % P, j = n / P % P, k = n / (P * P);
          const auto share = [&](Index element, int node) { return std::sin(double(element) * size + node); };
          const Index node = offsets[at(Offset{e} * size + n)];
          expected[at(node)] += share(e, n);
          const int place = place_when_merging(hexes, merges[at(e)], e, i, j, k);
          if (place == -2) {
            ++num_merged;
            continue;
          }
          double value = share(e, n);
          if (i == 0 && (merges[at(e)] & FaceMerge::with_previous)) value += share(e - 1, n + P - 1);
          (place == -1
               ? found[at(node)]
               : contributions[at(order == 2 ? cuda::hex_contribution<3>(e, place) : std::int64_t{e} * size + place)]) =
              value;
        }
      EXPECT_TRUE(turned || num_merged == 19 * P * P) << num_merged;
      const SharedNodes shared = find_shared_nodes_of_hexes(hexes, merges);
      std::size_t run = 0;
      for (const Runs& runs : shared.runs)
        for (Index r = 0; r < runs.num; ++r, ++run)
          for (int k = 0; k < runs.length; ++k)
            for (Index s = shared.first.span()[run]; s < shared.first.span()[run + 1]; ++s)
              found[at(shared.nodes.span()[run] + k)] += contributions[at(shared.contributions.span()[at(s)] + k)];
      for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-12) << order << turned << n;
    }
}

TEST(NodeEntities, DoNotJoinWhereAFaceHasThreeElements) {
  const Space space = make_space(make_box(Cell::hex, {3, 1, 1}), 2);
  std::vector<Index> offsets = space.only_block().restriction.offsets.to_vector();
  const HexNodes hexes{offsets, {}, 3, 3, space.num_nodes};
  EXPECT_EQ(find_face_merges(hexes, 8),
            (std::vector<std::uint8_t>{FaceMerge::with_next, FaceMerge::with_next | FaceMerge::with_previous,
                                       FaceMerge::with_previous}));
  EXPECT_EQ(find_face_merges(hexes, 2), (std::vector<std::uint8_t>{FaceMerge::with_next, FaceMerge::with_previous, 0}));
  EXPECT_TRUE(find_face_merges(hexes, 1).empty());
  offsets[at(2 * 27 + 14)] = offsets[at(12 + 27)];  // the last element ends at the face between the first two
  EXPECT_EQ(find_face_merges(hexes, 8), (std::vector<std::uint8_t>{0, FaceMerge::with_next, FaceMerge::with_previous}));
}

TEST(NodeEntities, NumberEveryNodeOnce) {
  std::vector<bool> seen(6 * 6 * 6);
  for (int n = 0; n < 216; ++n) {
    const int number = cuda::entity_place<6>(n % 6, n / 6 % 6, n / 36);
    ASSERT_TRUE(number >= 0 && number < 216);
    EXPECT_FALSE(seen[at(number)]);
    seen[at(number)] = true;
  }
}

}  // namespace
}  // namespace millrace::testing
