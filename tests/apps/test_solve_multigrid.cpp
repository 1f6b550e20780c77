// millrace solve --precond amg: its options, its report, the methods that go with it, and when auto takes it.
#include <nlohmann/json.hpp>

#include "millrace/base/error.hpp"
#include "run_command.hpp"

namespace millrace::test {

using Json = nlohmann::json;

namespace {

Json multigrid_record(std::vector<std::string> words) {
  words.insert(words.begin(), "solve");
  words.push_back("--json");
  const Outcome outcome = run_command(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out.empty() ? Json{} : Json::parse(outcome.out);
}

}  // namespace

TEST(SolveMultigrid, MultigridTakesOptionsAndReportsItsLevels) {
  const std::string matrix = "laplace3d7:n=16";
  const Json json =
      multigrid_record({matrix, "--method", "cg", "--precond", "amg:theta=0.25,degree=3,precision=single"});
  EXPECT_EQ(json.at("end"), "converged");
  const Json& made = json.at("tries").at(0).at("multigrid");
  EXPECT_EQ(made.at("levels").at(0).at("rows"), 4096);
  EXPECT_EQ(made.at("levels").back().at("format"), "dense inverse");
  EXPECT_GT(made.at("operator_complexity"), 1);
  EXPECT_GT(made.at("seconds").at("total"), 0);
  const Outcome text = run_command({"solve", matrix, "--method", "cg", "--precond", "amg"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("levels of 4096, "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("operator complexity"), std::string::npos) << text.out;
  for (const char* method : {"fgmres", "gmres", "bicgstab"})
    EXPECT_EQ(multigrid_record({matrix, "--method", method, "--precond", "amg"}).at("end"), "converged") << method;
  EXPECT_EQ(multigrid_record({matrix, "--precond", "amg", "--precision", "float"}).at("end"), "converged");
  const Json flexible = multigrid_record({matrix, "--precond", "amg:cycle=k"});
  EXPECT_EQ(flexible.at("tries").at(0).at("method"), "fgmres");
  EXPECT_NE(flexible.at("tries").at(0).at("why"), "");
  expect_error(run_command({"solve", matrix, "--method", "cg", "--precond", "amg:cycle=k"}), 1,
               "is another map in every iteration, and cg needs one that stays; accepted are method fgmres");
  expect_error(run_command({"solve", matrix, "--precond", "amg:cycle=f"}), 2,
               "amg: cycle=f is not possible; accepted is v|w|k");
  expect_error(
      run_command({"solve", matrix, "--method", "cg", "--precond", "amg", "--precision", "complex-double", "--json"}),
      1, "float and double are accepted");
}

TEST(SolveMultigrid, MultigridServesSeveralRightHandSides) {
  const Folder folder;
  std::string text = "%%MatrixMarket matrix array real general\n1000 2\n";
  for (int i = 0; i < 2000; ++i) text += join(i % 7 - 3, "\n");
  std::ofstream(folder / "b.mtx") << text;
  const Json json = multigrid_record({"laplace3d7:n=10", "-b", folder / "b.mtx", "--method", "cg", "--precond", "amg"});
  ASSERT_EQ(json.at("columns").size(), 2u);
  for (const Json& column : json.at("columns")) EXPECT_EQ(column.at("end"), "converged");
  EXPECT_LT(json.at("tries").at(1).at("setup_seconds"), json.at("tries").at(0).at("setup_seconds"));
}

TEST(SolveMultigrid, SlowFactorsGiveWayToMultigrid) {
  const Json json = multigrid_record({"laplace2d5:n=500", "--without", "direct", "--tol", "1e-10"});
  EXPECT_EQ(json.at("end"), "converged");
  ASSERT_EQ(json.at("tries").size(), 2u) << json.dump(1);
  EXPECT_EQ(json.at("tries").at(0).at("precond"), "ic0");
  EXPECT_EQ(json.at("tries").at(0).at("end"), "stopped");
  EXPECT_EQ(json.at("tries").at(1).at("precond"), "amg");
  EXPECT_LT(json.at("iterations"), 150);
}

}  // namespace millrace::test
