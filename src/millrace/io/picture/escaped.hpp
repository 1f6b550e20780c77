// A text as it may stand in an SVG file.
#pragma once

#include <string>
#include <string_view>

#include "millrace/base/printable.hpp"

namespace millrace::picture {

inline std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

}  // namespace millrace::picture
