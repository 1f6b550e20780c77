// Names in a sentence: "a, b, c".
#pragma once

#include <string>

namespace millrace {

/// All of a range of texts; `none` where it is empty.
template <class Range>
std::string list_text(const Range& names, const char* none = "") {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text.empty() ? none : text;
}

}  // namespace millrace
