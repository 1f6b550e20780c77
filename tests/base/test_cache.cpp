// The cache on disk: what is kept comes back, what is broken or foreign does not, and no folder stops anybody.
#include "millrace/base/cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "cache_folder.hpp"
#include "expect.hpp"

namespace millrace::testing {
namespace {

TEST(Cache, KeepsByKey) {
  const CacheFolder folder;
  EXPECT_FALSE(read_cached("test", "a"));
  const std::string content("one\0two\n", 8);
  EXPECT_TRUE(write_cached("test", "a", content));
  EXPECT_EQ(read_cached("test", "a"), content);
  EXPECT_FALSE(read_cached("test", "b"));
  EXPECT_FALSE(read_cached("other", "a"));
  EXPECT_TRUE(write_cached("test", "a", ""));
  EXPECT_EQ(read_cached("test", "a"), "");
  EXPECT_EQ(folder.num_files(), 1);  // nothing unfinished is left
}

TEST(Cache, BrokenAndForeignFilesCountAsNone) {
  const CacheFolder folder;
  const std::string key(1000, 'k'), content(1000, 'c');
  ASSERT_TRUE(write_cached("test", key, content));
  const std::filesystem::path path = cache_path("test", key);
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const auto read_as = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return read_cached("test", key);
  };
  EXPECT_EQ(read_as(whole), content);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{5}, std::size_t{30}, whole.size() - 1})
    EXPECT_FALSE(read_as(whole.substr(0, kept))) << kept;
  EXPECT_FALSE(read_as(whole + 'x'));
  for (const std::size_t place : {std::size_t{3}, std::size_t{20}, std::size_t{60}, whole.size() - 2}) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    EXPECT_FALSE(read_as(changed)) << place;
  }
  EXPECT_FALSE(read_as(std::string(5000, 'z')));
  ASSERT_TRUE(write_cached("test", "another key", content));  // a file of another key under this name
  std::filesystem::copy_file(cache_path("test", "another key"), path,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(read_cached("test", key));
  EXPECT_TRUE(write_cached("test", key, content));
  EXPECT_EQ(read_cached("test", key), content);
}

TEST(Cache, AFolderThatCannotBeWrittenOnlyCostsTheCache) {
  const CacheFolder folder;
  std::ofstream(folder.path() / "file") << "no folder";
  CacheFolder::use(folder.path() / "file" / "below");
  EXPECT_FALSE(write_cached("test", "a", "b"));
  EXPECT_FALSE(read_cached("test", "a"));
  CacheFolder::use("");  // none wanted
  EXPECT_TRUE(cache_folder().empty());
  EXPECT_FALSE(write_cached("test", "a", "b"));
  EXPECT_FALSE(read_cached("test", "a"));
}

// In a folder that others share, what they could have written is not trusted.
TEST(Cache, TrustsOnlyWhatThisUserAloneCanWrite) {
  const CacheFolder folder;
  ASSERT_TRUE(write_cached("test", "a", "content"));
  const std::filesystem::path path = cache_path("test", "a");
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  for (const mode_t mode : {0620u, 0602u, 0666u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_FALSE(read_cached("test", "a"));
  }
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(read_cached("test", "a"), "content");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(read_cached("test", "a"));
  }
  std::filesystem::rename(path, folder.path() / "elsewhere");
  std::filesystem::create_symlink(folder.path() / "elsewhere", path);
  EXPECT_FALSE(read_cached("test", "a"));
}

// A hole of 100 GB takes no room on the disk, and took all memory once.
TEST(Cache, AFileThatIsTooLargeIsNotRead) {
  const CacheFolder folder;
  ASSERT_TRUE(write_cached("test", "a", "content"));
  if (truncate(cache_path("test", "a").c_str(), off_t{100'000'000'000}) != 0) GTEST_SKIP() << "no such holes here";
  EXPECT_FALSE(read_cached("test", "a"));
  EXPECT_FALSE(write_cached("test", "b", std::string(65u << 20, 'x')));
}

TEST(Cache, FoldersAreForTheirOwnerAlone) {
  const CacheFolder folder;
  const mode_t before = umask(0);
  CacheFolder::use(folder.path() / "one" / "two");
  EXPECT_TRUE(write_cached("test", "a", "content"));
  umask(before);
  for (const auto& made : {folder.path() / "one", folder.path() / "one" / "two"}) {
    struct stat status {};
    ASSERT_EQ(stat(made.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u) << made;
  }
}

TEST(Cache, FolderFollowsTheEnvironment) {
  const CacheFolder folder;
  EXPECT_EQ(cache_folder(), folder.path());
  unsetenv("MILLRACE_CACHE");
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere/millrace");
  setenv("XDG_CACHE_HOME", "relative", 1);  // its convention has it ignored
  EXPECT_NE(cache_folder(), "relative/millrace");
  unsetenv("XDG_CACHE_HOME");
  if (std::getenv("HOME")) {
    EXPECT_EQ(cache_folder().filename(), "millrace");
  }
  if (before) setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace millrace::testing
