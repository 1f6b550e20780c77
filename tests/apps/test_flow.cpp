// millrace flow: the report, the record, the matrix, and the exit codes.
#include <nlohmann/json.hpp>

#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {

constexpr const char* small_flow = R"(title = "a cylinder"
[mesh]
generator = "o-mesh"
around = 8
across = 4
far = 10
mirrored = true
[equation]
name = "navier-stokes"
mach = 0.3
reynolds = 20
[space]
order = 1
[boundary.wall]
kind = "adiabatic-wall"
[boundary.far]
kind = "far-field"
)";

TEST(Flow, ReportsAndRecords) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml", record = folder / "small.json", matrix = folder / "small.mtx";
  std::ofstream(file) << small_flow;
  const Outcome outcome = run_command({"flow", file, "--json", record, "--matrix", matrix});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"64 triangles of order 4", "far: far-field, wall: adiabatic-wall", "residual", "drag",
                           "converged, order 1", "Cd ", "memory"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  const nlohmann::json json = nlohmann::json::parse(read_file(record));
  EXPECT_EQ(json.at("schema"), "millrace.flow");
  EXPECT_TRUE(json.at("converged"));
  EXPECT_EQ(json.at("history").size(), json.at("orders").at(0).at("steps"));
  EXPECT_GT(json.at("orders").at(0).at("coefficients").at("drag"), 1);
  EXPECT_NEAR(json.at("orders").at(0).at("coefficients").at("lift"), 0, 1e-7);
  EXPECT_EQ(json.at("fluxes").size(), 2U);
  const Outcome inspected = run_command({"inspect", matrix, "--read-gb-s", "10"});
  EXPECT_NE(inspected.out.find("8 x 8, 100.0 % full"), std::string::npos) << inspected.out << inspected.err;
}

TEST(Flow, JsonAloneOnStandardOutput) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "small.toml";
  std::ofstream(file) << small_flow;
  const Outcome outcome = run_command({"flow", file, "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("cells"), 64);
}

TEST(Flow, SaysWhatIsWrong) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "bad.toml";
  std::ofstream(file) << small_flow << "speed = 3\n";
  const Outcome bad = run_command({"flow", file});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("bad.toml:18:9: 'boundary.far.speed' is no key here; accepted are: "), std::string::npos)
      << bad.err;
  const Outcome missing = run_command({"flow", folder / "none.toml"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("none.toml"), std::string::npos) << missing.err;
  std::ofstream(file) << small_flow << "[solver]\nmax_steps = 2\n";
  const Outcome unsolved = run_command({"flow", file});
  EXPECT_EQ(unsolved.code, 4);
  EXPECT_NE(unsolved.err.find("not solved: order 1: the residual is "), std::string::npos) << unsolved.err;
  EXPECT_NE(unsolved.err.find("the last drag coefficient was "), std::string::npos) << unsolved.err;
  const Outcome checked = run_command({"flow", file, "--check"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_NE(checked.out.find("nothing is wrong with this case"), std::string::npos) << checked.out;
}

}  // namespace millrace::test
