// How a number is written in an error's text.
#include "millrace/base/error.hpp"

#include <charconv>

namespace millrace::detail {

// As printf's %.6g, in any locale.
void append(std::string& out, double part) {
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, part, std::chars_format::general, 6).ptr);
}

}  // namespace millrace::detail
