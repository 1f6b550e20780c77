// Texts in tables of comma-separated values.
#pragma once

#include <string>

namespace millrace {

/// Quoted where it would break the line.
inline std::string csv_text(std::string text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

}  // namespace millrace
