// Options that many verbs have: host threads.
#include <algorithm>
#include <cstdlib>
#include <thread>

#include "cylinder_case.hpp"
#include "millrace/io/case_file.hpp"
#include "run_command.hpp"

namespace millrace::test {
namespace {

// How many threads the command made, as a library says that counts them (count_threads.cpp).
int threads_made(std::vector<std::string> words, const std::string& count, bool alone) {
  if (alone) words.insert(words.end(), {"--threads", "1"});
  fs::remove(count);
  setenv("MILLRACE_TEST_THREADS", count.c_str(), 1);
  setenv("LD_PRELOAD", MILLRACE_COUNT_THREADS, 1);
  const Outcome outcome = run_command(words);
  unsetenv("LD_PRELOAD");
  unsetenv("MILLRACE_TEST_THREADS");
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 4) << outcome.err;  // 4: not solved in one step
  const std::string made = read_file(count);
  EXPECT_FALSE(made.empty()) << words.front();
  return std::atoi(made.c_str());
}

}  // namespace

// Also those that read, sum bytes up, make a mesh, find faces, and set up factors.
TEST(Options, ThreadsAreNotMoreThanAskedFor) {
  if (std::string(MILLRACE_COUNT_THREADS).empty()) GTEST_SKIP() << "sanitizers refuse the library that counts";
  const Folder folder;
  std::vector<std::vector<std::string>> commands = {{"solve", "laplace3d7:24", "--precond", "amg"},
                                                    {"eig", "laplace3d7:24", "--lowest", "1", "--tol", "1e-3"}};
  if (reads_cases()) {
    const std::string file = folder / "ring.toml";
    std::ofstream(file) << cylinder_case({.around = 100, .across = 50, .tables = "[solver]\nmax_steps = 1\n"});
    commands.push_back({"flow", file});
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  setenv("OMP_NUM_THREADS", "3", 1);
  for (const std::vector<std::string>& words : commands) {
    EXPECT_EQ(threads_made(words, folder / "count", false), std::min(3, cores) - 1) << words.front();
    EXPECT_EQ(threads_made(words, folder / "count", true), 0) << words.front();
  }
  setenv("OMP_PROC_BIND", "true", 1);  // an OpenMP beside us binds the first thread to one core
  EXPECT_EQ(threads_made(commands[0], folder / "count", false), std::min(3, cores) - 1);
  unsetenv("OMP_PROC_BIND");
  setenv("OMP_NUM_THREADS", "many", 1);
  const Outcome refused = run_command({"solve", "laplace3d7:4"});
  unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(refused.code, 1);
  // An OpenMP that a library brings says something, too.
  EXPECT_TRUE(refused.err.ends_with("millrace: OMP_NUM_THREADS is 'many'; a number from 1 to 4096 is accepted\n"))
      << refused.err;
}

}  // namespace millrace::test
