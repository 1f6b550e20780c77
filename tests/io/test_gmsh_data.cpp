// Every mesh of the folder of real meshes: what its table says is what is read; broken ones give one clear error.
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <sstream>

#include "io/io_tools.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

// Files that the table calls valid but that hold no mesh for us, and what the error says of them.
const std::map<std::string, std::string> refused{
    {"hdg_embedded_points_in_interval.msh", "the cells are lines"},
    {"mfem_p2_prism.msh", "type 13, a prism"},
    {"mfem_pipe.msh", "type 6, a prism"},
    {"paranumal_icosasphereR3.msh.xz", "surface in space"},
};
const std::set<std::string> tangled{"mfem_SS_original.msh.xz"};                 // 219 tets are inverted in places
const std::set<std::string> overlapping{"sofia_naca0012_ultra_coarse.msh.xz"};  // one triangle stands twice

// Areas and volumes that are known otherwise, with the error that the shape of the cells leaves.
struct Known {
  double volume, error;
};
constexpr double pi = std::numbers::pi;
const std::map<std::string, Known> volumes{
    {"benchpara_twoCubeHex.msh.xz", {16, 1e-10}},
    {"dealii_box_2D_mixed.msh", {1, 1e-12}},
    {"dealii_hex27_8ele_v2.msh", {1, 1e-12}},
    {"dealii_tet_half_twisted.msh", {1, 1e-12}},
    {"gen_cylinder2d_o1_v41.msh", {2.2 * 0.41 - pi * 0.0025, 1e-4}},
    {"gen_cylinder2d_o2_v41.msh.xz", {2.2 * 0.41 - pi * 0.0025, 1e-7}},
    {"gen_cylinder2d_o3_v22.msh.xz", {2.2 * 0.41 - pi * 0.0025, 2e-8}},
    {"gen_cylinder2d_o3_v41.msh.xz", {2.2 * 0.41 - pi * 0.0025, 2e-8}},
    {"gen_cylinder2d_quad8_v22.msh.xz", {2.2 * 0.41 - pi * 0.0025, 1e-7}},
    {"gen_naca0012_o4_v22.msh.xz", {100 * pi - 0.081706, 1e-5}},
    {"gen_naca0012_o4_v41.msh.xz", {100 * pi - 0.081706, 1e-5}},
    {"gen_naca0012_quad_o2_v41.msh.xz", {100 * pi - 0.081706, 2e-3}},
    {"gen_sphere_tet_o1_v41.msh.xz", {96 - pi / 6, 6e-2}},
    {"gen_sphere_tet_o2_v22bin.msh.xz", {96 - pi / 6, 1e-3}},
    {"gen_sphere_tet_o2_v41.msh.xz", {96 - pi / 6, 1e-3}},
    {"mfem_cir.msh.xz", {pi, 1e-6}},
    {"mfem_indheat_4_1_bin.msh.xz", {1, 1e-10}},
    {"mfem_nested_cubes_2.msh", {1, 1e-12}},
    {"mfem_periodic-torus-sector.msh.xz", {pi * pi * 2 / 3, 1e-3}},
    {"mfem_unstructured-hex-cube.msh", {1, 1e-9}},
    {"pyfr_taylor-green.msh.xz", {8 * pi * pi * pi, 1e-6}},
};

// "line3:27, quad9:21" as counts of cells (dim) and boundary faces (dim - 1).
std::array<Index, 2> counts_of(const std::string& types, int mesh_dim) {
  const std::map<std::string, int> dims{{"point", 0}, {"line", 1}, {"tri", 2}, {"quad", 2}, {"tet", 3}, {"hex", 3}};
  std::array<Index, 2> counts{};
  std::istringstream list(types);
  for (std::string entry; std::getline(list, entry, ',');) {
    entry.erase(0, entry.find_first_not_of(' '));
    const std::string kind = entry.substr(0, entry.find_first_of("0123456789:"));
    const int below = mesh_dim - dims.at(kind);
    if (below < 2) counts[static_cast<std::size_t>(below)] += std::stoi(entry.substr(entry.find(':') + 1));
  }
  return counts;
}

void expect_as_in_table(const Mesh& mesh, const std::vector<std::string>& row) {
  ASSERT_EQ(mesh.dim, std::stoi(row[5]));
  int order = 0;
  for (const CellBlock& block : mesh.blocks) order = std::max(order, block.order);
  EXPECT_EQ(order, std::stoi(row[6]));
  const auto counts = counts_of(row[8], mesh.dim);
  EXPECT_EQ(mesh.num_cells(), counts[0]);
  EXPECT_EQ(mesh.num_boundary_faces(), counts[1]);
  const bool lifted = row[8].find("quad8") != row[8].npos;
  if (lifted)
    EXPECT_EQ(mesh.num_points(), std::stoi(row[7]) + mesh.num_cells());
  else
    EXPECT_LE(mesh.num_points(), std::stoi(row[7]));
}

// Every boundary face has the points of its cell's face at the same nodes of the face's own lattice.
void expect_boundary_matches(const Mesh& mesh, const Topology& topology) {
  for (std::size_t b = 0; b < mesh.boundary.size(); ++b) {
    const BoundaryBlock& block = mesh.boundary[b];
    const auto corners = vertex_nodes(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c) {
      const FaceSide side =
          topology.face_sides[static_cast<std::size_t>(topology.boundary[b][static_cast<std::size_t>(c)])][0];
      const CellBlock& cells = mesh.blocks[static_cast<std::size_t>(side.block)];
      if (cells.order != block.order) continue;
      const auto at = face_nodes(cells.cell, cells.order, side.face);
      std::array<Index, 4> mine{}, theirs{};
      for (std::size_t v = 0; v < corners.size(); ++v) {
        mine[v] = block.nodes_of(c)[static_cast<std::size_t>(corners[v])];
        theirs[v] = cells.nodes_of(side.cell)[static_cast<std::size_t>(at[static_cast<std::size_t>(corners[v])])];
      }
      const auto my_map = own_to_local_map(block.cell, orient(block.cell, mine).code, block.order),
                 their_map = own_to_local_map(block.cell, orient(block.cell, theirs).code, block.order);
      for (std::size_t n = 0; n < at.size(); ++n)
        ASSERT_EQ(block.nodes_of(c)[static_cast<std::size_t>(my_map[n])],
                  cells.nodes_of(side.cell)[static_cast<std::size_t>(at[static_cast<std::size_t>(their_map[n])])]);
    }
  }
}

void expect_sound(const Mesh& mesh, const std::string& file, bool is_periodic) {
  check(mesh);
  const Measure found = measure(mesh);
  EXPECT_EQ(found.num_inverted > 0, tangled.contains(file)) << found.worst_jacobian;
  if (const auto known = volumes.find(file); known != volumes.end()) {
    EXPECT_NEAR(found.volume, known->second.volume, known->second.error);
  }
  if (overlapping.contains(file)) {
    EXPECT_ANY_THROW(make_topology(mesh));
    return;
  }
  const Topology topology = make_topology(mesh);
  expect_boundary_matches(mesh, topology);
  EXPECT_EQ(!mesh.periodic.empty(), is_periodic);
  if (is_periodic) {
    for (const std::string& note : mesh.notes)  // one file has its nodes 3e-5 away
      EXPECT_EQ(note.find("affine") != note.npos, file == "mfem_periodic-torus-sector_2.msh.xz") << note;
    const Topology glued = make_topology(mesh, PeriodicSides::glued);
    Index faces = 0;
    for (const PeriodicSide& side : mesh.periodic) EXPECT_GT(side.pairs.size(), 1u);
    for (Index f = 0; f < glued.num_faces(); ++f) faces += !glued.on_boundary(f);
    EXPECT_GT(glued.num_faces(), 0);
    EXPECT_EQ(faces - (topology.num_faces() - std::ssize(topology.boundary_faces)),
              topology.num_faces() - glued.num_faces());  // every pair of faces is one face inside
    EXPECT_LT(glued.boundary_faces.size(), topology.boundary_faces.size());
    EXPECT_EQ(glued.boundary_faces.empty(), file == "mfem_periodic-cube.msh" || file == "mfem_periodic-square.msh");
  }
  Point sum{};
  double size = 0;
  for (const Index f : topology.boundary_faces) {
    const FaceSide side = topology.face_sides[static_cast<std::size_t>(f)][0];
    const Point area = outward_area(mesh, mesh.blocks[static_cast<std::size_t>(side.block)], side.cell, side.face);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += area[d], size += std::abs(area[d]);
  }
  EXPECT_LE(std::hypot(sum[0], sum[1], sum[2]), 1e-12 * size);
}

TEST(DataMeshes, EveryFileIsReadOrRefused) {
  const auto folder = test::data_folder() / "meshes";
  if (test::data_folder().empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "MILLRACE_DATA does not name a folder with meshes";
  const auto table = test::read_table(folder / "meshes.tsv");
  ASSERT_GE(table.size(), 120u);
  std::size_t num_read = 0;
  for (std::size_t line = 1; line < table.size(); ++line) {
    const std::string &file = table[line][0], &verdict = table[line][1];
    SCOPED_TRACE(file + " is " + verdict + " " + table[line][2]);
    if (!test::supported(file)) continue;
    Mesh mesh;
    const std::string error = test::error_of([&] { mesh = read_gmsh(folder / file); });
    const auto known = refused.find(file);
    const bool accepted = (verdict == "valid" || verdict == "lenient") && known == refused.end();
    ASSERT_EQ(error.empty(), accepted) << error;
    if (accepted) {
      expect_as_in_table(mesh, table[line]);
      expect_sound(mesh, file, table[line][11].find("periodic") != std::string::npos);
      ++num_read;
      continue;
    }
    EXPECT_TRUE(error.starts_with((folder / file).string() + ":")) << error;
    EXPECT_EQ(error.find('\n'), error.npos);
    if (known != refused.end()) {
      EXPECT_NE(error.find(known->second), error.npos) << error;
    }
  }
  EXPECT_GE(num_read, 100u);
}

TEST(DataMeshes, TagsAndNames) {
  const auto folder = test::data_folder() / "meshes";
  if (test::data_folder().empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "MILLRACE_DATA does not name a folder with meshes";
  // The same mesh in several forms has the same tags; partitions keep the groups of their parents.
  std::map<std::string, std::map<std::int32_t, Index>> tags;
  for (const char* file :
       {"gen_cylinder2d_o1_v41.msh", "gen_cylinder2d_part4_v41.msh", "gen_cylinder2d_saveall_v41.msh",
        "gen_cylinder2d_o3_v22.msh.xz", "gen_cylinder2d_param_v41.msh.xz"}) {
    if (!test::supported(file)) continue;
    const Mesh mesh = read_gmsh(folder / file);
    EXPECT_EQ(mesh.tag_of(1, "inlet"), 1) << file;
    EXPECT_EQ(mesh.tag_of(1, "outlet"), 2) << file;
    for (const BoundaryBlock& block : mesh.boundary)
      for (const std::int32_t tag : block.tag.span())
        if (tag != 0) ++tags[file][tag];
  }
  for (const auto& [file, found] : tags) EXPECT_EQ(found, tags.begin()->second) << file;
}

}  // namespace
}  // namespace millrace
