// millrace inspect of a mesh: the text, the JSON, and one line for what cannot be read.
#include <nlohmann/json.hpp>

#include "run_command.hpp"

namespace millrace::test {
namespace {

constexpr const char* mesh_text = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
1 7 "west"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 2 0 0
$EndNodes
$Elements
3
1 1 2 7 1 4 1
2 3 2 3 1 1 2 3 4
3 2 2 3 1 2 5 3
$EndElements
)";

TEST(InspectMesh, TextJsonAndErrors) {
  const Folder folder;
  std::ofstream(folder / "a.msh") << mesh_text;
  const Outcome text = run_command({"inspect", folder / "a.msh"});
  expect_plain(text);
  for (const char* word : {"1 quad, 1 triangle", "[0, 2] x [0, 1]", "1.5", "6, 5 on the boundary, 1 of those", "west"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word << "\n" << text.out;

  const auto json = nlohmann::json::parse(run_command({"inspect", folder / "a.msh", "--json"}).out);
  EXPECT_EQ(json.at("schema"), "millrace.inspect.mesh");
  EXPECT_EQ(json.at("cells").size(), 2u);
  EXPECT_EQ(json.at("points"), 5);
  EXPECT_EQ(json.at("volume"), 1.5);
  EXPECT_EQ(json.at("faces").at("boundary"), 5);
  EXPECT_EQ(json.at("groups").at(0).at("name"), "west");

  std::ofstream(folder / "b.msh") << "$MeshFormat\n3 0 8\n";
  expect_error(run_command({"inspect", folder / "b.msh"}), 1, "b.msh:2: version '3'");
  expect_error(run_command({"inspect", folder / "none.msh"}), 1, "none.msh: cannot be opened");
  expect_error(run_command({"inspect", folder / "a.msh", "--order", "rcm"}), 1, "is a mesh");
}

}  // namespace
}  // namespace millrace::test
