// Escapes the five characters that mean something in XML.
#include "millrace/io/xml_text.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/printable.hpp"

namespace millrace {

std::string xml_text(std::string_view text, std::string_view what) {
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
  require(
      plain && valid_utf8(text) == text, what, " ", [&] { return in_quotes(text); },
      " has bytes that XML cannot hold; UTF-8 without control characters is right");
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace millrace
