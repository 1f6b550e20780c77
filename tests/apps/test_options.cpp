// Options that many verbs have: host threads.
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "cylinder_case.hpp"
#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {
namespace {

// The largest team of threads that the command makes, as OpenMP's runtime tells it; 0: none.
int largest_team(std::vector<std::string> words, bool alone) {
  if (alone) words.insert(words.end(), {"--threads", "1"});
  const Outcome outcome = run_command(words);
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 4) << outcome.err;  // 4: not solved in one step
  std::istringstream lines(outcome.err);
  const std::string head = "team of ";
  int largest = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(head)) largest = std::max(largest, std::stoi(line.substr(head.size())));
  return largest;
}

}  // namespace

// Also those that read, sum bytes up, make a mesh, find faces, and set up factors.
TEST(Options, ThreadsAreNotMoreThanAskedFor) {
  const Folder folder;
  std::vector<std::vector<std::string>> commands = {{"solve", "laplace3d7:24", "--precond", "amg"},
                                                    {"eig", "laplace3d7:24", "--lowest", "1", "--tol", "1e-3"}};
  if (reads_cases()) {
    const std::string file = folder / "ring.toml";
    std::ofstream(file) << cylinder_case({.around = 100, .across = 50, .tables = "[solver]\nmax_steps = 1\n"});
    commands.push_back({"flow", file});
  }
  const std::pair<const char*, const char*> settings[] = {{"OMP_NUM_THREADS", "3"},
                                                          {"OMP_WAIT_POLICY", "passive"},
                                                          {"OMP_DISPLAY_AFFINITY", "true"},
                                                          {"OMP_AFFINITY_FORMAT", "team of %N"}};
  for (const auto& [name, value] : settings) setenv(name, value, 1);
  for (const std::vector<std::string>& words : commands) {
    const int all = largest_team(words, false);
    EXPECT_TRUE(all == 3 || all == 0) << words.front() << ' ' << all;  // without OpenMP there is none
    EXPECT_LE(largest_team(words, true), 1) << words.front();
  }
  for (const auto& [name, value] : settings) unsetenv(name);
}

}  // namespace millrace::test
