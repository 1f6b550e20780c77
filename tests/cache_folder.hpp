// A cache of its own for a test, in a temporary folder.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace millrace::testing {

class CacheFolder {
 public:
  CacheFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "millrace-cache-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
    use(path_);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  ~CacheFolder() {
    unsetenv("MILLRACE_CACHE");
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  static void use(const std::filesystem::path& folder) { setenv("MILLRACE_CACHE", folder.c_str(), 1); }
  int num_files() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) count += entry.is_regular_file();
    return count;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace millrace::testing
