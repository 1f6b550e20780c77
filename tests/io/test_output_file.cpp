// An output file is complete or not there, whatever happens on the way.
#include "millrace/io/output_file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/io_tools.hpp"

namespace millrace {
namespace {

using test::error_of;
namespace fs = std::filesystem;

std::vector<fs::path> parts_of(const fs::path& target) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(target.parent_path()))
    if (entry.path().filename().string().starts_with(target.filename().string() + ".part-"))
      found.push_back(entry.path());
  return found;
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777;
}

TEST(OutputFile, AppearsOnCommit) {
  const test::TempFolder folder;
  const auto path = folder / "a.txt";
  {
    OutputFile file(path);
    file.write("first ");
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(parts_of(path).size(), 1u);
    file.write("second\n");
    file.commit();
    EXPECT_EQ(test::load(path), "first second\n");
    EXPECT_THROW(file.write("more"), Error);
    EXPECT_THROW(file.commit(), Error);
  }
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(OutputFile, LeavesTheOldOneWithoutCommit) {
  const test::TempFolder folder;
  test::save(folder / "a.txt", "old");
  { OutputFile(folder / "a.txt").write("new"); }
  EXPECT_EQ(test::load(folder / "a.txt"), "old");
  EXPECT_EQ(folder.num_files(), 1u);
  OutputFile file(folder / "a.txt");
  file.write("new");
  file.commit();
  EXPECT_EQ(test::load(folder / "a.txt"), "new");
}

TEST(OutputFile, SmallAndLargePieces) {
  const test::TempFolder folder;
  std::string expected;
  OutputFile file(folder / "a.bin");
  for (std::size_t size = 0; size < 3'000'000; size = 3 * size + 1) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_TRUE(test::load(folder / "a.bin") == expected);
}

TEST(OutputFile, Refusals) {
  const test::TempFolder folder;
  EXPECT_EQ(error_of([&] { OutputFile file(folder / "none" / "a"); }),
            (folder / "none" / "a").string() + ": cannot be written: No such file or directory");
  std::filesystem::create_directory(folder / "folder");
  EXPECT_EQ(error_of([&] { OutputFile file(folder / "folder"); }),
            (folder / "folder").string() + ": cannot be written: it is a directory");
  const OutputFile first(folder / "a");
  EXPECT_NE(error_of([&] { OutputFile second(folder / "a"); }).find("is being written already"), std::string::npos);
  EXPECT_NE(error_of([&] { OutputFile file(folder / std::string(5000, 'x')); }), "");
}

// Somebody who shares the folder lays a link under the name that part files once had.
TEST(OutputFile, FollowsNoLinkThatOthersLaidThere) {
  const test::TempFolder folder;
  test::save(folder / "private", "secret");
  fs::create_symlink(folder / "private", (folder / "a.txt").string() + ".part-" + std::to_string(getpid()));
  OutputFile file(folder / "a.txt");
  file.write("new");
  const std::vector<fs::path> parts = parts_of(folder / "a.txt");
  EXPECT_EQ(parts.size(), 2u);
  for (const fs::path& part : parts)
    if (!fs::is_symlink(part)) {
      EXPECT_EQ(mode_of(part), 0600u);
    }
  file.commit();
  EXPECT_EQ(test::load(folder / "private"), "secret");
  EXPECT_EQ(test::load(folder / "a.txt"), "new");
}

TEST(OutputFile, HasTheModeOfTheFileThatItReplaces) {
  const test::TempFolder folder;
  for (const mode_t mode : {0600u, 0640u, 0664u}) {
    test::save(folder / "a", "old");
    ASSERT_EQ(chmod((folder / "a").c_str(), mode), 0);
    OutputFile file(folder / "a");
    file.write("new");
    file.commit();
    EXPECT_EQ(mode_of(folder / "a"), mode);
  }
  const mode_t before = umask(027);
  OutputFile file(folder / "b");
  file.commit();
  umask(before);
  EXPECT_EQ(mode_of(folder / "b"), 0640u);
}

TEST(OutputFile, RefusesWhatIsReadOnly) {
  const test::TempFolder folder;
  test::save(folder / "a", "old");
  ASSERT_EQ(chmod((folder / "a").c_str(), 0444), 0);
  EXPECT_EQ(error_of([&] { OutputFile file(folder / "a"); }),
            (folder / "a").string() + ": cannot be written: it is read-only");
  EXPECT_EQ(test::load(folder / "a"), "old");
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(OutputFile, RemovesWhatDeadProcessesLeft) {
  const test::TempFolder folder;
  const fs::path path = folder / "a";
  const pid_t dead = fork();
  if (dead == 0) {
    OutputFile file(path);
    file.write("half");
    kill(getpid(), SIGKILL);
  }
  waitpid(dead, nullptr, 0);
  ASSERT_EQ(parts_of(path).size(), 1u);
  const std::string stale = parts_of(path)[0].string();
  const std::string number = "-" + std::to_string(dead) + "-";
  const auto at = stale.find(number);
  ASSERT_NE(at, stale.npos);
  const std::string alive = std::string(stale).replace(at, number.size(), "-" + std::to_string(getppid()) + "-"),
                    elsewhere = std::string(stale).replace(at - 8, 8, "00000000"), foreign = path.string() + ".part-x";
  for (const std::string& other : {alive, elsewhere, foreign}) test::save(other, "of others");
  {
    const OutputFile next(path);
    EXPECT_FALSE(fs::exists(stale));
  }
  for (const std::string& other : {alive, elsewhere, foreign}) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_EQ(parts_of(path).size(), 3u);
}

// Two processes write one file at once: each its own part file, and the last one to end counts.
TEST(OutputFile, OfManyProcessesAtOnceOneIsThereInTheEnd) {
  const test::TempFolder folder;
  const fs::path path = folder / "a";
  std::vector<pid_t> writers;
  for (int w = 0; w < 4; ++w) {
    writers.push_back(fork());
    if (writers.back() != 0) continue;
    for (int k = 0; k < 50; ++k) {
      OutputFile file(path);
      file.write(std::string(100'000, static_cast<char>('a' + w)));
      file.commit();
    }
    _exit(0);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string text = test::load(path);
  EXPECT_EQ(text, std::string(100'000, text.empty() ? ' ' : text[0]));
  EXPECT_EQ(folder.num_files(), 1u);
}

TEST(OutputFile, DevicesAreWrittenInPlace) {
  OutputFile file("/dev/null");
  file.write("nothing");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, FullDiskIsReported) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  OutputFile file("/dev/full");
  file.write("something");
  EXPECT_EQ(error_of([&] { file.commit(); }), "/dev/full: cannot be written: No space left on device");
}

TEST(OutputFile, ANameThatWasTakenMeanwhileIsReported) {
  const test::TempFolder folder;
  OutputFile file(folder / "a");
  fs::create_directories(folder / "a" / "below");
  EXPECT_EQ(error_of([&] { file.commit(); }), (folder / "a").string() + ": cannot be written: Is a directory");
}

TEST(OutputFile, SymbolicLinksStay) {
  const test::TempFolder folder;
  test::save(folder / "target", "old");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  OutputFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(test::load(folder / "target"), "new");
}

TEST(OutputFile, SignalHandlerRemovesPartFiles) {
  const test::TempFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, [](int) {
      remove_unfinished_output_files();
      _exit(3);
    });
    OutputFile first(folder / "a"), second(folder / "b");
    first.write(std::string(2'000'000, 'x'));
    std::raise(SIGTERM);
    _exit(4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(folder.num_files(), 0u);
}

}  // namespace
}  // namespace millrace
