// What a fuzzer feeds: every reader of files and every text that a user writes. A target takes any bytes; it may refuse
// them with an Error, and must do nothing worse.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace millrace::fuzz {

struct Target {
  const char* name;
  const char* extension;  // of the file that holds the bytes; empty: they are a text
  void (*run)(const std::string& path, std::string_view text);
};
std::span<const Target> targets();

/// Runs a target on these bytes. True: they were taken; false: an Error refused them. Anything else leaves as it is.
bool run(const Target& target, std::string_view bytes);

}  // namespace millrace::fuzz
