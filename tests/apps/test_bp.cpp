// millrace bp: every problem reaches the known solution, records say what the text says, and refusals are clear.
#include <nlohmann/json.hpp>

#include "run_command.hpp"

namespace millrace::test {

using Json = nlohmann::json;

Json record_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bp");
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run_command(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(Bp, EveryProblemReachesTheKnownSolution) {
  for (const char* problem : {"1", "2", "3", "4", "5", "6"}) {
    const Json json = record_of({problem, "--order", "4", "--dofs", "6000"});
    EXPECT_EQ(json.at("schema"), "millrace.bp");
    EXPECT_EQ(json.at("cg").at("end"), "converged") << problem;
    EXPECT_LT(json.at("error").get<double>(), 2e-3) << problem;
    EXPECT_GT(json.at("operator").at("gdof_s").get<double>(), 0);
  }
}

TEST(Bp, TetsTheOfficialVariantAndRecomputedFactors) {
  EXPECT_LT(record_of({"3", "--element", "tet", "--order", "3", "--dofs", "3000"}).at("error").get<double>(), 1e-2);
  const Json plain = record_of({"1", "--order", "3", "--dofs", "3000"});
  const Json official = record_of({"1", "--order", "3", "--dofs", "3000", "--ceed"});
  EXPECT_LT(official.at("cg").at("iterations").get<int>(), plain.at("cg").at("iterations").get<int>());
  const Json made = record_of({"1", "--order", "3", "--dofs", "3000", "--recompute"});
  EXPECT_EQ(made.at("cg").at("iterations"), plain.at("cg").at("iterations"));
  EXPECT_EQ(made.at("factors"), "recomputed");
}

TEST(Bp, PMultigridOnTheMeshOfKershaw) {
  const auto run = [](const char* problem, const char* precond, const char* epsilon) {
    return record_of({problem, "--order", "4", "--dofs", "18000", "--kershaw", epsilon, "--precond", precond, "--tol",
                      "1e-8", "--random"});
  };
  const Json none = run("5", "none", "0.3"), jacobi = run("5", "jacobi", "0.3"), pmg = run("5", "pmg", "0.3"),
             uniform = run("5", "pmg", "1"), gauss = run("3", "pmg", "0.3");
  const auto iterations = [](const Json& json) { return json.at("cg").at("iterations").get<int>(); };
  EXPECT_LE(iterations(pmg), 45);
  EXPECT_LE(iterations(gauss), 45);
  EXPECT_LE(iterations(uniform), iterations(pmg));
  EXPECT_LT(2 * iterations(pmg), iterations(jacobi));
  EXPECT_LT(iterations(jacobi), iterations(none));
  EXPECT_EQ(pmg.at("precond"), "pmg");
  EXPECT_EQ(pmg.at("mesh"), "kershaw");
  EXPECT_EQ(pmg.at("epsilon"), 0.3);
  EXPECT_EQ(pmg.at("right_hand_side"), "random");
  EXPECT_TRUE(pmg.at("error").is_null());
  const Json& levels = pmg.at("multigrid").at("levels");
  ASSERT_EQ(levels.size(), 3U);
  for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(levels[l].at("order"), 4 >> l);
  EXPECT_EQ(levels[0].at("dofs"), pmg.at("dofs"));
  EXPECT_EQ(levels[0].at("smoothed_by"), "elements");
  EXPECT_EQ(levels[2].at("smoothed_by"), "amg");
  double phases = 0;
  for (const Json& seconds : pmg.at("multigrid").at("phases_seconds")) phases += seconds.get<double>();
  EXPECT_GT(phases, 0);
  EXPECT_LE(phases, pmg.at("multigrid").at("setup_seconds").get<double>());
  EXPECT_FALSE(jacobi.contains("multigrid"));
  // A known solution on this mesh, vector problems, levels by choice.
  const Json known = record_of({"6", "--order", "4", "--dofs", "9000", "--kershaw", "1", "--precond", "pmg", "--levels",
                                "4,1", "--degree", "2", "--smoothing", "points"});
  EXPECT_EQ(known.at("multigrid").at("levels")[0].at("smoothed_by"), "points");
  EXPECT_LT(known.at("error").get<double>(), 2e-3);
  EXPECT_EQ(known.at("multigrid").at("levels").size(), 2U);
  const Outcome outcome = run_command({"bp", "3", "--order", "2", "--dofs", "2000", "--precond", "pmg"});
  for (const char* word : {"Dirichlet, p-multigrid", "order 2", "order 1", "assembled; "})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << outcome.out;
}

TEST(Bp, TetsOfKershawsMeshAreStraightForCurvedOnesFold) {
  const std::vector<std::string> words{"3",    "--element", "tet", "--order",   "1",     "--dofs",
                                       "4096", "--kershaw", "0.3", "--precond", "jacobi"};
  EXPECT_EQ(record_of(words).at("cg").at("end"), "converged");
  std::vector<std::string> curved{"bp"};
  curved.insert(curved.end(), words.begin(), words.end());
  curved.insert(curved.end(), {"--geometry-order", "2"});
  const Outcome outcome = run_command(curved);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("has a Jacobian that is not positive"), std::string::npos) << outcome.err;
}

TEST(Bp, ExactlyAsManyIterationsAsAskedFor) {
  const Outcome outcome = run_command({"bp", "3", "--order", "2", "--dofs", "2000", "--iterations", "7"});
  expect_plain(outcome);
  for (const char* word : {"BP3: diffusion", "operator", "7 iterations", "GB/s, from caches"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << outcome.out;
  const Outcome stopped = run_command({"bp", "3", "--order", "2", "--dofs", "2000", "--max-iterations", "7"});
  EXPECT_EQ(stopped.code, 4);
  EXPECT_NE(stopped.err.find("millrace: not solved: "), std::string::npos) << stopped.err;
}

TEST(Bp, SeparateActionsAreForAGpu) {
  EXPECT_EQ(record_of({"1", "--order", "2", "--dofs", "500", "--evaluation", "actions"}).at("evaluation"), "fused");
  const Outcome outcome = run_command({"bp", "1", "--order", "2", "--dofs", "500", "--evaluation", "actions"});
  EXPECT_NE(outcome.out.find("fused: separate actions are for a GPU"), std::string::npos) << outcome.out;
}

TEST(Bp, RefusesWhatIsNotThere) {
  EXPECT_EQ(run_command({"bp", "1", "--evaluation", "whole"}).code, 2);
  EXPECT_EQ(run_command({"bp", "7"}).code, 2);
  EXPECT_EQ(run_command({"bp", "3", "--precond", "amg"}).code, 2);
  EXPECT_EQ(run_command({"bp", "3", "--kershaw", "1.5"}).code, 2);
  const Outcome levels = run_command({"bp", "3", "--levels", "4,1"});
  EXPECT_EQ(levels.code, 1);
  EXPECT_EQ(levels.err,
            "millrace: --levels, --degree and --smoothing are those of --precond pmg, which was not asked for\n");
  EXPECT_EQ(run_command({"bp", "1", "--element", "prism"}).code, 2);
  const Outcome nodes = run_command({"bp", "5", "--element", "tet"});
  EXPECT_EQ(nodes.code, 1);
  EXPECT_EQ(nodes.err, "millrace: BP5 has its points on the nodes, which only hexes can; tets take 1 to 4\n");
  const Outcome order = run_command({"bp", "1", "--element", "tet", "--order", "9"});
  EXPECT_EQ(order.err, "millrace: --order 9: tets have orders 1 to 8\n");
}

}  // namespace millrace::test
