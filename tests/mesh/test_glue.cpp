// Periodic sides: how many vertices, edges and faces are left, that both cells of a glued face see the same nodes
// there, and the texts where sides do not fit.
#include "mesh/mesh_tools.hpp"
#include "millrace/mesh/reorder.hpp"

namespace millrace {
namespace {
using namespace testing;

Mesh periodic_box(Cell cell, std::array<int, 3> cells, std::array<bool, 3> periodic, int order = 1) {
  return make_box(cell, cells, {{0, 0, 0}, {1, 2, 3}, periodic}, order);
}

/// Every cell sees the own nodes of a face at the same places, up to the periods 1, 2, 3.
void expect_faces_match(const Mesh& mesh, const Topology& t) {
  const int p = 3;
  for (Index f = 0; f < t.num_faces(); ++f) {
    std::vector<Point> seen;
    for (const FaceSide& side : t.face_sides[at(f)]) {
      if (!side.exists()) continue;
      const CellBlock& block = mesh.blocks[at(side.block)];
      const Cell face = face_cell(block.cell);
      const auto place = at(side.cell * num_faces(block.cell) + side.face);
      ASSERT_EQ(t.blocks[at(side.block)].faces[place], f);
      const auto local = own_to_local_map(face, t.blocks[at(side.block)].face_orientations[place], p);
      const auto in_cell = face_nodes(block.cell, p, side.face);
      const auto table = tabulate_geometry(block.cell, block.order, lattice_points(block.cell, p));
      std::size_t next = 0;
      for (const int n : local) {
        const Point x = map_point(mesh, block.nodes_of(side.cell), table, in_cell[at(n)]);
        if (&side == &t.face_sides[at(f)][0]) {
          seen.push_back(x);
          continue;
        }
        for (std::size_t d = 0; d < 3; ++d) {
          const double period = static_cast<double>(d + 1), gap = std::abs(x[d] - seen[next][d]) / period;
          ASSERT_NEAR(gap, std::round(gap), 1e-12) << name(block.cell) << " face " << f;
        }
        ++next;
      }
    }
  }
}

TEST(Glue, CountsWhatIsLeft) {
  for (const Cell cell : all_cells) {
    const bool plane = dim(cell) == 2;
    for (int mask = 1; mask < (plane ? 4 : 8); ++mask)
      for (const int n : {1, 2, 3}) {
        const std::array<bool, 3> periodic{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
        Mesh mesh = periodic_box(cell, {n, 2, 3}, periodic, mask % 3 + 1);
        shuffle_points(mesh, static_cast<std::uint64_t>(n));
        turn_cells(mesh, static_cast<std::uint64_t>(mask));
        check(mesh);
        const Topology open = make_topology(mesh), t = make_topology(mesh, PeriodicSides::glued);
        const std::array<int, 3> cells{n, 2, plane ? 0 : 3};
        Index vertices = 1;
        for (std::size_t d = 0; d < 3; ++d) vertices *= cells[d] + (periodic[d] && !(plane && d == 2) ? 0 : 1);
        EXPECT_EQ(t.num_vertices(), vertices) << name(cell) << " " << mask << " " << n;
        // Euler's characteristic of whatever has a closed direction is 0.
        EXPECT_EQ(t.num_vertices() - t.num_edges() + (plane ? mesh.num_cells() : t.num_faces() - mesh.num_cells()), 0);
        const auto glued = open.num_faces() - t.num_faces();
        EXPECT_EQ(std::ssize(t.boundary_faces), std::ssize(open.boundary_faces) - 2 * glued);
        EXPECT_TRUE(std::is_sorted(t.vertex_points.begin(), t.vertex_points.end()));
        if (plane) {
          EXPECT_EQ(t.edge_vertices, t.face_vertices);
          EXPECT_EQ(t.blocks[0].edges, t.blocks[0].faces);
          EXPECT_EQ(t.blocks[0].edge_reversed, t.blocks[0].face_orientations);
        }
        expect_faces_match(mesh, t);
      }
  }
}

TEST(Glue, GroupsOfBothSidesAreOnTheOneFace) {
  const Mesh mesh = periodic_box(Cell::quad, {3, 2, 1}, {true, false, false});
  const Topology t = make_topology(mesh, PeriodicSides::glued);
  EXPECT_EQ(std::count(t.face_tags.begin(), t.face_tags.end(), 1), 2);
  EXPECT_EQ(std::count(t.face_tags.begin(), t.face_tags.end(), 2), 0);
  ASSERT_EQ(t.more_tags.size(), 2u);
  for (const FaceTag& more : t.more_tags) {
    EXPECT_EQ(more.tag, 2);
    EXPECT_EQ(t.face_tags[at(more.face)], 1);
    EXPECT_FALSE(t.on_boundary(more.face));
  }
  for (const Index f : t.boundary[0]) EXPECT_LT(f, t.num_faces());
}

TEST(Glue, SurvivesElevateReorderAndClone) {
  for (const Cell cell : all_cells) {
    Mesh mesh = elevate(periodic_box(cell, {3, 2, 2}, {true, true, true}), 3);
    const Index vertices = make_topology(mesh, PeriodicSides::glued).num_vertices();
    EXPECT_EQ(vertices, dim(cell) == 2 ? 6 : 12);
    reorder(mesh);
    const Mesh copy = mesh.clone();
    const Topology t = make_topology(copy, PeriodicSides::glued);
    EXPECT_EQ(t.num_vertices(), vertices);
    EXPECT_TRUE(t.boundary_faces.empty());
    expect_faces_match(copy, t);
    EXPECT_EQ(make_topology(copy).boundary_faces.size(), at(mesh.num_boundary_faces()));  // left open unless asked for
  }
}

TEST(Glue, SidesThatDoNotFitAreNamed) {
  const auto error = [](const Mesh& mesh) { return error_of([&] { make_topology(mesh, PeriodicSides::glued); }); };
  Mesh mesh = periodic_box(Cell::quad, {2, 2, 1}, {true, false, false});
  auto& pairs = mesh.periodic[0].pairs;
  const auto right = pairs;
  pairs.resize(1);
  EXPECT_EQ(error(mesh), "periodic side 0: its pairs of points contain no face of the boundary");
  pairs = right;
  pairs.push_back({pairs[0][0], pairs[1][1]});
  EXPECT_EQ(error(mesh), "periodic side 0: point 2 has two partners, 0 and 3");
  pairs = right;
  pairs[1][1] = pairs[0][1];
  EXPECT_EQ(error(mesh), "periodic side 0: point 0 is the partner of two points, one of them 5");
  pairs = right;
  std::swap(pairs[0][1], pairs[1][1]);
  EXPECT_EQ(
      error(mesh),
      "periodic side 0: the face with the points 5 8 has no face as its partner, the master's face with the points "
      "3 6 is left over; the faces of both sides must match");
  pairs = right;
  mesh.periodic.push_back({{{2, 8}, {5, 5}, {8, 2}}});
  EXPECT_EQ(error(mesh), "periodic side 1: the face with the points 2 5 is glued to two others");
  mesh.periodic = {{{{0, 99}}}};
  EXPECT_EQ(error_of([&] { check(mesh); }), "mesh: a periodic side has the point 99, the points are 0 to 8");
}

// The left side upside down on the right one: a Moebius band, which has one boundary.
TEST(Glue, ASideMayBeTurnedRound) {
  Mesh mesh = periodic_box(Cell::quad, {3, 2, 1}, {true, false, false});
  auto& pairs = mesh.periodic[0].pairs;
  std::swap(pairs.front()[1], pairs.back()[1]);
  const Topology t = make_topology(mesh, PeriodicSides::glued);
  EXPECT_EQ(t.num_vertices(), 9);
  EXPECT_EQ(t.num_vertices() - t.num_edges() + mesh.num_cells(), 0);
  EXPECT_EQ(t.boundary_faces.size(), 6u);
}

}  // namespace
}  // namespace millrace
