// The table [mesh] of a case: which cells its generators make, and how curved they are.
#include "millrace/io/case_mesh.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "expect.hpp"
#include "io/gmsh_tools.hpp"
#include "millrace/mesh/generate.hpp"
#include "temporary_folder.hpp"

namespace millrace::testing {

static Mesh mesh_of(const std::string& text, CaseCells cells, const std::string& path = "case.toml") {
  const CaseTable file = parse_case("[mesh]\n" + text, "case.toml");
  Mesh mesh = make_case_mesh(file.table("mesh"), path, {}, cells);
  file.table("mesh").refuse_others();
  return mesh;
}

TEST(CaseMeshes, GeneratorsMakeTheCellsThatAreNamed) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto made = [](const std::string& text, CaseCells cells) { return mesh_of(text, cells).description(); };
  const std::string box = "generator = 'box'\ncells = [2, 3]\n", cube = "generator = 'box'\ncells = [2, 3, 1]\n";
  EXPECT_EQ(made(box, CaseCells::simplices), "12 triangles");
  EXPECT_EQ(made(cube + "dim = 3", CaseCells::simplices), "36 tets");
  EXPECT_EQ(made(box, CaseCells::all), "6 quads");
  EXPECT_EQ(made(box + "cell = 'triangle'", CaseCells::all), "12 triangles");
  EXPECT_EQ(made(cube + "cell = 'hex'", CaseCells::all), "6 hexes");
  EXPECT_EQ(made(cube + "cell = 'tet'\ngeometry_order = 2", CaseCells::all), "36 tets of order 2");
  const std::string ring = "generator = 'annulus'\ninner = 1\nouter = 2\naround = 8\nacross = 2\n";
  EXPECT_EQ(made(ring, CaseCells::all), "16 quads of order 4");
  EXPECT_EQ(made(ring + "cell = 'hex'\nlayers = 3\nheight = 2\ngeometry_order = 2", CaseCells::all),
            "48 hexes of order 2");
  const auto refused = [](const std::string& text, CaseCells cells, const std::string& wanted) {
    EXPECT_EQ(error_of([&] { mesh_of(text, cells); }).substr(0, wanted.size()), wanted);
  };
  refused(box + "cell = 'quad'", CaseCells::simplices, "case.toml:4:8: 'mesh.cell' is no key here, and 'cells' is the");
  refused(ring + "layers = 3", CaseCells::all, "case.toml:7:10: 'mesh.layers' is no key here");
  refused(box + "upper = [1, -1]", CaseCells::all, "case.toml:4:9: 'mesh.upper' is not above 'mesh.lower'");
  refused(box + "map = ['x', 'y + q']", CaseCells::all, "case.toml:4:18: 'q' is unknown");
}

TEST(CaseMeshes, FilesAreRaisedToTheOrderAskedFor) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const test::TemporaryFolder folder("millrace-case-mesh");
  std::ofstream(folder.path() / "square.msh", std::ios::binary)
      << test::GmshWriter(test::gmsh_forms[1]).write(make_box(Cell::quad, {3, 2, 1}, {}, 2));
  const std::string path = (folder.path() / "case.toml").string();
  for (const auto& [asked, found] : {std::pair{1, 2}, {2, 2}, {3, 3}})
    EXPECT_EQ(mesh_of(join("file = 'square.msh'\ngeometry_order = ", asked), CaseCells::all, path).only_block().order,
              found);
  EXPECT_EQ(mesh_of("file = 'square.msh'", CaseCells::all, path).description(), "6 quads of order 2");
}

}  // namespace millrace::testing
