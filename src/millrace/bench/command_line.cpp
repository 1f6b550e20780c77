// Keeps the words of the command line, without their folders.
#include "millrace/bench/command_line.hpp"

#include <algorithm>

namespace millrace::bench {

namespace {
std::string kept = "millrace";
}

void keep_command_line(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t value = word.starts_with('-') ? word.find('=') + 1 : 0;  // npos + 1 is 0
    const std::size_t name = std::max(value, word.rfind('/') + 1);
    kept += ' ' + word.substr(0, value) + word.substr(name);
  }
}

const std::string& command_line() { return kept; }

}  // namespace millrace::bench
