// Cases on meshes from files, and what such meshes can lack.
#include <gtest/gtest.h>

#include <cmath>

#include "case_tools.hpp"
#include "expect.hpp"
#include "io/gmsh_tools.hpp"
#include "millrace/base/device.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace::test {

using testing::error_of;

// Poisson's equation on a mesh file; all sides have the exact solution.
constexpr const char* on_file = R"([mesh]
file = "square.msh"
[equation]
name = "poisson"
[space]
order = 2
[exact]
value = "1 + x - 2 * y + x * y"
[boundary]
x0 = {kind = "dirichlet"}
x1 = {kind = "dirichlet"}
y0 = {kind = "dirichlet"}
y1 = {kind = "dirichlet"}
)";

hdg::Case case_on(const Mesh& mesh) {
  const TemporaryFolder folder("millrace-case");
  std::ofstream(folder.path() / "square.msh", std::ios::binary) << GmshWriter(gmsh_forms[1]).write(mesh);
  const std::string path = (folder.path() / "case.toml").string();
  std::ofstream(path) << on_file;
  return hdg::read_case(path);
}

TEST(CaseMesh, FromAFileBesideTheCase) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (const int geometry_order : {1, 3}) {
    const hdg::Case c = case_on(make_box(Cell::triangle, {3, 2, 1}, {}, geometry_order));
    EXPECT_EQ(c.mesh.num_cells(), 12);
    EXPECT_LT(whole_error(solved(c)), 1e-11);
  }
}

TEST(CaseMesh, OtherCellsAndFacesInNoGroupAreRefused) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  Queue queue;
  const std::string quads = error_of([&] { hdg::run_case(queue, case_on(make_box(Cell::quad, {2, 2, 1}))); });
  EXPECT_NE(quads.find("triangles or tets of one order are accepted"), std::string::npos) << quads;
  Mesh bare = make_box(Cell::triangle, {2, 2, 1});
  for (BoundaryBlock& block : bare.boundary)
    for (Index f = 0; f < block.num_cells(); ++f)
      if (hdg::group_name(bare, block.tag.data()[f]) == "y1") block.tag.data()[f] = 0;
  const std::string faces = error_of([&] { hdg::run_case(queue, case_on(bare)); });
  EXPECT_NE(faces.find("boundary faces in no physical group: 2 of 8, the first around ("), std::string::npos) << faces;
  EXPECT_NE(faces.find(", 1); every one needs a group with a condition"), std::string::npos) << faces;
}

// The cube with so many cells that order 4 needs more than there is.
TEST(CaseMesh, MoreMemoryThanThereIsIsRefused) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto there = static_cast<double>(facts(Device::host()).memory_bytes);
  int n = 4;
  while (hdg::estimate_memory(6 * n * n * n, 12 * n * n * n, 3, 5, 4).total() < 1.1 * there) ++n;
  const std::string cells = join("[", n, ", ", n, ", ", n, "]");
  const hdg::Case c = case_of(exchanged(text_of_example("manufactured_3d.toml"), {{"[3, 3, 3]", cells}}), 4);
  Queue queue;
  const std::string text = error_of([&] { hdg::run_case(queue, c); });
  EXPECT_NE(text.find(join("order 4 on ", 6 * n * n * n, " cells needs about ")), std::string::npos) << text;
  EXPECT_NE(text.find("GB; a lower order, fewer cells or solver.keep_solutions = false need less"), std::string::npos)
      << text;
}

}  // namespace millrace::test
