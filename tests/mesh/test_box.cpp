// Boxes of every cell and order: volumes, closed boundaries, tags, and what deform and elevate keep.
#include "mesh/mesh_tools.hpp"

namespace millrace {
namespace {
using namespace testing;

TEST(Box, VolumesAreExactAndJacobiansPositive) {
  const Box box{{-1, 0, 2}, {1, 3, 2.5}};
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 4; ++order) {
      const Mesh mesh = make_box(cell, {3, 2, 4}, box, order);
      check(mesh);
      const Measure found = measure(mesh);
      EXPECT_NEAR(found.volume, dim(cell) == 2 ? 6 : 3, 1e-12) << name(cell);
      EXPECT_NEAR(found.worst_jacobian, 1, 1e-10) << name(cell) << order;  // straight cells
      EXPECT_EQ(found.num_inverted, 0);
      const Index bricks = dim(cell) == 2 ? 6 : 24;
      EXPECT_EQ(mesh.num_cells(), bricks * (cell == Cell::triangle ? 2 : cell == Cell::tet ? 6 : 1));
    }
}

TEST(Box, TheBoundaryIsClosedAndTagged) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 3; ++order) {
      Mesh mesh = make_box(cell, {2, 3, 2}, {}, order);
      const Topology topology = make_topology(mesh);
      EXPECT_EQ(std::ssize(topology.boundary_faces), mesh.num_boundary_faces());
      for (const Index f : topology.boundary_faces) EXPECT_NE(topology.face_tags[at(f)], 0);
      deform(mesh, bend);
      Point sum{};
      for (const Index f : topology.boundary_faces) {
        const FaceSide side = topology.face_sides[at(f)][0];
        const Point area = outward_area(mesh, mesh.blocks[0], side.cell, side.face);
        for (std::size_t d = 0; d < 3; ++d) sum[d] += area[d];
      }
      EXPECT_LT(distance(sum, {}), 1e-13) << name(cell) << order;
      for (int side = 0; side < 2 * mesh.dim; ++side) {
        const std::string text{"xyz"[side / 2], "01"[side % 2]};
        EXPECT_EQ(mesh.tag_of(mesh.dim - 1, text), side + 1);
        EXPECT_EQ(mesh.name_of(mesh.dim - 1, side + 1), text);
      }
    }
}

TEST(Box, TagsSitOnTheirSides) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {2, 2, 3}, {{0, 0, 0}, {1, 2, 3}}, 2);
    for (const BoundaryBlock& block : mesh.boundary)
      for (Index c = 0; c < block.num_cells(); ++c) {
        const auto axis = at((block.tag.data()[c] - 1) / 2);
        const double level = block.tag.data()[c] % 2 == 1 ? 0 : static_cast<double>(axis) + 1;
        for (const Index p : block.nodes_of(c)) ASSERT_EQ(mesh.point(p)[axis], level);
      }
  }
}

TEST(Elevate, KeepsEveryPlace) {
  for (const Cell cell : all_cells)
    for (int low = 1; low <= 2; ++low) {
      Mesh mesh = make_box(cell, {2, 2, 2}, {}, low);
      deform(mesh, bend);
      shuffle_points(mesh, 7);
      turn_cells(mesh, 8);
      for (int order = low; order <= 4; ++order) {
        const Mesh fine = elevate(mesh, order);
        check(fine);
        const Measure was = measure(mesh), is = measure(fine);
        EXPECT_NEAR(is.volume, was.volume, 1e-14 * 100);
        EXPECT_GT(is.worst_jacobian, 0);
        Offset expected = order * 2 + 1;  // points of the lattice of a box
        for (int d = 1; d < mesh.dim; ++d) expected *= order * 2 + 1;
        EXPECT_EQ(fine.num_points(), expected) << name(cell);
        EXPECT_EQ(make_topology(fine).boundary_faces.size(), at(mesh.num_boundary_faces()));
        double area = 0, was_area = 0;
        for (Index c = 0; c < mesh.num_boundary_faces(); ++c) {
          was_area += distance(own_area(mesh, face_cell(cell), low, mesh.boundary[0].nodes_of(c)), {});
          area += distance(own_area(fine, face_cell(cell), order, fine.boundary[0].nodes_of(c)), {});
        }
        EXPECT_NEAR(area, was_area, 1e-12);
      }
    }
}

TEST(Elevate, CurvedVolumesConvergeToTheExactOne) {
  // A quarter of a ring: (r, t) to (r cos t, r sin t), its area 3 pi / 16; the error falls as h^(2 order).
  for (const Cell cell : {Cell::triangle, Cell::quad})
    for (int order = 1; order <= 4; ++order) {
      double error[2];
      for (const int n : {2, 4}) {
        Mesh mesh = elevate(make_box(cell, {n, n, 1}, {{0.5, 0, 0}, {1, std::acos(0.0), 0}}), order);
        deform(mesh, [](const Point& x) -> Point { return {x[0] * std::cos(x[1]), x[0] * std::sin(x[1]), 0}; });
        error[n / 4] = std::abs(measure(mesh).volume - 3 * std::acos(0.0) / 8);
      }
      EXPECT_LT(error[1], error[0] / std::pow(2, order)) << name(cell) << order;
    }
}

TEST(Mesh, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] {
              make_box(Cell::segment, {1, 1, 1});
            }),
            "make_box: boxes are made of triangle, quad, tet or hex cells, not of segment");
  EXPECT_EQ(error_of([] { make_box(Cell::hex, {1, 0, 1}); }), "make_box: 0 cells along y; at least 1 is needed");
  EXPECT_EQ(error_of([] { make_box(Cell::hex, {1, 1, 1}, {}, 5); }), "make_box: the order is 5; 1 to 4 are possible");
  EXPECT_EQ(error_of([] {
              make_box(Cell::hex, {3000, 3000, 3000});
            }),
            "make_box: 27027009001 points and 27000000000 cells; both must stay below 2^31");
  Mesh mesh = make_box(Cell::quad, {2, 1, 1});
  EXPECT_EQ(error_of([&] { elevate(mesh, 5); }),
            "elevate: order 5 was asked for; the mesh has cells of order 1, and 4 is the highest possible");
  EXPECT_EQ(error_of([&] { mesh.tag_of(1, "inflow"); }),
            "no group of dimension 1 has the name 'inflow'; the mesh has: x0 x1 y0 y1");
  mesh.blocks.push_back(make_box(Cell::triangle, {1, 1, 1}, {}, 2).blocks[0].clone());
  EXPECT_EQ(error_of([&] { mesh.only_block(); }),
            "this needs a mesh with one kind of cell; this one has 2 quads, 2 triangles of order 2");
  EXPECT_EQ(error_of([&] { check(mesh); }), "mesh: a triangle has the node 8, the points are 0 to 5");
}

TEST(Mesh, InvertedCellsAreTurned) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 3; ++order) {
      Mesh mesh = make_box(cell, {2, 2, 1}, {}, order);
      deform(mesh, [](const Point& x) -> Point { return {-x[0], x[1], x[2]}; });
      EXPECT_EQ(measure(mesh).num_inverted, mesh.num_cells());
      EXPECT_EQ(turn_inverted_cells(mesh), mesh.num_cells());
      EXPECT_EQ(turn_inverted_cells(mesh), 0);
      EXPECT_NEAR(measure(mesh).volume, 1, 1e-14);
      EXPECT_GT(measure(mesh).worst_jacobian, 0.99);
    }
}

}  // namespace
}  // namespace millrace
