// Which source this command was built from, and how.
#pragma once

#include <string>

namespace millrace::bench {

struct BuildInfo {
  std::string commit;       // of the repository, or empty where there was none
  bool dirty = false;       // did the sources differ from that commit?
  std::string source_hash;  // of all files of src/ and apps/
  std::string type, flags, compiler;
};
BuildInfo build_info();

/// "millrace 0.1.0 (...)" and the features of this build, one per line.
std::string version_text();

}  // namespace millrace::bench
