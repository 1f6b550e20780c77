// An output file is complete or not there, whatever happens on the way.
#include "millrace/io/output_file.hpp"

#include <sys/wait.h>

#include <csignal>
#include <optional>

#include "io/io_tools.hpp"

namespace millrace {
namespace {

using test::error_of;

TEST(OutputFile, AppearsOnCommit) {
  const test::TempFolder folder;
  const auto path = folder / "a.txt";
  {
    OutputFile file(path);
    file.write("first ");
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path.string() + ".part-" + std::to_string(getpid())));
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
