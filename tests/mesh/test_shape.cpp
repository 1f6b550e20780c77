// Tables and lattices of cells: every lattice is counted, faces lie where they should, and signs point outwards.
#include "mesh/mesh_tools.hpp"

namespace millrace {
namespace {
using namespace testing;

static_assert(num_nodes(Cell::hex, 4) == 125 && num_nodes(Cell::tet, 4) == 35 && num_nodes(Cell::triangle, 4) == 15);
static_assert(lattice_index(Cell::tet, 2, {0, 0, 2}) == 9 && lattice_index(Cell::triangle, 3, {0, 3, 0}) == 9);

TEST(Shape, LatticesAreNumberedInTheirOrder) {
  for (const Cell cell : {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
    for (int order = 1; order <= 9; ++order) {
      const auto nodes = lattice(cell, order);
      ASSERT_EQ(std::ssize(nodes), num_nodes(cell, order)) << name(cell);
      for (std::size_t n = 0; n < nodes.size(); ++n)
        ASSERT_EQ(lattice_index(cell, order, nodes[n]), static_cast<int>(n)) << name(cell) << " of order " << order;
      ASSERT_EQ(std::ssize(vertex_nodes(cell, order)), num_vertices(cell));
      for (int v = 0; v < num_vertices(cell); ++v) EXPECT_EQ(vertex_nodes(cell, 1)[at(v)], v);
    }
}

TEST(Shape, FacesLieWhereTheyShould) {
  const int order = 3;
  for (const Cell cell : all_cells) {
    const auto nodes = lattice(cell, order);
    for (int f = 0; f < num_faces(cell); ++f) {
      const auto on_face = face_nodes(cell, order, f);
      EXPECT_EQ(std::ssize(on_face), num_nodes(face_cell(cell), order));
      for (const int n : on_face) {
        const auto [i, j, k] = nodes[at(n)];
        if (is_tensor(cell)) {
          EXPECT_EQ(nodes[at(n)][at(f / 2)], f % 2 == 0 ? 0 : order);
        } else {
          const std::array<int, 4> weight{order - i - j - k, i, j, k};
          EXPECT_EQ(weight[at(f)], 0);
        }
      }
      const auto corners = vertex_nodes(face_cell(cell), order);
      for (std::size_t v = 0; v < corners.size(); ++v)
        EXPECT_EQ(on_face[at(corners[v])], vertex_nodes(cell, order)[at(face_vertices(cell, f)[v])]);
      if (dim(cell) == 2) {
        EXPECT_EQ(edge_nodes(cell, order, f), on_face);
      }
    }
    for (int e = 0; e < num_edges(cell); ++e) {
      const auto on_edge = edge_nodes(cell, order, e);
      EXPECT_EQ(on_edge.front(), vertex_nodes(cell, order)[at(edge_vertices(cell, e)[0])]);
      EXPECT_EQ(on_edge.back(), vertex_nodes(cell, order)[at(edge_vertices(cell, e)[1])]);
    }
  }
}

// One cell: the outward normals of the reference cell are known.
TEST(Shape, SignsPointOutwards) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {1, 1, 1});
    const CellBlock& block = mesh.only_block();
    Point center{};
    for (const Index p : block.nodes_of(0))
      for (std::size_t d = 0; d < 3; ++d) center[d] += mesh.point(p)[d] / num_vertices(cell);
    for (int f = 0; f < num_faces(cell); ++f) {
      const Point area = outward_area(mesh, block, 0, f);
      const Point corner = mesh.point(block.nodes_of(0)[at(face_vertices(cell, f)[0])]);
      double out = 0;
      for (std::size_t d = 0; d < 3; ++d) out += area[d] * (corner[d] - center[d]);
      EXPECT_GT(out, 0.01) << name(cell) << " face " << f;
    }
  }
}

TEST(Shape, FunctionsAreOneAtTheirNodeAndSumToOne) {
  for (const Cell cell : {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
    for (int order = 1; order <= 4; ++order) {
      const auto nodes = tabulate_geometry(cell, order, lattice_points(cell, order));
      for (int q = 0; q < nodes.num_points; ++q)
        for (int n = 0; n < nodes.num_nodes; ++n)
          ASSERT_NEAR(nodes.values[at(q * nodes.num_nodes + n)], q == n ? 1 : 0, 1e-13) << name(cell) << order;
      const auto rule = make_volume_rule(cell, 3);
      const auto inside = tabulate_geometry(cell, order, rule.points);
      const auto places = lattice_points(cell, order);
      for (int q = 0; q < inside.num_points; ++q)
        for (int a = 0; a < inside.dim; ++a)
          for (int b = 0; b < inside.dim; ++b) {  // the gradient of a coordinate is a unit vector
            double slope = 0;
            for (int n = 0; n < inside.num_nodes; ++n)
              slope += inside.grads[at((b * inside.num_points + q) * inside.num_nodes + n)] * places[at(n)][at(a)];
            ASSERT_NEAR(slope, a == b ? 1 : 0, 1e-12) << name(cell) << order;
          }
    }
}

}  // namespace
}  // namespace millrace
