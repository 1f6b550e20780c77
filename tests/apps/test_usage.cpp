// Help, versions and errors of the command: what a user sees before any work is done.
#include "run_command.hpp"

namespace millrace::test {

constexpr const char* verbs[] = {"inspect", "bench",     "solve",   "eig", "pde",    "flow",
                                 "bp",      "tune-gemm", "convert", "gen", "devices"};

TEST(Usage, HelpListsEveryVerbAndEachHasExamples) {
  const Outcome help = run_command({"--help"});
  expect_plain(help);
  for (const char* verb : verbs) {
    EXPECT_NE(help.out.find(verb), std::string::npos);
    const Outcome own = run_command({verb, "--help"});
    expect_plain(own);
    EXPECT_NE(own.out.find("Example"), std::string::npos) << verb;
    EXPECT_NE(own.out.find(std::string("millrace ") + verb), std::string::npos) << verb;
  }
}

TEST(Usage, VersionNamesTheFeatures) {
  const Outcome version = run_command({"--version"});
  expect_plain(version);
  for (const char* word : {"millrace ", "CUDA", "MPI", "OpenMP", "formats", "csr"})
    EXPECT_NE(version.out.find(word), std::string::npos) << word;
}

TEST(Usage, WrongUsageIsOneLineWithAHint) {
  expect_error(run_command({"benhc"}), 2,
               "unknown verb 'benhc'; there are: inspect bench solve eig pde flow bp tune-gemm convert gen devices");
  expect_error(run_command({"bench"}), 2, "--help");
  expect_error(run_command({"bench", "--frobnicate"}), 2, "unknown option '--frobnicate' (see millrace bench --help)");
  expect_error(run_command({"bench", "poisson2d5", "--formats", "csr,sel"}), 2, "unknown sparse format 'sel'");
  expect_error(run_command({"bench", "poisson2d5", "--precision", "half"}), 2, "unknown precision 'half'");
  expect_error(run_command({"bench", "poisson2d5", "--rhs", "0"}), 2, "right-hand sides");
  expect_error(run_command({"bench", "poisson2d5", "--threads", "none"}), 2, "--threads");
  expect_error(run_command({"inspect", "poisson2d5", "--order", "random"}), 2, "rcm");
  expect_error(run_command({"convert", "poisson2d5", "-o", "x.mtx", "--symmetry", "odd"}), 2, "skew-symmetric");
  expect_error(run_command({"gen"}), 2, "--list");
  expect_error(run_command({"gen", "poisson2d5"}), 2, "-o");
}

TEST(Usage, NoVerbPrintsTheHelp) {
  const Outcome outcome = run_command({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("Usage:"), std::string::npos);
}

TEST(Usage, BadInputIsOneLineAndExitCodeOne) {
  const Folder folder;
  const std::string broken = folder / "broken.mtx";
  std::ofstream(broken) << "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n";
  expect_error(run_command({"inspect", "no-such.mtx"}), 1, "no-such.mtx: no such file");
  expect_error(run_command({"inspect", broken}), 1, "broken.mtx:3:");
  expect_error(run_command({"inspect", folder.path().string()}), 1, "is a folder");
  expect_error(run_command({"inspect", "poisson2d5:m=3"}), 1, "m");
  expect_error(run_command({"gen", "nothing", "-o", folder / "x.mtx"}), 1, "poisson3d7");
  expect_error(run_command({"gen", "poisson2d5:n=4", "-o", folder / "none/x.mtx"}), 1, "there is no folder");
  expect_error(run_command({"gen", "poisson2d5:n=4", "-o", folder / "x.txt"}), 1, ".mtx.gz");
  expect_error(run_command({"bench", "poisson2d5:n=4", "--json", folder / "none/x.json"}), 1, "there is no folder");
  expect_error(run_command({"bench", "poisson2d5:n=4", "--device", "tpu"}), 1, "unknown device 'tpu'");
  expect_error(run_command({"convert", "poisson2d5:n=4", "-o", folder / "x.mrx", "--symmetry", "symmetric"}), 1,
               "Matrix Market");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Usage, GalleryListHasNamesHelpAndDefaults) {
  const Outcome list = run_command({"gen", "--list"});
  expect_plain(list);
  for (const char* word : {"poisson3d7", "powerlaw", "n=", "seed="})
    EXPECT_NE(list.out.find(word), std::string::npos) << word;
}

TEST(Usage, ClosedStandardOutputEndsQuietly) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);  // nobody reads
  close(ends[0]);
  const Folder folder;
  const std::string err_name = folder / "err";
  const int err = open(err_name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  EXPECT_EQ(wait_for(start_command({"gen", "--list"}, ends[1], err)), 128 + SIGPIPE);
  close(ends[1]);
  close(err);
  EXPECT_EQ(read_file(err_name), "");
}

}  // namespace millrace::test
