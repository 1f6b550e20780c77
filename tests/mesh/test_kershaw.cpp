// Kershaw's mesh: it fills the box, keeps its outline, and is squeezed where it should be.
#include "mesh/mesh_tools.hpp"

namespace millrace {
namespace {
using namespace testing;

TEST(Kershaw, FillsTheUnitCubeWithPositiveJacobians) {
  for (const Cell cell : all_cells)
    for (const double epsilon : {1.0, 0.6, 0.3, 0.05})
      for (const int cells : {6, 10, 12}) {
        const Mesh mesh = make_kershaw(cell, {cells, cells, cells}, epsilon);
        check(mesh);
        const Measure found = measure(mesh);
        EXPECT_NEAR(found.volume, 1, 1e-12) << name(cell) << ' ' << epsilon << ' ' << cells;
        EXPECT_EQ(found.num_inverted, 0) << name(cell) << ' ' << epsilon << ' ' << cells;
        EXPECT_GT(found.smallest_cell, 0);
      }
}

TEST(Kershaw, OfOneIsTheBox) {
  for (const Cell cell : all_cells) {
    const Mesh box = make_box(cell, {6, 4, 2}), mesh = make_kershaw(cell, {6, 4, 2}, 1);
    EXPECT_EQ(box.points.to_vector(), mesh.points.to_vector());
    EXPECT_EQ(box.blocks[0].nodes.to_vector(), mesh.blocks[0].nodes.to_vector());
  }
}

TEST(Kershaw, KeepsEveryPointOfTheOutlineOnItsSide) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_kershaw(cell, {12, 6, 4}, 0.3, 2);
    for (const BoundaryBlock& block : mesh.boundary)
      for (Index c = 0; c < block.num_cells(); ++c) {
        const int side = block.tag.data()[c] - 1;
        for (const Index p : block.nodes_of(c)) ASSERT_EQ(mesh.point(p)[at(side / 2)], side % 2);
      }
  }
}

TEST(Kershaw, SqueezesOneHalfAndThenTheOther) {
  const double epsilon = 0.3;
  const Mesh mesh = make_kershaw(Cell::hex, {6, 2, 2}, epsilon);
  // Where the middle of y and z is, plane by plane: below in the first layer, above after the second, below in the
  // middle, and above in the last.
  const double low = epsilon / 2, high = 1 - epsilon / 2;
  const double expected[] = {low, low, high, 0.5, low, high, high};
  for (Index i = 0; i <= 6; ++i) {
    const Point middle = mesh.point(i + 7 * (1 + 3 * 1));
    EXPECT_NEAR(middle[0], i / 6.0, 1e-15);
    EXPECT_NEAR(middle[1], expected[i], 1e-14) << i;
    EXPECT_NEAR(middle[2], expected[i], 1e-14) << i;
  }
}

TEST(Kershaw, SaysWhichEpsilonIsAccepted) {
  for (const double epsilon : {0.0, -1.0, 1.5})
    EXPECT_NE(error_of([&] {
                make_kershaw(Cell::hex, {6, 6, 6}, epsilon);
              }).find("more than 0 and at most 1, where nothing is moved, are accepted"),
              std::string::npos)
        << epsilon;
}

}  // namespace
}  // namespace millrace
