// Continuous spaces: every node once, whatever way elements look at shared edges and faces.
#include <numeric>

#include "fem/fem_tools.hpp"
#include "millrace/fem/basis/tabulate.hpp"

namespace millrace::testing {
namespace {

/// The same cells with the vertices of each renamed by a random symmetry, so that all orientations of faces appear.
Mesh shuffled_box(Cell cell, std::uint64_t seed) {
  Mesh mesh = warped_box(cell, 3, 1);
  Random random(seed);
  for (Index c = 0; c < mesh.blocks[0].num_cells(); ++c) {
    const auto nodes = mesh.blocks[0].nodes_of(c);
    const std::vector<Index> old(nodes.begin(), nodes.end());
    if (!is_tensor(cell)) {
      const auto turn = static_cast<std::size_t>(random.below(3));  // turns three vertices: even, volume stays positive
      for (std::size_t v = 0; v < 3; ++v) nodes[v] = old[(v + turn) % 3];
      continue;
    }
    const int axes = dim(cell);
    std::array<int, 3> axis{0, 1, 2};
    for (int a = axes - 1; a > 0; --a)
      std::swap(axis[static_cast<std::size_t>(a)], axis[static_cast<std::size_t>(random.below(a + 1))]);
    const int flips = random.below(1 << axes);
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      std::size_t from = 0;
      for (int a = 0; a < axes; ++a) from |= ((v >> a) & 1) << axis[static_cast<std::size_t>(a)];
      nodes[v] = old[from ^ static_cast<std::size_t>(flips)];
    }
  }
  return mesh;
}

TEST(Space, CountsNodesOfBoxes) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 5; ++order) {
      const Mesh mesh = make_box(cell, {3, 2, 2});
      const Space space = make_space(mesh, order);
      const int in_z = dim(cell) == 3 ? 2 * order + 1 : 1;
      EXPECT_EQ(space.num_nodes, (3 * order + 1) * (2 * order + 1) * in_z) << name(cell) << " order " << order;
      std::vector<int> seen(static_cast<std::size_t>(space.num_nodes));
      for (const Index n : space.only_block().restriction.offsets.span()) ++seen[static_cast<std::size_t>(n)];
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 0), 0);
    }
}

TEST(Space, NodesOfAllElementsLieWhereTheSpaceSays) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 6; ++order) {
      const Mesh mesh = shuffled_box(cell, static_cast<std::uint64_t>(order));
      const Space space = make_space(mesh, order);
      const int in_z = dim(cell) == 3 ? 3 * order + 1 : 1;
      ASSERT_EQ(space.num_nodes, (3 * order + 1) * (3 * order + 1) * in_z) << name(cell) << " order " << order;
      Quadrature nodes;
      nodes.dim = space.dim;
      nodes.points = reference_nodes(cell, order, NodeKind::fem);
      nodes.weights.assign(nodes.points.size() / static_cast<std::size_t>(space.dim), 0);
      const ElementMap map(cell, 1, nodes);
      std::vector<double> work(static_cast<std::size_t>(map.work_size()));
      for (Index e = 0; e < space.only_block().restriction.num_elem; ++e) {
        const ElementPoints at = map.evaluate(mesh.points.data(), mesh.blocks[0].nodes_of(e), work.data());
        for (int n = 0; n < at.num_points; ++n)
          for (int d = 0; d < space.dim; ++d)
            ASSERT_NEAR(at.places[d * at.num_points + n],
                        space.place(static_cast<Index>(space.only_block().restriction.entry(e, 0, n)))[d], 1e-13)
                << name(cell) << " order " << order << " element " << e << " node " << n;
      }
    }
}

TEST(Space, KnowsItsBoundary) {
  for (const Cell cell : all_cells) {
    const Space space = make_space(make_box(cell, {2, 2, 2}), 3);
    const int line = 7, all = dim(cell) == 3 ? line * line * line : line * line;
    const int inside = dim(cell) == 3 ? 5 * 5 * 5 : 5 * 5;
    EXPECT_EQ(std::ssize(space.all_boundary_nodes), all - inside) << name(cell);
    ASSERT_EQ(std::ssize(space.boundary), 2 * dim(cell));
    const std::int32_t left[] = {1};
    const std::vector<Index> nodes = boundary_nodes(space, left);
    EXPECT_EQ(std::ssize(nodes), all / line);
    for (const Index n : nodes) EXPECT_EQ(space.place(n)[0], 0.0);
    const std::int32_t unknown[] = {77};
    EXPECT_NE(error_of([&] { boundary_nodes(space, unknown); }).find("no boundary face has the tag 77; there are: 1 2"),
              std::string::npos);
  }
}

TEST(Space, AFaceInTwoGroupsIsInBoth) {
  Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  for (std::size_t b = 0, num = mesh.boundary.size(); b < num; ++b) {  // all sides once more, in one group
    BoundaryBlock again = mesh.boundary[b].clone();
    std::fill(again.tag.span().begin(), again.tag.span().end(), 9);
    mesh.boundary.push_back(std::move(again));
  }
  const Space space = make_space(mesh, 3);
  const std::int32_t left[] = {1}, all[] = {9};
  EXPECT_EQ(std::ssize(boundary_nodes(space, left)), 7);
  EXPECT_EQ(boundary_nodes(space, all), space.all_boundary_nodes);
}

TEST(Space, ComponentsLieOneAfterAnother) {
  const Space space = make_space(make_box(Cell::quad, {2, 2, 1}), 2, 2);
  EXPECT_EQ(space.num_dofs(), 2 * 25);
  EXPECT_EQ(space.only_block().restriction.entry(1, 1, 0), space.only_block().restriction.entry(1, 0, 0) + 25);
}

TEST(Space, RefusesOtherOrders) {
  const Mesh mesh = make_box(Cell::triangle, {2, 2, 1});
  EXPECT_EQ(error_of([&] { make_space(mesh, 9); }), "space: order 9 was asked for; orders of a triangle are 1 to 8");
  EXPECT_EQ(error_of([&] { make_space(mesh, 0); }), "space: order 0 was asked for; orders of a triangle are 1 to 8");
}

}  // namespace
}  // namespace millrace::testing
