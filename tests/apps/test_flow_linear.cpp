// millrace flow: settings of the linear solver in reports, their changes, and memory.
#include <nlohmann/json.hpp>

#include "cylinder_case.hpp"
#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {

TEST(FlowLinear, SettingsChangesAndMemoryAreReported) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "ring.toml", record = folder / "ring.json";
  std::ofstream(file) << cylinder_case(
      {.around = 12,
       .across = 6,
       .tables = "[linear]\nfactors = 'bfloat16'\ncycle = 1\ncoarse = 'none'\ntolerance = 1e-8\n"});
  const Outcome outcome = run_command({"flow", file, "--json", record});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"GMRES, cycles of 1, to 1e-08; block ILU(0) in bfloat16 numbers, elimination minimum-fill",
                           "changed: ", "factors in double", "cycles of 200"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  const nlohmann::json json = nlohmann::json::parse(read_file(record)), &linear = json.at("linear");
  EXPECT_EQ(linear.at("factors"), "bfloat16");
  EXPECT_EQ(linear.at("cycle"), 1);
  EXPECT_EQ(linear.at("coarse"), "none");
  std::string changes;
  for (const nlohmann::json& step : json.at("history")) changes += step.at("changes").get<std::string>();
  EXPECT_NE(changes.find("factors in double"), std::string::npos) << changes;
  const nlohmann::json& memory = json.at("orders").at(0).at("memory");
  EXPECT_EQ(memory.at("coarse_bytes"), 0);
  EXPECT_GT(memory.at("estimate_bytes"), memory.at("matrix_bytes"));
  EXPECT_GE(memory.at("peak_bytes"), 0);
}

}  // namespace millrace::test
