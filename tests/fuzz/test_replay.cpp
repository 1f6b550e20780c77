// The corpus once more: inputs that were found by fuzzing, and the good and bad files of the other tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "fuzz/targets.hpp"
#include "millrace/io/case_file.hpp"

namespace millrace::fuzz {
namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() != ".txt") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How many inputs of these folders were taken and refused. Whatever is neither ends the test.
struct Count {
  int taken = 0, refused = 0;
};
Count replay(const Target& target, const std::vector<std::string>& folders) {
  Count count;
  for (const std::string& folder : folders)
    for (const auto& file : files_of(std::filesystem::path(MILLRACE_TEST_DATA) / folder)) {
      SCOPED_TRACE(std::string(target.name) + ": " + file.string());
      ++(run(target, content_of(file)) ? count.taken : count.refused);
    }
  return count;
}

TEST(Fuzz, CorpusIsTakenOrRefusedAndNothingWorse) {
  for (const Target& target : targets()) {
    if (std::string_view(target.name) == "case" && !reads_cases()) continue;  // a build without toml++ refuses all
    const Count count = replay(target, {std::string("fuzz/") + target.name});
    EXPECT_GT(count.taken, 0) << target.name << ": no good input in tests/data/fuzz";
    EXPECT_GT(count.refused, 0) << target.name << ": no bad input in tests/data/fuzz";
  }
}

TEST(Fuzz, FilesOfOtherTestsReachEveryReader) {
  std::map<std::string, const Target*> by_name;
  for (const Target& target : targets()) by_name[target.name] = &target;
  EXPECT_GT(replay(*by_name.at("matrix_market"), {"good"}).taken, 5);
  EXPECT_GT(replay(*by_name.at("matrix_market"), {"bad"}).refused, 30);
  EXPECT_GT(replay(*by_name.at("gmsh"), {"bad_meshes"}).refused, 10);
  for (const char* other : {"binary", "matrix_gzip", "matrix_xz", "gmsh"})
    EXPECT_GT(replay(*by_name.at(other), {"good", "bad"}).refused, 30) << other;
}

TEST(Fuzz, CutAndTurnedInputsAreHarmless) {
  for (const Target& target : targets())
    for (const auto& file : files_of(std::filesystem::path(MILLRACE_TEST_DATA) / "fuzz" / target.name)) {
      const std::string bytes = content_of(file).substr(0, 2000);
      for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 40) {
        SCOPED_TRACE(std::string(target.name) + ": " + file.string() + ", byte " + std::to_string(i));
        run(target, bytes.substr(0, i));
        std::string turned = bytes;
        turned[i] = static_cast<char>(turned[i] ^ (1 << (i % 8)));
        run(target, turned);
      }
    }
}

}  // namespace
}  // namespace millrace::fuzz
