// millrace pde: every example, orders of convergence of all equations and conditions, files, and what is refused.
#include <cmath>
#include <nlohmann/json.hpp>

#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {
namespace {

using CommandWords = std::vector<std::string>;

std::string pde_example_file(const std::string& name) { return std::string(MILLRACE_EXAMPLES) + "/pde/" + name; }

/// Runs an example with its files in a folder, and gives the record.
nlohmann::json solve_example(const Folder& folder, const std::string& name) {
  const Outcome outcome = run_command({"pde", pde_example_file(name), "--vtu", folder / "u.vtu", "--picture",
                                       folder / "u.svg", "--json", folder / "u.json"});
  expect_plain(outcome);
  EXPECT_TRUE(read_file(folder / "u.vtu").starts_with("<?xml")) << name;
  EXPECT_TRUE(read_file(folder / "u.svg").starts_with("<svg")) << name;
  EXPECT_NE(outcome.out.find("u.vtu: u"), std::string::npos) << outcome.out;
  return nlohmann::json::parse(read_file(folder / "u.json"));
}

struct PdeErrorPair {
  double l2 = NAN, h1 = NAN;
};

/// The errors of a case with N for the number of cells in a direction.
PdeErrorPair errors_with(const std::string& text, int cells, int order, const CommandWords& further = {}) {
  const Folder folder;
  std::string mine = text;
  for (std::size_t at = 0; (at = mine.find('N', at)) != std::string::npos;) mine.replace(at, 1, std::to_string(cells));
  std::ofstream(folder / "case.toml") << mine;
  CommandWords words{"pde", folder / "case.toml", "--order", std::to_string(order), "--json", "-"};
  words.insert(words.end(), further.begin(), further.end());
  const Outcome outcome = run_command(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err << mine;
  if (outcome.code != 0) return {};
  const nlohmann::json errors = nlohmann::json::parse(outcome.out).at("errors");
  return {errors.at("l2"), errors.at("h1")};
}

/// PdeErrorPair fall by order + 1 for u, by order for its gradient, when cells are halved.
void expect_order(const std::string& text, int cells, int order) {
  const PdeErrorPair coarse = errors_with(text, cells, order), fine = errors_with(text, 2 * cells, order);
  EXPECT_GT(std::log2(coarse.l2 / fine.l2), order + 0.8) << coarse.l2 << " to " << fine.l2 << text;
  EXPECT_GT(std::log2(coarse.h1 / fine.h1), order - 0.2) << coarse.h1 << " to " << fine.h1 << text;
}

std::string pde_box(const std::string& cell, bool in_space) {
  return "[mesh]\ngenerator = \"box\"\ncell = \"" + cell + "\"\ncells = [N, N" + (in_space ? ", N]\n" : "]\n");
}

// All three kinds of conditions.
constexpr const char* scalar_conditions = R"toml([boundary.x0]
value = "exact"
[boundary.x1]
flux = "exact"
[boundary.y0]
value = "exact"
[boundary.y1]
robin = {alpha = "1 + x", g = "exact"}
)toml";

TEST(Pde, EveryExampleGivesWhatItShould) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const auto poisson = solve_example(folder, "poisson.toml");
  EXPECT_EQ(poisson.at("schema"), "millrace.pde");
  EXPECT_EQ(poisson.at("unknowns"), 49 * 49);
  EXPECT_EQ(poisson.at("given"), 2 * 49);
  EXPECT_LT(poisson.at("errors").at("l2"), 1e-6);
  EXPECT_EQ(poisson.at("boundary").at("y1"), "Robin");
  EXPECT_NEAR(poisson.at("range").at(0).at(1), std::cosh(1), 1e-6);

  const auto layer = solve_example(folder, "layer.toml");
  EXPECT_LT(layer.at("errors").at("l2"), 1e-4);
  EXPECT_EQ(layer.at("boundary").at("y0"), "free");

  const auto wave = solve_example(folder, "helmholtz.toml");
  EXPECT_LT(wave.at("solver").at("relative"), 1e-10);
  EXPECT_TRUE(wave.at("errors").is_null());
  EXPECT_LT(wave.at("range").at(0).at(0), 0);

  const auto wall = solve_example(folder, "wall.toml");  // between the coldest and the warmest air
  EXPECT_GT(wall.at("range").at(0).at(0), -10);
  EXPECT_LT(wall.at("range").at(0).at(1), 20);

  const auto beam = solve_example(folder, "cantilever.toml");
  EXPECT_EQ(beam.at("range").size(), 3U);
  EXPECT_TRUE(beam.at("solver").at("plan").get<std::string>().starts_with("cg"));
  // Euler and Bernoulli: P L^3 / (3 E I) + q L^4 / (8 E I), with a load of 0.01 on the end and a weight of 0.01 a
  // length.
  const double slender = 0.01 * 64 / (3 * 100 / 12.0) + 0.01 * 256 / (8 * 100 / 12.0);
  EXPECT_NEAR(beam.at("range").at(1).at(0), -slender, 0.1 * slender);
}

TEST(Pde, ResistancesOfAWallAddUp) {  // without the floor: 1/8 + 0.3/0.8 + 0.1/0.04 + 1/25 between 20 and -10 degrees
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  std::ofstream(folder / "wall.toml") << "[mesh]\nfile = \"" << pde_example_file("wall.msh") << "\"\n"
                                      << R"toml([equation]
name = "diffusion"
k = 0.8
[groups.wool]
k = 0.04
[boundary.inside]
robin = {alpha = 8, g = 160}
[boundary.outside]
robin = {alpha = 25, g = -250}
)toml";
  const Outcome outcome = run_command({"pde", folder / "wall.toml", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto range = nlohmann::json::parse(outcome.out).at("range").at(0);
  const double heat = 30 / (1.0 / 8 + 0.3 / 0.8 + 0.1 / 0.04 + 1.0 / 25);
  EXPECT_NEAR(range.at(1), 20 - heat / 8, 1e-9);
  EXPECT_NEAR(range.at(0), -10 + heat / 25, 1e-9);
}

TEST(Pde, DiffusionConvergesWithAllConditionsOnAllCells) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string plane = R"toml(geometry_order = 2
map = ["x + 0.05 * sin(pi * x) * sin(pi * y)", "y - 0.05 * sin(pi * x) * sin(pi * y)"]
[equation]
name = "diffusion"
k = "1 + x * y"
c = "2 + y"
[exact]
u = "sin(2 * x + 1) * cosh(y)"
)toml";
  for (const char* cell : {"triangle", "quad"}) {
    expect_order(pde_box(cell, false) + plane + scalar_conditions, 4, 2);
    expect_order(pde_box(cell, false) + plane + scalar_conditions, 8, 1);
  }
  const std::string space = R"toml([equation]
name = "diffusion"
k = "1 + x * z"
[exact]
u = "sin(2 * x + z) * cosh(y)"
[boundary.z0]
value = "exact"
[boundary.z1]
flux = "exact"
)toml";
  for (const char* cell : {"tet", "hex"}) expect_order(pde_box(cell, true) + space + scalar_conditions, 3, 2);
}

TEST(Pde, ConvectionDiffusionAndHelmholtzConverge) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string flow = R"toml([equation]
name = "convection-diffusion"
k = "0.1 + 0.1 * y"
velocity = ["1 + y", "x - 0.5"]
c = 0.5
[exact]
u = "exp(x) * sin(2 * y)"
)toml";
  const std::string wave = R"toml([equation]
name = "helmholtz"
omega = 5
speed = "1 + 0.2 * x"
[exact]
u = "cos(4 * x) * sin(3 * y)"
)toml";
  for (const char* cell : {"triangle", "quad"})
    for (const std::string& equation : {flow, wave})
      expect_order(pde_box(cell, false) + equation + scalar_conditions, 6, 3);
}

TEST(Pde, ElasticityConverges) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string plane = R"toml([equation]
name = "elasticity"
young = "10 + x"
poisson = 0.3
[exact]
u = ["sin(2 * x) * y", "cos(x) * sin(2 * y)"]
[boundary.x0]
value = "exact"
[boundary.x1]
traction = "exact"
[boundary.y0]
value = ["free", "cos(x) * sin(2 * y)"]
traction = "exact"
[boundary.y1]
robin = {alpha = 2, g = "exact"}
)toml";
  for (const char* cell : {"triangle", "quad"}) expect_order(pde_box(cell, false) + plane, 4, 2);
  const std::string space = R"toml([equation]
name = "elasticity"
lambda = 2
mu = "1 + 0.5 * z"
[exact]
u = ["sin(2 * x) * z", "cos(x) * sin(2 * y)", "x * y * cos(2 * z)"]
[boundary.x0]
value = "exact"
[boundary.z1]
traction = "exact"
[boundary.y0]
value = "exact"
[boundary.x1]
traction = "exact"
[boundary.y1]
traction = "exact"
[boundary.z0]
traction = "exact"
)toml";
  expect_order(pde_box("hex", true) + space, 2, 2);
}

// Two triangles left, a quad right, of different materials; the flux runs through both.
constexpr const char* mixed_mesh = R"toml($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
5
1 1 "left"
1 2 "right"
1 5 "top"
2 3 "soft"
2 4 "hard"
$EndPhysicalNames
$Nodes
6
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
$EndNodes
$Elements
7
1 1 2 1 1 1 4
2 1 2 2 2 3 6
3 1 2 5 5 4 5
4 1 2 5 5 5 6
5 2 2 3 3 1 2 5
6 2 2 3 3 1 5 4
7 3 2 4 4 2 3 6 5
$EndElements
)toml";

TEST(Pde, TrianglesAndQuadsWithTwoMaterials) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  std::ofstream(folder / "mixed.msh") << mixed_mesh;
  // u is linear in each material and has no kink along y: exact for every order, also by its own flux on the top.
  std::ofstream(folder / "case.toml") << R"toml([mesh]
file = "mixed.msh"
[equation]
name = "diffusion"
[groups.hard]
k = 4
[exact]
u = "if(x < 1, x, 1 + (x - 1) / 4)"
[boundary.left]
value = "exact"
[boundary.right]
flux = "exact"
[boundary.top]
flux = "exact"
)toml";
  const Outcome outcome = run_command({"pde", folder / "case.toml", "--order", "3", "--json", "-", "--vtu",
                                       folder / "u.vtu", "--picture", folder / "u.svg"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_LT(json.at("errors").at("l2"), 1e-12);
  EXPECT_LT(json.at("errors").at("h1"), 1e-11);
  EXPECT_NEAR(json.at("range").at(0).at(1), 1.25, 1e-12);
  EXPECT_EQ(json.at("mesh"), "2 triangles, 1 quad");
  EXPECT_TRUE(fs::exists(folder / "u.vtu") && fs::exists(folder / "u.svg"));
}

TEST(Pde, OptionsReplaceWhatTheFileSays) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string beam = pde_example_file("cantilever.toml");
  const CommandWords outputs{"--vtu", folder / "u.vtu", "--picture", folder / "u.svg", "--order", "1"};
  CommandWords words{"pde",   beam,  "--method", "minres",         "--precond", "jacobi",         "--component", "y",
                     "--cut", "x=2", "-x",       folder / "x.mtx", "--matrix",  folder / "a.mtx", "--mesh-lines"};
  words.insert(words.end(), outputs.begin(), outputs.end());
  const Outcome outcome = run_command(words);
  expect_plain(outcome);
  for (const char* part : {"minres + jacobi: as the case asks for it", "1,275 of order 1", "u.svg: u_y, cut at x = 2",
                           "x0: u given, x1: traction", "z0: u_z given", "a.mtx: the matrix", "x.mtx: the unknowns"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  EXPECT_NE(read_file(folder / "u.svg").find("cut at x = 2"), std::string::npos);
  const Outcome solved = run_command({"solve", folder / "a.mtx"});
  EXPECT_EQ(solved.code, 0) << solved.err;
  CommandWords checked{"pde", beam, "--check"};
  checked.insert(checked.end(), outputs.begin(), outputs.end());
  fs::remove(folder / "u.svg");
  const Outcome check = run_command(checked);
  expect_plain(check);
  EXPECT_NE(check.out.find("nothing is wrong with this case"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "u.svg"));
}

TEST(Pde, TheSameBitsTwiceAndOnAnyNumberOfThreads) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const auto matrix_with = [&](const std::string& threads, const std::string& name) {
    const Outcome outcome =
        run_command({"pde", pde_example_file("poisson.toml"), "--check", "--threads", threads, "--vtu",
                     folder / "u.vtu", "--picture", folder / "u.svg", "--matrix", folder / name});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return read_file(folder / name);
  };
  const std::string one = matrix_with("1", "a.mtx");
  EXPECT_FALSE(one.empty());
  EXPECT_TRUE(one == matrix_with("3", "b.mtx"));
}

TEST(Pde, RefusesInOneSentenceAndWritesNothing) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string plane = pde_example_file("poisson.toml"), beam = pde_example_file("cantilever.toml");
  const std::string vtu = folder / "u.vtu", svg = folder / "u.svg";
  const auto refused = [&](CommandWords words, const std::string& part, int code = 1) {
    words.insert(words.begin(), "pde");
    expect_error(run_command(words), code, part);
    EXPECT_FALSE(fs::exists(vtu)) << part;
    EXPECT_FALSE(fs::exists(svg)) << part;
  };
  refused({plane, "--vtu", folder / "u.vtk", "--picture", svg}, "must end in .vtu");
  refused({plane, "--vtu", vtu, "--picture", folder / "u.gif"}, "must end in .png or .svg");
  refused({plane, "--vtu", vtu, "--picture", folder / "none/u.svg"}, "there is no folder");
  refused({plane, "--vtu", vtu, "--picture", svg, "--matrix", folder / "a.txt"}, "must end in");
  refused({plane, "--vtu", vtu, "--picture", svg, "--json", folder / "a.txt"}, "must end in .json");
  refused({plane, "--vtu", vtu, "--picture", svg, "--cut", "z=0.5"}, "--cut is for meshes in space");
  refused({plane, "--vtu", vtu, "--picture", svg, "--component", "x"}, "--component is for vectors");
  refused({beam, "--vtu", vtu, "--picture", svg, "--cut", "z=7"}, "the plane z = 7 does not cut the mesh");
  refused({beam, "--vtu", vtu, "--picture", svg, "--cut", "z=top"}, "pde: --cut 'z=top': 'top' is no number");
  refused({folder / "none.toml", "--vtu", vtu}, "none.toml");
  refused({plane, "--order", "9"}, "--order", 2);
  refused({beam, "--component", "w"}, "--component", 2);
  refused({beam, "--method", "gc"}, "unknown method 'gc'", 2);
  refused({}, "CASE", 2);
  std::ofstream(folder / "bad.toml") << read_file(plane) << "[boundry.x0]\nvalue = 0\n";
  refused({folder / "bad.toml", "--vtu", vtu, "--picture", svg}, "boundry");
  std::ofstream(folder / "plain.toml") << pde_box("quad", false).replace(pde_box("quad", false).find("N, N"), 4, "2, 2")
                                       << "[equation]\nname = \"diffusion\"\n[boundary.x0]\nvalue = 0\n";
  refused({folder / "plain.toml", "--mesh-lines"}, "--mesh-lines say what --picture FILE shows");
  std::ofstream(folder / "pole.toml") << pde_box("quad", false).replace(pde_box("quad", false).find("N, N"), 4, "2, 2")
                                      << "[equation]\nname = \"diffusion\"\n[boundary.x0]\nvalue = \"1 / x\"\n";
  const Outcome pole = run_command({"pde", folder / "pole.toml", "--vtu", vtu});
  EXPECT_EQ(pole.code, 1);
  EXPECT_NE(pole.err.find("given values has entries that are no finite numbers"), std::string::npos) << pole.err;
  EXPECT_FALSE(fs::exists(vtu));
}

TEST(Pde, SaysWhenItIsNotSolved) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  std::ofstream(folder / "hard.toml") << read_file(pde_example_file("poisson.toml"))
                                      << "[solve]\nmethod = \"cg\"\npreconditioner = \"none\"\nmax_iterations = 3\n";
  const Outcome outcome =
      run_command({"pde", folder / "hard.toml", "--vtu", folder / "u.vtu", "--picture", folder / "u.svg"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(outcome.err.starts_with("millrace: not solved: ")) << outcome.err;
  EXPECT_FALSE(fs::exists(folder / "u.vtu") || fs::exists(folder / "u.svg"));
}

}  // namespace
}  // namespace millrace::test
