// Faces in several physical groups, cells in several, and what a mesh has no place for.
#include "io/gmsh_tools.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

using test::parse_mesh;

// A square of two triangles. Its lower side is in the groups 7 and 8, its cells in 3 and 4.
constexpr const char* version_2 = R"($MeshFormat
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
7
1 1 2 7 1 1 2
2 1 2 8 1 1 2
3 2 2 3 1 1 2 3
4 2 2 3 1 1 3 4
5 2 2 4 1 1 2 3
6 2 2 4 1 1 3 4
7 15 2 1 1 1
$EndElements
$Periodic
1
0 1 2
1
3 2
$EndPeriodic
$NodeData
0
$EndNodeData
)";

constexpr const char* version_4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 1 1 0
1 0 0 0 1 0 0 2 7 8 0
1 0 0 0 1 1 0 2 3 -4 1 1
$EndEntities
$Nodes
1 4 1 4
2 1 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
2 3 1 3
1 1 1 1
1 1 2
2 1 2 2
2 1 2 3
3 1 3 4
$EndElements
)";

TEST(GmshGroups, AFaceKeepsAllOfThem) {
  for (const char* text : {version_2, version_4}) {
    const Mesh mesh = parse_mesh(text);
    EXPECT_EQ(mesh.description(), "2 triangles");
    ASSERT_EQ(mesh.num_boundary_faces(), 2);
    const Topology topology = make_topology(mesh);
    ASSERT_EQ(topology.more_tags.size(), 1u);
    const FaceTag more = topology.more_tags[0];
    EXPECT_EQ(topology.face_tags[static_cast<std::size_t>(more.face)] + more.tag, 15);
    EXPECT_EQ(topology.boundary[0][0], topology.boundary[0][1]);
    for (const CellBlock& block : mesh.blocks)
      for (const std::int32_t tag : block.tag.span()) EXPECT_EQ(tag, 3);
  }
}

TEST(GmshGroups, WhatIsLeftOutIsNamed) {
  EXPECT_EQ(parse_mesh(version_2).notes,
            (std::vector<std::string>{"the section $NodeData is left out",
                                      "2 cells are in several physical groups; the first of them counts",
                                      "1 points are left out: this mesh has cells of dimension 2 and their faces"}));
  EXPECT_EQ(parse_mesh(version_4).notes,
            (std::vector<std::string>{"2 cells are in several physical groups; the first of them counts"}));
  EXPECT_EQ(parse_mesh(version_2).clone().notes.size(), 3u);
}

}  // namespace
}  // namespace millrace
