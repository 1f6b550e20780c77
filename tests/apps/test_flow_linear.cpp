// millrace flow: settings of the linear solver in reports, their changes, memory, and threads that stay within bounds.
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "cylinder_case.hpp"
#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {

inline std::string ring_flow(int around, int across, const std::string& tables) {
  return cylinder_case({.around = around, .across = across, .tables = tables});
}

TEST(FlowLinear, SettingsChangesAndMemoryAreReported) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const Folder folder;
  const std::string file = folder / "ring.toml", record = folder / "ring.json";
  std::ofstream(file) << ring_flow(12, 6,
                                   "[linear]\nfactors = 'bfloat16'\ncycle = 1\ncoarse = 'none'\ntolerance = 1e-8\n");
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

/// The most threads that the command has while it runs.
inline int most_threads(const std::vector<std::string>& words, const std::string& out) {
  const int log = open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  const pid_t child = start_command(words, log, log);
  int most = 0;
  for (int status = 0; waitpid(child, &status, WNOHANG) == 0;) {
    std::ifstream file("/proc/" + std::to_string(child) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("Threads:")) most = std::max(most, std::stoi(line.substr(8)));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  close(log);
  return most;
}

// Also those that make the mesh, find faces, and set up factors.
TEST(FlowLinear, ThreadsAreNotMoreThanAskedFor) {
  if (!reads_cases() || !fs::exists("/proc/self/status")) GTEST_SKIP() << "no toml++, or no /proc";
  const Folder folder;
  const std::string file = folder / "ring.toml", out = folder / "out";
  std::ofstream(file) << ring_flow(100, 50, "[solver]\nmax_steps = 1\n");
  setenv("OMP_NUM_THREADS", "3", 1);
  const int alone = most_threads({"flow", file, "--threads", "1"}, out), all = most_threads({"flow", file}, out);
  unsetenv("OMP_NUM_THREADS");
  EXPECT_GE(alone, 1) << read_file(out);
  EXPECT_TRUE(all == alone || all == alone + 2) << alone << ' ' << all;  // without OpenMP there is one
  EXPECT_LT(alone, 3) << read_file(out);
}

}  // namespace millrace::test
