// What the programs of benchmarks share: numbers and lists from their arguments, and an error as one line.
#pragma once

#include <charconv>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "millrace/base/error.hpp"

namespace millrace::program {

/// The whole text as a number; `what` is for the error.
template <class N>
N number(std::string_view what, std::string_view text) {
  N value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && end == text.data() + text.size(), what, " '", text, "' is no number");
  return value;
}

/// "a,b,c" in parts, empty ones too: whoever reads them refuses those.
inline std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(',', begin);
    found.push_back(text.substr(begin, end - begin));
  }
  return found;
}

/// What main returns: run's answer, or 1 after the text of an error with the program's name before it.
template <class Run>
int guarded(const char* name, Run&& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace millrace::program
