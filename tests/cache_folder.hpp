// A cache of its own for a test, in a temporary folder.
#pragma once

#include "temporary_folder.hpp"

namespace millrace::testing {

class CacheFolder : public test::TemporaryFolder {
 public:
  CacheFolder() : test::TemporaryFolder("millrace-cache") { use(path()); }
  ~CacheFolder() { unsetenv("MILLRACE_CACHE"); }
  static void use(const std::filesystem::path& folder) { setenv("MILLRACE_CACHE", folder.c_str(), 1); }
  int num_files() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path())) count += entry.is_regular_file();
    return count;
  }
};

}  // namespace millrace::testing
