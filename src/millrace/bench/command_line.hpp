// The words this run of the command was started with, for records.
#pragma once

#include <string>

namespace millrace::bench {

/// Keeps them, without the folders that files lie in.
void keep_command_line(int argc, const char* const* argv);
const std::string& command_line();

}  // namespace millrace::bench
