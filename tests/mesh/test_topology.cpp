// Numbers and orientations: whatever the order of points and the turn of cells, both sides of a face see the same
// places at the same nodes of its own lattice.
#include <set>

#include "mesh/mesh_tools.hpp"

namespace millrace {
namespace {
using namespace testing;

TEST(Orientation, CodesAreAllDifferentAndReadBack) {
  for (const Cell face : {Cell::segment, Cell::triangle, Cell::quad}) {
    std::set<std::vector<int>> maps;
    for (int code = 0; code < num_orientations(face); ++code) {
      maps.insert(own_to_local_map(face, code, 3));
      // Vertices 10, 11, ... in the own order, moved to where the local order has them, give the code again.
      std::array<Index, 4> local{-1, -1, -1, -1};
      const auto place = own_to_local_map(face, code, 1);
      for (std::size_t v = 0; v < place.size(); ++v) local[at(place[v])] = 10 + static_cast<Index>(v);
      const Oriented seen = orient(face, local);
      EXPECT_EQ(seen.code, code) << name(face);
      for (std::size_t v = 0; v < place.size(); ++v) EXPECT_EQ(seen.vertices[v], 10 + static_cast<Index>(v));
    }
    EXPECT_EQ(std::ssize(maps), num_orientations(face));
    const auto same = own_to_local_map(face, 0, 3);
    for (std::size_t n = 0; n < same.size(); ++n) EXPECT_EQ(same[n], static_cast<int>(n));
  }
}

TEST(Orientation, SignsTellMirrorImages) {
  for (const Cell face : {Cell::triangle, Cell::quad})
    for (int code = 0; code < num_orientations(face); ++code) {
      const Lattice o = own_to_local(face, code, 1, 0, 0), i = own_to_local(face, code, 1, 1, 0),
                    j = own_to_local(face, code, 1, 0, 1);
      EXPECT_EQ((i[0] - o[0]) * (j[1] - o[1]) - (i[1] - o[1]) * (j[0] - o[0]), orientation_sign(face, code));
    }
}

Mesh scrambled(Cell cell, int order, std::uint64_t seed) {
  Mesh mesh = make_box(cell, {3, 2, 2}, {}, order);
  deform(mesh, bend);
  shuffle_points(mesh, seed);
  turn_cells(mesh, seed + 1);
  return mesh;
}

// The places of the nodes of a face or edge in its own order, as one cell has them.
std::vector<Point> own_places(const Mesh& mesh, const CellBlock& block, Index cell, Cell part, int code,
                              const std::vector<int>& nodes, int p) {
  const auto table = tabulate_geometry(block.cell, block.order, lattice_points(block.cell, p));
  std::vector<Point> places;
  for (const int local : own_to_local_map(part, code, p))
    places.push_back(map_point(mesh, block.nodes_of(cell), table, nodes[at(local)]));
  return places;
}

TEST(Topology, BothSidesSeeTheSamePlaces) {
  std::set<std::pair<Cell, int>> codes;
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 2; ++order)
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Mesh mesh = scrambled(cell, order, seed);
        ASSERT_NEAR(measure(mesh).worst_jacobian, 1, 0.8);  // turning mirrors nothing
        const Topology topology = make_topology(mesh);
        const CellBlock& block = mesh.only_block();
        const BlockTopology& cells = topology.blocks[0];
        const int p = 4;
        std::vector<std::vector<Point>> edges(at(topology.num_edges())), faces(at(topology.num_faces()));
        const auto compare = [&](std::vector<Point>& known, const std::vector<Point>& found) {
          if (known.empty()) known = found;
          for (std::size_t n = 0; n < found.size(); ++n) ASSERT_LT(distance(known[n], found[n]), 1e-13) << name(cell);
        };
        for (Index c = 0; c < block.num_cells(); ++c) {
          for (int e = 0; e < num_edges(cell); ++e) {
            const auto k = at(c * num_edges(cell) + e);
            compare(edges[at(cells.edges[k])],
                    own_places(mesh, block, c, Cell::segment, cells.edge_reversed[k], edge_nodes(cell, p, e), p));
          }
          for (int f = 0; f < num_faces(cell); ++f) {
            const auto k = at(c * num_faces(cell) + f);
            codes.insert({face_cell(cell), cells.face_orientations[k]});
            compare(faces[at(cells.faces[k])],
                    own_places(mesh, block, c, face_cell(cell), cells.face_orientations[k], face_nodes(cell, p, f), p));
          }
        }
      }
  EXPECT_EQ(codes.size(), 2u + 6u + 8u);  // every code was seen
}

TEST(Topology, CountsFulfilEuler) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = scrambled(cell, 2, 3);
    const Topology t = make_topology(mesh);
    if (mesh.dim == 2)
      EXPECT_EQ(t.num_vertices() - t.num_edges() + mesh.num_cells(), 1);
    else
      EXPECT_EQ(t.num_vertices() - t.num_edges() + t.num_faces() - mesh.num_cells(), 1);
    EXPECT_EQ(t.num_vertices(), mesh.dim == 2 ? 12 : 36);
    EXPECT_EQ(std::ssize(t.boundary_faces), mesh.num_boundary_faces());
    EXPECT_TRUE(std::is_sorted(t.face_vertices.begin(), t.face_vertices.end()));
  }
}

TEST(Topology, SidesPointBack) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = scrambled(cell, 1, 9);
    const Topology t = make_topology(mesh);
    Index inner = 0;
    for (Index f = 0; f < t.num_faces(); ++f) {
      Point sum{};
      for (const FaceSide& side : t.face_sides[at(f)]) {
        if (!side.exists()) continue;
        EXPECT_EQ(t.blocks[0].faces[at(side.cell * num_faces(cell) + side.face)], f);
        const Point area = outward_area(mesh, mesh.blocks[0], side.cell, side.face);
        for (std::size_t d = 0; d < 3; ++d) sum[d] += area[d];
      }
      if (t.on_boundary(f)) continue;
      ++inner;
      EXPECT_LT(distance(sum, {}), 1e-14);  // outwards of one side is inwards of the other
      EXPECT_EQ(t.face_tags[at(f)], 0);
    }
    EXPECT_EQ(inner + std::ssize(t.boundary_faces), t.num_faces());
  }
}

TEST(Topology, MixedCellsShareFaces) {
  // One quad beside two triangles: | quad | / |
  Mesh mesh;
  mesh.dim = 2;
  mesh.points = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
  mesh.blocks.push_back({Cell::quad, 1, {0, 1, 3, 4}, {1}});
  mesh.blocks.push_back({Cell::triangle, 1, {1, 2, 5, 1, 5, 4}, {1, 1}});
  mesh.boundary.push_back({Cell::segment, 1, {4, 1, 0, 3}, {7, 8}});
  const Topology t = make_topology(mesh);
  EXPECT_EQ(t.num_faces(), 8);
  EXPECT_EQ(t.boundary_faces.size(), 6u);
  EXPECT_EQ(t.boundary, (std::vector<std::vector<Index>>{{t.blocks[0].faces[1], t.blocks[0].faces[0]}}));
  const Index shared = t.blocks[0].faces[1];
  EXPECT_EQ(t.face_tags[at(shared)], 7);
  EXPECT_EQ(t.face_sides[at(shared)][1], (FaceSide{1, 1, 1}));
}

TEST(Topology, SaysWhatIsWrong) {
  Mesh mesh = make_box(Cell::triangle, {1, 1, 1});
  mesh.boundary[0].nodes.data()[0] = 1;
  EXPECT_EQ(error_of([&] { make_topology(mesh); }), "topology: boundary segment 0 with the tag 1 is no face of a cell");
  mesh = make_box(Cell::triangle, {1, 1, 1});
  mesh.blocks.push_back({Cell::triangle, 1, {3, 0, 1}, {0}});
  EXPECT_EQ(error_of([&] { make_topology(mesh); }),
            "topology: the face with the points 0 3 belongs to more than two cells");
  mesh.blocks.back() = {Cell::triangle, 1, {3, 0, 3}, {0}};
  EXPECT_EQ(error_of([&] { make_topology(mesh); }), "topology: triangle 0 has a vertex twice");
}

}  // namespace
}  // namespace millrace
