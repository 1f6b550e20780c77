// Cases of millrace pde: what their files mean, sources of known solutions, and one sentence with file, line and column
// for each file of tests/data/bad_cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "millrace/base/error.hpp"
#include "millrace/io/case_file.hpp"
#include "temporary_folder.hpp"
#include "verbs/pde/case.hpp"
#include "verbs/pde/manufactured.hpp"

namespace millrace::command {
namespace {

std::string refusal_of(const std::string& path) {
  try {
    read_pde_case(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

PdeCase pde_example(const std::string& name) { return read_pde_case(std::string(MILLRACE_EXAMPLES) + "/pde/" + name); }

PdeCase pde_case_of(const std::string& text) {
  const test::TemporaryFolder folder("millrace-pde");
  const std::string path = (folder.path() / "case.toml").string();
  std::ofstream(path) << text;
  return read_pde_case(path);
}

const PdeCondition& condition_on(const PdeCase& c, const std::string& group) {
  const auto found = std::ranges::find(c.conditions, group, &PdeCondition::group);
  if (found == c.conditions.end()) throw Error("the case has no condition on " + group);
  return *found;
}

TEST(PdeCase, TheExamplesMeanWhatTheySay) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const PdeCase poisson = pde_example("poisson.toml");
  EXPECT_EQ(poisson.kind, PdeKind::diffusion);
  EXPECT_EQ(poisson.order, 3);
  EXPECT_EQ(poisson.mesh.num_cells(), 256);
  EXPECT_EQ(poisson.mesh.only_block().order, 2);
  EXPECT_TRUE(poisson.manufactured);
  EXPECT_EQ(condition_on(poisson, "x0").value[0]->at({0.5, 0, 0}), 1);
  EXPECT_TRUE(condition_on(poisson, "y0").exact_flux && !condition_on(poisson, "y0").value[0] &&
              !condition_on(poisson, "y0").alpha);
  EXPECT_TRUE(condition_on(poisson, "y1").exact_flux);
  EXPECT_DOUBLE_EQ(condition_on(poisson, "y1").flux[0].at({0.5, 0, 0}), 1.5);  // alpha u
  EXPECT_EQ(poisson.picture, "poisson.png");

  const PdeCase wall = pde_example("wall.toml");
  EXPECT_EQ(wall.materials.size(), 1U);
  EXPECT_EQ(wall.coefficients(wall.mesh.tag_of(2, "wool")).k.at({}), 0.04);
  EXPECT_EQ(wall.coefficients(wall.mesh.tag_of(2, "brick")).k.at({}), 0.8);
  EXPECT_EQ(condition_on(wall, "outside").tag, wall.mesh.tag_of(1, "outside"));
  EXPECT_EQ(condition_on(wall, "outside").flux[0].at({}), -250);
  EXPECT_EQ(condition_on(wall, "outside").alpha->at({}), 25);
  EXPECT_FALSE(wall.manufactured);

  const PdeCase layer = pde_example("layer.toml");
  EXPECT_EQ(layer.everywhere.velocity[0].at({}), 1);
  EXPECT_NEAR(layer.exact[0].at({0.5, 0, 0}), 1, 1e-4);

  const PdeCase beam = pde_example("cantilever.toml");
  EXPECT_EQ(beam.comps(), 3);
  EXPECT_DOUBLE_EQ(beam.everywhere.mu.at({}), 100 / 2.6);
  EXPECT_DOUBLE_EQ(beam.everywhere.lambda.at({}), 100 * 0.3 / (1.3 * 0.4));
  EXPECT_EQ(beam.everywhere.source[1].at({}), -0.01);
  EXPECT_FALSE(condition_on(beam, "z0").value[0] || condition_on(beam, "z0").value[1]);
  EXPECT_EQ(condition_on(beam, "z0").value[2]->at({}), 0);
  EXPECT_EQ(condition_on(beam, "x1").flux[1].at({4, 0.75, 0}), -0.02);
  EXPECT_EQ(beam.solve.method, "cg");

  const PdeCase wave = pde_example("helmholtz.toml");
  EXPECT_DOUBLE_EQ(wave.everywhere.c.at({0.5, 0, 0}), -144);
  EXPECT_DOUBLE_EQ(wave.everywhere.c.at({1.5, 0, 0}), -36);
  EXPECT_EQ(wave.mesh.only_block().cell, Cell::triangle);
}

TEST(PdeCase, EveryExampleIsInOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(MILLRACE_EXAMPLES) + "/pde")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_FALSE(read_pde_case(entry.path()).title.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

constexpr const char* elastic_groups = R"([mesh]
file = "FOLDER/pde/wall.msh"
[equation]
name = "elasticity"
lambda = "2 + x"
mu = 1
[groups.wool]
young = 3
[boundary.inside]
value = ["free", "t"]
traction = [1, 2]
)";

TEST(PdeCase, GroupsInheritWhatTheyDoNotName) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  std::string text = "time = 2\n";
  text += elastic_groups;
  text.replace(text.find("FOLDER"), 6, MILLRACE_EXAMPLES);
  const PdeCase c = pde_case_of(text);
  const PdeCoefficients &brick = c.coefficients(c.mesh.tag_of(2, "brick")),
                        &wool = c.coefficients(c.mesh.tag_of(2, "wool"));
  EXPECT_DOUBLE_EQ(brick.lambda.at({1, 0, 0}), 3);
  EXPECT_DOUBLE_EQ(brick.poisson.at({1, 0, 0}), 3.0 / 8);
  EXPECT_DOUBLE_EQ(wool.poisson.at({1, 0, 0}), 3.0 / 8);
  EXPECT_DOUBLE_EQ(wool.young.at({1, 0, 0}), 3);
  EXPECT_NEAR(wool.mu.at({1, 0, 0}), 3 / (2 * (1 + 3.0 / 8)), 1e-15);
  EXPECT_EQ(c.time, 2);
  EXPECT_EQ(condition_on(c, "inside").value[1]->at({}, c.time), 2);
  EXPECT_EQ(condition_on(c, "inside").flux[0].at({}), 1);
}

// The divergence theorem on small boxes: what flows out of them is what the source makes, up to the box's size.
TEST(PdeCase, SourcesBalanceTheFluxesOfTheExactSolution) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string mesh =
      "[mesh]\ngenerator = 'box'\ncell = 'hex'\ncells = [2, 2, 2]\n[boundary.x0]\nvalue = 'exact'\n";
  const std::string scalar = "[exact]\nu = 'sin(x + 2*y) * exp(z * x) + t'\n";
  const std::string equations[] = {
      "[equation]\nname = 'diffusion'\nk = '1 + x * y + z^2'\nc = '2 - x'\n" + scalar,
      "[equation]\nname = 'convection-diffusion'\nk = 'exp(x)'\nvelocity = ['y', 'z^2', 2]\n" + scalar,
      "[equation]\nname = 'helmholtz'\nwave_number = '3 + y'\n" + scalar,
      "[equation]\nname = 'elasticity'\nyoung = '2 + x'\npoisson = '0.3 - 0.1 * y'\n"
      "[exact]\nu = ['sin(x * y) + z^2', 'x * z^2 + y', 'exp(x - y) * z']\n"};
  for (const std::string& equation : equations) {
    const PdeCase c = pde_case_of("time = 0.5\n" + equation + mesh);
    EXPECT_TRUE(c.manufactured);
    const millrace::Point x{0.3, 0.4, 0.6};
    const double h = 1e-4;  // half a side
    double source[3], flux[3], divergence[3] = {};
    exact_source(c, c.everywhere, x, source);
    for (std::size_t d = 0; d < 3; ++d)
      for (const double side : {-1.0, 1.0}) {
        millrace::Point at = x, normal{};
        at[d] += side * h;
        normal[d] = side;
        exact_flux(c, c.everywhere, at, normal, flux);
        for (int i = 0; i < c.comps(); ++i) divergence[i] += flux[i] / (2 * h);
      }
    for (int i = 0; i < c.comps(); ++i) {
      double expected = -divergence[i];
      if (c.kind != PdeKind::elasticity) {
        const Jet u = c.exact[0].jet_at(x, c.time);
        expected += c.everywhere.c.at(x) * u.value;
        for (std::size_t d = 0; d < c.everywhere.velocity.size(); ++d)
          expected += c.everywhere.velocity[d].at(x) * u.first[d];
      }
      EXPECT_NEAR(source[i], expected, 1e-5) << name_of(c.kind) << ' ' << i;
    }
  }
}

TEST(PdeCase, ASourceThatIsGivenIsKept) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const PdeCase c = pde_case_of(
      "[mesh]\ngenerator = 'box'\ncells = [2, 2]\n[equation]\nname = 'diffusion'\nsource = -4\n[exact]\n"
      "u = 'x^2 + y^2'\n[boundary.x0]\nvalue = 'exact'\n");
  EXPECT_FALSE(c.manufactured);
  double source = 0;
  exact_source(c, c.everywhere, {0.2, 0.9, 0}, &source);
  EXPECT_NEAR(source, -4, 1e-14);
}

TEST(PdeCase, BadFilesHaveOneSentenceEach) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_TEST_DATA "/bad_cases")) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".toml") continue;
    ++count;
    std::ifstream file(std::filesystem::path(path).replace_extension(".txt"));
    std::string expected;
    std::getline(file, expected);
    std::string found = refusal_of(path);
    const std::string folder = path.parent_path().string() + "/";
    for (std::size_t at; (at = found.find(folder)) != std::string::npos;) found.erase(at, folder.size());
    EXPECT_EQ(found, expected) << path;
    EXPECT_TRUE(found.starts_with(path.filename().string() + ":")) << found;
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
  }
  EXPECT_GE(count, 60);
}

}  // namespace
}  // namespace millrace::command
