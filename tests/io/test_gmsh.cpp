// What a gmsh file says comes back, in every version and form, for every cell and order.
#include <cmath>
#include <set>

#include "io/gmsh_tools.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {
using test::gmsh_forms;
using test::GmshWriter;
using test::parse_mesh;

constexpr Cell all_cells[] = {Cell::triangle, Cell::quad, Cell::tet, Cell::hex};

Point bend(const Point& x) {
  return {x[0] + 0.05 * std::sin(3 * x[1]), x[1] + 0.06 * std::sin(2 * x[0] + x[2]), x[2] + 0.04 * x[0] * x[1]};
}

void expect_same(const Mesh& a, const Mesh& b) {
  ASSERT_EQ(a.dim, b.dim);
  ASSERT_EQ(a.num_points(), b.num_points());
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  ASSERT_EQ(a.boundary.size(), b.boundary.size());
  for (const auto& [these, those] : {std::pair(&a.blocks, &b.blocks), std::pair(&a.boundary, &b.boundary)})
    for (std::size_t k = 0; k < these->size(); ++k) {
      const CellBlock &x = (*these)[k], &y = (*those)[k];
      ASSERT_TRUE(x.cell == y.cell && x.order == y.order && x.num_cells() == y.num_cells());
      for (Index c = 0; c < x.num_cells(); ++c) {
        ASSERT_EQ(x.tag.data()[c], y.tag.data()[c]);
        for (std::size_t n = 0; n < x.nodes_of(c).size(); ++n)
          ASSERT_EQ(a.point(x.nodes_of(c)[n]), b.point(y.nodes_of(c)[n]));
      }
    }
  ASSERT_EQ(a.names.size(), b.names.size());
  for (std::size_t k = 0; k < a.names.size(); ++k)
    EXPECT_TRUE(a.names[k].name == b.names[k].name && a.names[k].tag == b.names[k].tag &&
                a.names[k].dim == b.names[k].dim);
}

TEST(Gmsh, EveryCellOrderAndFormComesBack) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 4; ++order) {
      Mesh mesh = make_box(cell, {2, 3, 1}, {}, order);
      deform(mesh, bend);
      mesh.names.push_back({mesh.dim, 5, "the \"inner\" part"});
      for (std::int32_t& tag : mesh.blocks[0].tag.span()) tag = 5;
      for (const auto& form : gmsh_forms) {
        SCOPED_TRACE(join(name(cell), " of order ", order, ", ", form.text()));
        expect_same(parse_mesh(GmshWriter(form).write(mesh)), mesh);
      }
    }
}

TEST(Gmsh, FilesPlainAndPacked) {
  const test::TempFolder folder;
  const Mesh mesh = make_box(Cell::hex, {2, 1, 1}, {}, 2);
  for (const auto& form : gmsh_forms)
    for (const char* file : {"box.msh", "box.msh.gz", "box.msh.xz"}) {
      if (!test::supported(file)) continue;
      const std::string text = GmshWriter(form).write(mesh);
      const Compression kind = compression_of(std::filesystem::path(file));
      test::save(folder / file, kind == Compression::none ? text : pack(kind, text));
      expect_same(read_gmsh(folder / file), mesh);
    }
}

TEST(Gmsh, MixedCellsMirroredCellsAndNodesNobodyUses) {
  const std::string text = R"($Comments
anything at all
$EndComments

$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "west side"
2 3 ""
$EndPhysicalNames
$Nodes
8
900000000 0 0 5
2 1 0 5
+3 2 0 5
40 99 99 99
5 0 1 5
6 1 1 5
7 2 1e0 5
8 -1 -1 17
$EndNodes
$Elements
5
1 15 2 0 1 8
2 1 2 7 1 5 900000000
3 2 2 3 1 2 7 3
4 3 0 900000000 2 6 5
5 2 4 3 1 1 2 2 7 6
$EndElements
$Periodic
1
0 1 2
1
3 2
$EndPeriodic
)";
  const Mesh mesh = parse_mesh(text);
  EXPECT_EQ(mesh.description(), "2 triangles, 1 quad");
  EXPECT_EQ(mesh.num_points(), 6);
  EXPECT_EQ(mesh.name_of(1, 7), "west side");
  EXPECT_EQ(mesh.name_of(2, 3), "");
  EXPECT_EQ(measure(mesh).volume, 2);
  EXPECT_EQ(measure(mesh).num_inverted, 0);  // triangle 3 of the file is mirrored
  const Topology topology = make_topology(mesh);
  EXPECT_EQ(topology.boundary_faces.size(), 6u);
  EXPECT_EQ(std::count(topology.face_tags.begin(), topology.face_tags.end(), 7), 1);
  // The same with carriage returns.
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_mesh(windows).num_points(), 6);
  EXPECT_EQ(parse_mesh(windows).name_of(1, 7), "west side");
}

// gmsh's own pictures: vertices, edges, inside of faces, inside of the cell.
TEST(GmshTypes, NodesLieWhereTheManualShowsThem) {
  EXPECT_EQ(gmsh_lattice(Cell::segment, 4), (std::vector<Lattice>{{0}, {4}, {1}, {2}, {3}}));
  EXPECT_EQ(gmsh_lattice(Cell::triangle, 4), (std::vector<Lattice>{{0, 0},
                                                                   {4, 0},
                                                                   {0, 4},
                                                                   {1, 0},
                                                                   {2, 0},
                                                                   {3, 0},
                                                                   {3, 1},
                                                                   {2, 2},
                                                                   {1, 3},
                                                                   {0, 3},
                                                                   {0, 2},
                                                                   {0, 1},
                                                                   {1, 1},
                                                                   {2, 1},
                                                                   {1, 2}}));
  EXPECT_EQ(gmsh_lattice(Cell::quad, 3), (std::vector<Lattice>{{0, 0},
                                                               {3, 0},
                                                               {3, 3},
                                                               {0, 3},
                                                               {1, 0},
                                                               {2, 0},
                                                               {3, 1},
                                                               {3, 2},
                                                               {2, 3},
                                                               {1, 3},
                                                               {0, 2},
                                                               {0, 1},
                                                               {1, 1},
                                                               {2, 1},
                                                               {2, 2},
                                                               {1, 2}}));
  EXPECT_EQ(gmsh_lattice(Cell::tet, 2), (std::vector<Lattice>{{0, 0, 0},
                                                              {2, 0, 0},
                                                              {0, 2, 0},
                                                              {0, 0, 2},
                                                              {1, 0, 0},
                                                              {1, 1, 0},
                                                              {0, 1, 0},
                                                              {0, 0, 1},
                                                              {0, 1, 1},
                                                              {1, 0, 1}}));
  const auto tet20 = gmsh_lattice(Cell::tet, 3);  // the last four: inside the faces z = 0, y = 0, x = 0 and the slanted
  EXPECT_EQ(std::vector<Lattice>(tet20.begin() + 16, tet20.end()),
            (std::vector<Lattice>{{1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}));
  const auto hex27 = gmsh_lattice(Cell::hex, 2);
  EXPECT_EQ(std::vector<Lattice>(hex27.begin() + 8, hex27.end()), (std::vector<Lattice>{{1, 0, 0},
                                                                                        {0, 1, 0},
                                                                                        {0, 0, 1},
                                                                                        {2, 1, 0},
                                                                                        {2, 0, 1},
                                                                                        {1, 2, 0},
                                                                                        {2, 2, 1},
                                                                                        {0, 2, 1},
                                                                                        {1, 0, 2},
                                                                                        {0, 1, 2},
                                                                                        {2, 1, 2},
                                                                                        {1, 2, 2},
                                                                                        {1, 1, 0},
                                                                                        {1, 0, 1},
                                                                                        {0, 1, 1},
                                                                                        {2, 1, 1},
                                                                                        {1, 2, 1},
                                                                                        {1, 1, 2},
                                                                                        {1, 1, 1}}));
  for (const Cell cell : {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
    for (int order = 1; order <= 6; ++order) {
      const auto nodes = gmsh_lattice(cell, order);
      std::set<int> all;
      for (const Lattice& at : nodes) all.insert(lattice_index(cell, order, at));
      EXPECT_TRUE(std::ssize(all) == num_nodes(cell, order) && *all.begin() == 0 &&
                  *all.rbegin() == num_nodes(cell, order) - 1);
    }
}

TEST(GmshTypes, EveryTypeHasItsNumberOfNodes) {
  const std::vector<std::pair<int, int>> known{{15, 1},  {1, 2},   {2, 3},   {3, 4},    {4, 4},   {5, 8},   {8, 3},
                                               {9, 6},   {10, 9},  {11, 10}, {12, 27},  {16, 8},  {17, 20}, {21, 10},
                                               {23, 15}, {26, 4},  {27, 5},  {29, 20},  {30, 35}, {36, 16}, {37, 25},
                                               {39, 12}, {40, 16}, {92, 64}, {93, 125}, {99, 32}, {100, 44}};
  for (const auto& [number, nodes] : known) {
    ASSERT_NE(find_gmsh_type(number), nullptr) << number;
    EXPECT_EQ(find_gmsh_type(number)->num_nodes, nodes) << number;
  }
  int count = 0;
  for (int number = -5; number < 200; ++number) count += find_gmsh_type(number) != nullptr;
  EXPECT_EQ(count, std::ssize(known));
}

// A map in the serendipity space, sampled at the nodes the file has, gives the same map at the nodes it lacks.
TEST(Gmsh, SerendipityCellsKeepTheirShape) {
  for (const auto& [type_number, full] : {std::pair(16, 10), {39, 36}, {40, 37}, {17, 12}, {99, 92}, {100, 93}}) {
    const GmshType& type = *find_gmsh_type(type_number);
    const auto map = [&](const Lattice& at) {
      Point x{};
      for (std::size_t d = 0; d < 3; ++d) x[d] = double(at[d]) / type.order;
      const double bump = std::pow(x[0], type.order);
      return Point{x[0] + 0.1 * bump * x[1] * (type.dim == 3 ? x[2] : 1), x[1] + 0.2 * bump, x[2] - 0.1 * bump * x[1]};
    };
    std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(type.num_nodes) + "\n",
                element;
    const auto places = gmsh_lattice(type.cell, type.order);
    for (int n = 0; n < type.num_nodes; ++n) {
      const Point x = map(places[static_cast<std::size_t>(n)]);
      char line[120];
      std::snprintf(line, sizeof line, "%d %.17g %.17g %.17g\n", n + 1, x[0], x[1], type.dim == 3 ? x[2] : 0);
      text += line;
      element += " " + std::to_string(n + 1);
    }
    text += "$EndNodes\n$Elements\n1\n1 " + std::to_string(type_number) + " 2 4 1" + element + "\n$EndElements\n";
    const Mesh mesh = parse_mesh(text);
    const CellBlock& block = mesh.only_block();
    ASSERT_EQ(block.order, type.order);
    EXPECT_EQ(block.nodes_per_cell(), find_gmsh_type(full)->num_nodes);
    EXPECT_EQ(block.tag.data()[0], 4);
    const auto nodes = lattice(type.cell, type.order);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (int d = 0; d < type.dim; ++d)
        EXPECT_NEAR(mesh.point(block.nodes_of(0)[n])[static_cast<std::size_t>(d)],
                    map(nodes[n])[static_cast<std::size_t>(d)], 1e-14)
            << type_number;
  }
}

}  // namespace
}  // namespace millrace
