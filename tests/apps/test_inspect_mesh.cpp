// millrace inspect of a mesh: the text, the JSON, and one line for what cannot be read.
#include <nlohmann/json.hpp>

#include "millrace/io/png.hpp"
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

constexpr const char* cube_text = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 4 "iron & steel"
$EndPhysicalNames
$Nodes
8
1 0 0 0
2 2 0 0
3 2 2 0
4 0 2 0
5 0 0 1
6 2 0 1
7 2 2 1
8 0 2 1
$EndNodes
$Elements
1
1 5 2 4 1 1 2 3 4 5 6 7 8
$EndElements
)";

TEST(InspectMesh, PicturesOfThePlane) {
  const Folder folder;
  std::ofstream(folder / "a.msh") << mesh_text;
  const Outcome drawn = run_command({"inspect", folder / "a.msh", "--picture", folder / "a.svg"});
  expect_plain(drawn);
  EXPECT_NE(drawn.out.find("a.svg"), std::string::npos);
  const std::string svg = read_file(folder / "a.svg");
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_NE(svg.find("a.msh: 1 quad, 1 triangle"), std::string::npos);
  EXPECT_NE(svg.find(">group 3<"), std::string::npos);
  const Outcome png = run_command({"inspect", folder / "a.msh", "--json", "--picture", folder / "a.png"});
  if (!has_png()) {
    expect_error(png, 1, "libpng");
  } else {
    EXPECT_EQ(nlohmann::json::parse(png.out).at("schema"), "millrace.inspect.mesh");
    EXPECT_EQ(read_file(folder / "a.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
  }
  expect_error(run_command({"inspect", folder / "a.msh", "--picture", folder / "b.svg", "--cut", "z=0"}), 1,
               "is a mesh of the plane");
  expect_error(run_command({"inspect", "none.msh", "--picture", folder / "b.gif"}), 1, "must end in .png or .svg");
  expect_error(run_command({"inspect", "none.msh", "--picture", folder / "none/b.svg"}), 1, "there is no folder");
  expect_error(run_command({"inspect", "poisson2d5:n=3", "--picture", folder / "b.svg"}), 1, "is a matrix");
  EXPECT_FALSE(fs::exists(folder / "b.svg"));
}

TEST(InspectMesh, CutsOfMeshesInSpace) {
  const Folder folder;
  std::ofstream(folder / "cube.msh") << cube_text;
  const auto draw = [&](const std::string& plane) {
    std::vector<std::string> words{"inspect", folder / "cube.msh", "--picture", folder / "a.svg"};
    if (!plane.empty()) words.insert(words.end(), {"--cut", plane});
    return run_command(words);
  };
  const Outcome middle = draw("");  // across the shortest side
  expect_plain(middle);
  EXPECT_NE(middle.out.find("cut at z = 0.5"), std::string::npos) << middle.out;
  const std::string svg = read_file(folder / "a.svg");
  EXPECT_NE(svg.find("iron &amp; steel"), std::string::npos);
  for (const char* plane : {"x=0", "y=2", "z=0.25", "1,1,0.5,1,1,1"}) expect_plain(draw(plane));
  expect_error(draw("z=7"), 1, "the plane z = 7 does not cut the mesh");
  expect_error(draw("z=top"), 1, "'top' is no number");
  expect_error(draw("w=1"), 1, "is no plane; z=0.5");
  expect_error(draw("1,2,3"), 1, "is no plane; z=0.5");
  expect_error(draw("1,1,1,0,0,0"), 1, "has no direction");
  expect_error(run_command({"inspect", folder / "cube.msh", "--cut", "z=0"}), 1, "--picture");
}

}  // namespace
}  // namespace millrace::test
