// Sides matched by a translation: the pairs that a generator knows, and the texts where faces do not fit.
#include "millrace/mesh/periodic.hpp"

#include "mesh/mesh_tools.hpp"

namespace millrace {
namespace {
using namespace testing;

TEST(MatchSides, FindsThePairsOfTheGenerator) {
  for (const Cell cell : all_cells)
    for (const int order : {1, 3})
      for (int axis = 0; axis < dim(cell); ++axis) {
        std::array<bool, 3> periodic{};
        periodic[at(axis)] = true;
        Mesh mesh = make_box(cell, {3, 2, 4}, {{0, 0, 0}, {1, 2, 3}, periodic}, order);
        shuffle_points(mesh, 5);
        const auto tag = static_cast<std::int32_t>(2 * axis + 2), master = static_cast<std::int32_t>(2 * axis + 1);
        const Point translation = translation_between(mesh, tag, master);
        for (int d = 0; d < 3; ++d) EXPECT_NEAR(translation[at(d)], d == axis ? -(axis + 1.0) : 0, 1e-14);
        auto wanted = mesh.periodic[0].pairs;
        std::sort(wanted.begin(), wanted.end());
        EXPECT_EQ(match_sides(mesh, tag, master, translation).pairs, wanted) << name(cell) << ' ' << axis;
        for (std::int32_t group = 1; group <= 2 * dim(cell); ++group)
          EXPECT_EQ(touches(mesh, mesh.periodic[0], group), group == tag || group == master);
      }
}

TEST(MatchSides, NamesTheFirstFaceAndItsDistance) {
  Mesh mesh = make_box(Cell::triangle, {4, 4, 1});
  const auto text_of = [&](std::int32_t tag, std::int32_t master, const Point& translation) {
    return error_of([&] { match_sides(mesh, tag, master, translation); });
  };
  EXPECT_EQ(text_of(2, 1, {-1, 0.125, 0}),
            "periodic: face 0 of group 'x1' around (1, 0.125), moved by (-1, 0.125), is 0.125 off the nearest face of "
            "group 'x0'; the faces of both must match within 1e-06 of their size");
  EXPECT_EQ(text_of(2, 2, {}), "periodic: group 'x1' would continue at itself; two groups are needed");
  EXPECT_EQ(text_of(2, 7, {}), "periodic: no boundary face is in group #7");
  // One vertex of the side is out of place: both of its faces are, and the first is named.
  for (Index p = 0; p < mesh.num_points(); ++p)
    if (mesh.point(p) == Point{1, 0.5, 0}) mesh.set_point(p, {1, 0.53, 0});
  const std::string moved = text_of(2, 1, {-1, 0, 0});
  EXPECT_NE(moved.find("periodic: face 1 of group 'x1' around (1, 0.39), moved by (-1, 0), is 0.03"), std::string::npos)
      << moved;
  // The side is a part of its master.
  Mesh part = make_box(Cell::triangle, {2, 2, 1});
  for (BoundaryBlock& block : part.boundary)
    for (Index f = 0; f < block.num_cells(); ++f)
      if (block.tag.data()[f] == 2 && part.point(block.nodes_of(f)[0])[1] < 0.4 &&
          part.point(block.nodes_of(f)[1])[1] < 0.6)
        block.tag.data()[f] = 9;
  const std::string more = error_of([&] { match_sides(part, 2, 1, {-1, 0, 0}); });
  EXPECT_NE(more.find("periodic: face 0 of group 'x0' around (0, 0.25), moved by (1, -0), is 0.5 off"),
            std::string::npos)
      << more;
}

// The same corners, but the squares of one side are cut along the other diagonal.
TEST(MatchSides, SeesOtherDiagonals) {
  Mesh mesh = make_box(Cell::tet, {2, 2, 2});
  for (BoundaryBlock& block : mesh.boundary)
    for (Index f = 0; f + 1 < block.num_cells(); ++f)
      if (block.tag.data()[f] == 6 && block.tag.data()[f + 1] == 6) {
        const auto one = block.nodes_of(f), two = block.nodes_of(f + 1);
        std::vector<Index> all(one.begin(), one.end());
        all.insert(all.end(), two.begin(), two.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        if (all.size() != 4) continue;
        const std::array<std::array<Index, 3>, 2> cut{{{all[0], all[1], all[2]}, {all[1], all[2], all[3]}}};
        std::copy(cut[0].begin(), cut[0].end(), one.begin());
        std::copy(cut[1].begin(), cut[1].end(), two.begin());
        break;
      }
  const std::string text = error_of([&] { match_sides(mesh, 6, 5, {0, 0, -1}); });
  EXPECT_NE(text.find("of group 'z1' around (0."), std::string::npos) << text;
  EXPECT_NE(text.find("is 0.5 off the nearest face of group 'z0'"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace
