// The command at its edges: numbers that are none, names that are no text, files that claim much, outputs that fail.
#include <sys/resource.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "run_command.hpp"
#include "verb.hpp"
#include "verbs/bench/peer_trial.hpp"

namespace millrace::test {

// The options of a verb that take a value, by its help: names and types.
std::vector<std::pair<std::string, std::string>> options_of(const std::string& verb) {
  const std::string help = run_command({verb, "--help"}).out;
  const std::regex line(R"(\n +(?:-\w, *)?(--[a-z-]+) ([A-Z][A-Za-z,.\-]*))");
  std::vector<std::pair<std::string, std::string>> options;
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at)
    options.emplace_back((*at)[1], (*at)[2]);
  return options;
}

TEST(Edges, NoOptionTakesNanOrInfinity) {
  int num_tried = 0;
  for (const char* verb : {"inspect", "bench", "solve", "eig", "bp", "tune-gemm", "convert", "gen"})
    for (const auto& [option, type] : options_of(verb)) {
      if (type.find("FILE") != type.npos || type.find("MATRIX") != type.npos) continue;
      for (const char* value : {"nan", "inf", "-inf", "1e999"}) {
        const std::string input = verb == std::string("bp") ? "1" : "poisson2d5:n=3";
        std::vector<std::string> words{verb, input, option + "=" + value};
        if (verb == std::string("tune-gemm")) words.erase(words.begin() + 1);
        words.insert(words.begin(), "millrace");
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        int code = -1;
        try {  // in this process, since starting hundreds takes half a minute
          code = command::run_verb(static_cast<int>(arguments.size()), arguments.data());
        } catch (const Error& error) {  // what the command makes an exit code of 1
          code = 1;
        }
        const std::string said = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
        EXPECT_TRUE(code == 2 || (option == "--device" && code == 1))
            << verb << ' ' << option << ' ' << value << ": " << code << said;
        ++num_tried;
      }
    }
  EXPECT_GT(num_tried, 150);
}

TEST(Edges, OutputThatCannotBeWrittenIsAnError) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--version"}, {"--help"}, {"gen", "--list"}}) {
    const Folder folder;
    const std::string err_name = folder / "err";
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) GTEST_SKIP() << "no /dev/full here";
    const int err = open(err_name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    EXPECT_EQ(wait_for(start_command(words, full, err)), 1) << words[0];
    close(full);
    close(err);
    EXPECT_TRUE(read_file(err_name).starts_with("millrace: ")) << read_file(err_name);
  }
}

TEST(Edges, FilesAreLookedAtBeforeAnythingIsMeasured) {
  const Outcome outcome = run_command({"bench", "poisson2d5:n=4", "no-such.mtx"});
  expect_error(outcome, 1, "no-such.mtx: no such file");  // and nothing on standard output, where the bandwidth goes
  expect_error(run_command({"bench", "poisson2d5:n=4", "poisson2d5:m=4"}), 1, "has no parameter 'm'");
}

TEST(Edges, TuneGemmRefusesATableOfACpu) {
  const Folder folder;
  const Outcome outcome =
      run_command({"tune-gemm", "--device", "cpu", "--sizes", "5x7", "--n", "50", "-o", folder / "t"});
  expect_error(outcome, 1, "was asked for on the cpu");
  EXPECT_FALSE(fs::exists(folder / "t"));
}

TEST(Edges, VastRequestsAreRefusedWithTheFigure) {
  const Folder folder;
  const std::string rows = folder / "rows.mtx", cols = folder / "cols.mtx";
  std::ofstream(rows) << "%%MatrixMarket matrix coordinate real general\n100000000 100000000 0\n";
  std::ofstream(cols) << "%%MatrixMarket matrix coordinate real general\n1 2147483647 0\n";
  for (const char* verb : {"inspect", "solve", "eig"})
    for (const std::string& file : {rows, cols}) expect_error(run_command({verb, file}), 1, "GB, for a file of ");
  expect_error(run_command({"convert", rows, "-o", folder / "x.mrx"}), 1, "need 5.20 GB");
  expect_error(run_command({"gen", "poisson3d7:n=100000", "-o", folder / "x.mrx"}), 1, "1000000000000000 rows");
  expect_error(run_command({"gen", "poisson3d7:n=1000", "-o", folder / "x.mrx", "--max-memory", "4G"}), 1,
               "need 96.0 GB; the limit is 4.00 GB");
  expect_error(run_command({"inspect", "poisson2d5:n=1000", "--max-memory", "1M"}), 1, "the limit is 1.00 MB");
  expect_error(run_command({"inspect", "poisson2d5", "--max-memory", "much"}), 2, "is no amount of memory");
  const std::string small = folder / "small.mtx";
  std::ofstream(small) << "%%MatrixMarket matrix coordinate real general\n30000000 3 0\n";
  expect_error(run_command({"convert", small, "-o", folder / "y.mrx"}), 1, "need 1.08 GB");
  EXPECT_EQ(run_command({"convert", small, "-o", folder / "y.mrx", "--max-memory", "2GB"}).code, 0);
}

// The largest resident memory of a run, in bytes.
double memory_of(const std::vector<std::string>& words) {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t child = start_command(words, nothing, nothing);
  int status = 0;
  rusage usage{};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << words[0] << ' ' << words[1];
  close(nothing);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

TEST(Edges, EmptyRowsAndColumnsTakeFewBytesEach) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer has memory of its own";
#endif
  const Folder folder;
  const std::string large = folder / "large.mtx", small = folder / "small.mtx";
  std::ofstream(large) << "%%MatrixMarket matrix coordinate real general\n2000000 3000000 1\n7 7 1\n";
  std::ofstream(small) << "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n";
  for (const std::vector<std::string>& rest :
       {std::vector<std::string>{"inspect", "--read-gb-s", "10"}, {"convert", "-o", folder / "x.mrx"}}) {
    std::vector<std::string> words = rest;
    words.insert(words.begin() + 1, large);
    const double much = memory_of(words);
    words[1] = small;
    EXPECT_LT(much - memory_of(words), 64 * 5e6) << words[0];
  }
}

TEST(Edges, WhatOverflowsAFloatIsRefused) {
  const Folder folder;
  const std::string file = folder / "large.mtx";
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e300\n2 2 1\n";
  expect_error(run_command({"convert", file, "-o", folder / "x.mrx", "--precision", "float"}), 1,
               "the entry in row 0, column 0 has the size 1e+300, beyond the range of a float");
  EXPECT_FALSE(fs::exists(folder / "x.mrx"));
}

TEST(Edges, NamesThatAreNoUtf8WorkInJson) {
  const Folder folder;
  const std::string name = folder /
                           "gr\xf6\xdf"
                           "e.mtx";
  std::ofstream(name) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n";
  const Outcome outcome = run_command({"inspect", name, "--json", "--read-gb-s", "10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(nlohmann::json::parse(outcome.out).at("matrix").at("file").get<std::string>().find("gr\\xf6\\xdfe.mtx"),
            std::string::npos);
}

TEST(Edges, EscapeBytesOfAFileNeverReachTheTerminal) {
  const Folder folder;
  const std::string matrix = folder / "red.mtx", mesh = folder / "red.msh", named = folder / "\x1b[31m.mtx";
  std::ofstream(matrix) << "%%MatrixMarket matrix coordinate real general\n% \x1b[31m\n2 2 1\n1 1 \x1b[31m7\n";
  std::ofstream(named) << "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7\n";
  std::ofstream(mesh)
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 3 \"\x1b[31mred\"\n$EndPhysicalNames\n"
         "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 3 1 1 2 3\n$EndElements\n"
         "$\x1b[32m\n$End\x1b[32m\n";
  for (const std::string& file : {matrix, mesh, named, folder / "\x1b[31m-not-there.mtx"}) {
    const Outcome outcome = run_command({"inspect", file, "--read-gb-s", "10"});
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos) << outcome.out << outcome.err;
  }
  EXPECT_NE(run_command({"inspect", matrix}).err.find("'\\x1b[31m7' is not a number"), std::string::npos);
  const Outcome groups = run_command({"inspect", mesh});
  EXPECT_NE(groups.out.find("\\x1b[31mred"), std::string::npos) << groups.out << groups.err;
  EXPECT_NE(groups.out.find("note       the section $\\x1b[32m is left out"), std::string::npos) << groups.out;
}

std::size_t num_files(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(Edges, AFileThatGrowsTooLargeLeavesNothing) {
  const Folder folder;
  const Folder elsewhere;
  const std::string err_name = elsewhere / "err";
  const int err = open(err_name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);  // the child has it, too
  const pid_t child = start_command({"gen", "poisson2d5:n=200", "-o", folder / "a.mtx"}, err, err);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(wait_for(child), 1);
  close(err);
  EXPECT_NE(read_file(err_name).find("cannot be written"), std::string::npos) << read_file(err_name);
  EXPECT_EQ(num_files(folder), 0u);
}

// SIGQUIT comes from a user, the others from batch systems before they kill.
TEST(Edges, SignalsLeaveNoPartOfAFile) {
  for (const int signal : {SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP}) {
    const Folder folder;
    const Folder elsewhere;
    const std::string err_name = elsewhere / "err";
    const int err = open(err_name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const pid_t child = start_command({"gen", "poisson2d5:n=3000", "-o", folder / "a.mtx"}, err, err);
    while (num_files(folder) == 0 && waitpid(child, nullptr, WNOHANG) == 0) usleep(1000);
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 128 + signal);
    close(err);
    EXPECT_EQ(num_files(folder), 0u) << signal;
  }
}

// With a closed standard output the first file that was opened got its number, and all that was printed.
TEST(Edges, ClosedDescriptorsAreNotThoseOfFiles) {
  const Folder folder;
  const std::string quiet = folder / "quiet.mtx", closed = folder / "closed.mtx";
  const std::string command = std::string(MILLRACE_COMMAND) + " gen poisson2d5:n=30 -o ";
  EXPECT_EQ(std::system((command + quiet + " >/dev/null 2>&1").c_str()), 0);
  for (const char* ending : {" >&-", " 2>&-", " <&- >&- 2>&-"}) {
    fs::remove(closed);
    EXPECT_EQ(std::system((command + closed + ending).c_str()), 0) << ending;
    EXPECT_EQ(read_file(closed), read_file(quiet)) << ending;
  }
}

// The command with so much address space, and so many seconds of a core: OpenBLAS asks for its memory for ever, while
// it is loaded.
int run_in(rlim_t bytes, rlim_t seconds, const std::vector<std::string>& words, const std::string& out_name) {
  rlimit before{}, time_before{};
  EXPECT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(getrlimit(RLIMIT_CPU, &time_before), 0);
  const int out = open(out_name.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit small{bytes, before.rlim_max}, brief{seconds, time_before.rlim_max};
    setrlimit(RLIMIT_CPU, &brief);
    setrlimit(RLIMIT_AS, &small);
    exec_command(words, out, out);
  }
  close(out);
  return wait_for(child);
}

// A preconditioner whose set-up failed for want of memory was asked for once more, and was not there.
TEST(Edges, AFailedSetUpIsAnErrorAndNoFault) {
  if (std::string(MILLRACE_COUNT_THREADS).empty()) GTEST_SKIP() << "sanitizers need all the address space";
  constexpr rlim_t megabyte = rlim_t{1} << 20;
  const Folder elsewhere;
  const std::string out_name = elsewhere / "out";
  rlim_t low = 16 * megabyte, high = 16384 * megabyte;  // what the program and its libraries take
  while (high - low > megabyte) {
    const rlim_t middle = (low + high) / 2;
    (run_in(middle, 1, {"--help"}, out_name) == 0 ? high : low) = middle;
  }
  int refused = 0;
  for (rlim_t more = 28; more <= 40; ++more) {
    const int code = run_in(high + more * megabyte, 60, {"solve", "laplace3d7:n=40", "--threads", "1"}, out_name);
    EXPECT_TRUE(code == 0 || code == 1 || code == 4) << more << " MB: " << code << '\n' << read_file(out_name);
    refused += code != 0;
  }
  EXPECT_GT(refused, 0);
}

TEST(Edges, ABrokenPeerIsFoundAndLeftOut) {
  const Folder folder;
  const std::string program = folder / "peers.sh";
  std::ofstream(program) << "#!/bin/sh\n"
                            "for peer in one two three four; do\n"
                            "  case \" $* \" in *\" $peer \"*) continue;; esac\n"
                            "  echo begin $peer\n"
                            "  if [ $peer = two ]; then kill -SEGV $$; fi\n"
                            "  if [ $peer = four ]; then echo broken the driver is gone; exit 1; fi\n"
                            "  echo end $peer\n"
                            "done\n";
  fs::permissions(program, fs::perms::owner_all);
  const auto broken = command::find_broken_peers(program, {"word"});
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_NE(broken.at("two").find("by signal 11"), std::string::npos) << broken.at("two");
  EXPECT_EQ(broken.at("four"), "the driver is gone");
  const Outcome trial = run_command({command::peer_trial_word, "cpu", "complex-double", "1"});
  EXPECT_EQ(trial.code, 0) << trial.err;
  EXPECT_NE(trial.out.find("begin "), std::string::npos);
}

}  // namespace millrace::test
