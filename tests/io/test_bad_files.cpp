// tests/data/bad holds one file a reason; beside it, the text of the error that it must give.
#include <algorithm>

#include "io/io_tools.hpp"
#include "millrace/io/matrix_file.hpp"

namespace millrace {
namespace {

std::vector<std::filesystem::path> bad_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MILLRACE_TEST_DATA) / "bad"))
    if (entry.path().extension() == ".mtx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(BadFiles, EachHasItsText) {
  const auto files = bad_files();
  EXPECT_GE(files.size(), 70u);
  for (const auto& file : files) {
    const std::string expected = test::load(std::filesystem::path(file).replace_extension(".txt"));
    for (const bool strict : {false, true}) {
      const std::string what = test::error_of([&] { read_matrix(file, {.strict = strict}); });
      ASSERT_TRUE(what.starts_with(file.string() + ":")) << file << " gave: " << what;
      if (strict) continue;
      EXPECT_EQ(what.substr(file.parent_path().string().size() + 1) + "\n", expected);
    }
  }
}

TEST(BadFiles, NotThereOrNotAFile) {
  const test::TempFolder folder;
  const auto missing = folder / "none.mtx";
  EXPECT_EQ(test::error_of([&] { read_matrix(missing); }),
            missing.string() + ": cannot be opened: No such file or directory");
  std::filesystem::create_directory(folder / "folder.mtx");
  EXPECT_EQ(test::error_of([&] { read_matrix(folder / "folder.mtx"); }),
            (folder / "folder.mtx").string() + ": is not a regular file");
}

}  // namespace
}  // namespace millrace
