// The section $Periodic in all forms of the file: pairs, affine maps, what is left of other dimensions.
#include "io/gmsh_tools.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

Mesh round_box(Cell cell, int order) {
  return make_box(cell, {2, 3, 2}, {{0, 0, 0}, {1, 2, 3}, {true, true, dim(cell) == 3}}, order);
}

TEST(GmshPeriodic, EveryFormHasTheSamePairs) {
  for (const auto& form : test::gmsh_forms)
    for (const Cell cell : {Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
      for (const int order : {1, 2}) {
        SCOPED_TRACE(join(form.text(), " ", name(cell), " ", order));
        const Mesh box = round_box(cell, order), mesh = test::parse_mesh(test::GmshWriter(form).write(box));
        EXPECT_TRUE(mesh.notes.empty());
        ASSERT_EQ(mesh.periodic.size(), box.periodic.size());
        for (std::size_t s = 0; s < mesh.periodic.size(); ++s) {
          ASSERT_EQ(mesh.periodic[s].pairs.size(), box.periodic[s].pairs.size());
          for (const auto& [point, master] : mesh.periodic[s].pairs)
            for (std::size_t d = 0; d < 3; ++d)
              EXPECT_EQ(mesh.point(point)[d] - mesh.point(master)[d], d == s ? static_cast<double>(s + 1) : 0);
        }
        const Topology glued = make_topology(mesh, PeriodicSides::glued);
        EXPECT_TRUE(glued.boundary_faces.empty());
        EXPECT_EQ(glued.num_vertices(), mesh.dim == 2 ? 6 : 12);
      }
}

constexpr const char* square = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
1
1 3 2 3 1 1 2 3 4
$EndElements
$Periodic
1
1 2 4
)";

TEST(GmshPeriodic, AMapThatDoesNotFitIsNoted) {
  const std::string map = " 0 0 1.25 0 1 0 0 0 0 1 0 0 0 0 1\n2\n2 1\n3 4\n$EndPeriodic\n";
  const Mesh mesh = test::parse_mesh(square + ("Affine 1" + map));
  EXPECT_EQ(mesh.notes,
            (std::vector<std::string>{"periodic curve 2 with its master 4: nodes lie up to 0.25 from where the "
                                      "affine map takes their masters; the pairs of nodes count"}));
  EXPECT_EQ(mesh.periodic.size(), 1u);
}

TEST(GmshPeriodic, CornersMayHaveSeveralMastersAndNodesOnAnAxisThemselves) {
  const Mesh mesh = test::parse_mesh(square + std::string("2\n2 1\n3 4\n$EndPeriodic\n"));
  ASSERT_EQ(mesh.periodic.size(), 1u);
  EXPECT_EQ(mesh.periodic[0].pairs, (std::vector<std::array<Index, 2>>{{1, 0}, {2, 3}}));
  // A quarter turn about node 1 takes the lower side to the left one.
  const Mesh turned = test::parse_mesh(square + std::string("2\n1 1\n4 2\n$EndPeriodic\n"));
  const Topology t = make_topology(turned, PeriodicSides::glued);
  EXPECT_EQ(t.num_vertices(), 3);
  EXPECT_EQ(t.boundary_faces.size(), 2u);
}

// Serendipity cells are lifted; their pairs come along.
TEST(GmshPeriodic, OfSerendipityCells) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n";
  for (const char* node : {"1 0 0 0", "2 1 0 0", "3 1 1 0", "4 0 1 0", "5 .5 0 0", "6 1 .5 0", "7 .5 1 0", "8 0 .5 0"})
    text += node + std::string("\n");
  text += "$EndNodes\n$Elements\n1\n1 16 2 3 1 1 2 3 4 5 6 7 8\n$EndElements\n$Periodic\n1\n1 2 4\n3\n2 1\n3 4\n6 8\n";
  const Mesh mesh = test::parse_mesh(text + "$EndPeriodic\n");
  ASSERT_EQ(mesh.periodic.size(), 1u);
  EXPECT_EQ(mesh.periodic[0].pairs.size(), 2u);
  EXPECT_EQ(make_topology(mesh, PeriodicSides::glued).boundary_faces.size(), 2u);
}

}  // namespace
}  // namespace millrace
