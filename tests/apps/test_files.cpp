// gen, convert and inspect on files: round trips to the last bit, atomic outputs, interruptions.
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "run_command.hpp"

namespace millrace::test {

void expect_quiet(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

TEST(Files, ConvertingThereAndBackGivesTheSameBytes) {
  const Folder folder;
  expect_quiet(run_command({"gen", "poisson2d9:n=13,seed=5", "-o", folder / "a.mrx"}));
  const std::string first = read_file(folder / "a.mrx");
  EXPECT_GT(first.size(), 1000u);
  std::string before = folder / "a.mrx";
  for (const char* name : {"b.mtx", "c.mtx.gz", "d.mtx.xz"}) {
    if (run_command({"convert", before, "-o", folder / name}).code != 0) continue;  // a build without zlib or liblzma
    expect_quiet(run_command({"convert", folder / name, "-o", folder / "back.mrx"}));
    EXPECT_EQ(read_file(folder / "back.mrx"), first) << name;
    before = folder / name;
  }
  expect_quiet(run_command({"convert", folder / "b.mtx", "-o", folder / "half.mtx", "--symmetry", "auto"}));
  EXPECT_NE(read_file(folder / "half.mtx").substr(0, 80).find("real symmetric"), std::string::npos);
  EXPECT_LT(fs::file_size(folder / "half.mtx"), fs::file_size(folder / "b.mtx"));
  expect_quiet(run_command({"convert", folder / "half.mtx", "-o", folder / "back.mrx"}));
  EXPECT_EQ(read_file(folder / "back.mrx"), first);
}

TEST(Files, OrdersAndPrecisionsAreKept) {
  const Folder folder;
  expect_quiet(run_command({"gen", "poisson2d5:n=9,permute=1", "-o", folder / "a.mtx"}));
  const auto width = [&](const std::string& name) {
    const auto json = nlohmann::json::parse(run_command({"inspect", folder / name, "--json", "--read-gb-s", "10"}).out);
    return json.at("lower_bandwidth").get<int>();
  };
  expect_quiet(run_command({"convert", folder / "a.mtx", "-o", folder / "rcm.mtx", "--order", "rcm"}));
  EXPECT_LT(width("rcm.mtx"), width("a.mtx"));
  expect_quiet(
      run_command({"convert", folder / "a.mtx", "-o", folder / "rows.mtx", "--order", "descending", "--rows-only"}));
  expect_quiet(run_command({"convert", folder / "a.mtx", "-o", folder / "f.mrx", "--precision", "float"}));
  expect_quiet(run_command({"convert", folder / "a.mtx", "-o", folder / "d.mrx"}));
  EXPECT_LT(fs::file_size(folder / "f.mrx"), fs::file_size(folder / "d.mrx"));
  expect_quiet(run_command({"convert", folder / "a.mtx", "-o", folder / "z.mtx", "--precision", "complex-double"}));
  EXPECT_NE(read_file(folder / "z.mtx").find("complex"), std::string::npos);
  expect_error(run_command({"convert", folder / "z.mtx", "-o", folder / "r.mtx", "--precision", "double"}), 1,
               "complex");
}

TEST(Files, AnExistingFileIsReplacedOrKeptWhole) {
  const Folder folder;
  expect_quiet(run_command({"gen", "poisson2d5:n=4", "-o", folder / "a.mtx"}));
  const std::string first = read_file(folder / "a.mtx");
  EXPECT_EQ(run_command({"convert", "no-such.mtx", "-o", folder / "a.mtx"}).code, 1);
  EXPECT_EQ(read_file(folder / "a.mtx"), first);
  expect_quiet(run_command({"gen", "poisson2d5:n=5", "-o", folder / "a.mtx"}));
  EXPECT_NE(read_file(folder / "a.mtx"), first);
}

TEST(Files, InspectShowsStatisticsHistogramAndFormats) {
  const Outcome text = run_command({"inspect", "poisson3d7:n=8", "--read-gb-s", "10"});
  expect_plain(text);
  for (const char* word :
       {"512 x 512", "3,200", "row length", "symmetric", "coo", "csr", "sell-32-1024", "predicted", "##"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word;
  EXPECT_NE(run_command({"inspect", "poisson3d7:n=8", "--read-gb-s", "10", "--unicode"}).out.find("█"),
            std::string::npos);

  const auto json =
      nlohmann::json::parse(run_command({"inspect", "poisson3d7:n=8", "--read-gb-s", "10", "--json"}).out);
  EXPECT_EQ(json.at("schema"), "millrace.inspect");
  EXPECT_EQ(json.at("rows"), 512);
  EXPECT_EQ(json.at("entries"), 7 * 512 - 6 * 64);
  EXPECT_TRUE(json.at("symmetry").at("numerical").get<bool>());
  std::int64_t rows = 0;
  for (const auto& bin : json.at("row_histogram")) rows += bin.at("rows").get<std::int64_t>();
  EXPECT_EQ(rows, 512);
  for (const auto& format : json.at("formats")) {
    EXPECT_GT(format.at("predicted_us").get<double>(), 0);
    EXPECT_GE(format.at("bytes_per_entry").get<double>(), sizeof(float) + 1) << format;
  }
}

TEST(Files, EmptyMatricesAreInspected) {
  const Folder folder;
  std::ofstream(folder / "empty.mtx") << "%%MatrixMarket matrix coordinate real general\n0 5 0\n";
  std::ofstream(folder / "zero.mtx") << "%%MatrixMarket matrix coordinate complex general\n3 3 0\n";
  for (const char* name : {"empty.mtx", "zero.mtx"})
    expect_plain(run_command({"inspect", folder / name, "--read-gb-s", "10", "--spy", folder / "spy.svg"}));
}

// Ctrl-C while a large file is written: exit code 128 + signal and an empty folder.
TEST(Files, InterruptionLeavesNothingBehind) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder, logs;
    const std::string log = logs / "log";
    const int file = open(log.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const pid_t child = start_command({"gen", "poisson3d27:n=40", "-o", folder / "big.mtx.xz"}, file, file);
    for (int i = 0; i < 6000 && fs::is_empty(folder.path()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(child, signal);
    const int code = wait_for(child);
    close(file);
    if (code == 1) GTEST_SKIP() << "this build writes no .xz files: " << read_file(log);
    EXPECT_EQ(code, 128 + signal) << read_file(log);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

}  // namespace millrace::test
