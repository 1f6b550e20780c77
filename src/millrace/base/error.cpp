// How a number is written in an error's text.
#include "millrace/base/error.hpp"

#include <charconv>
#include <cmath>

namespace millrace::detail {

// As printf's %.6g, in any locale; a NaN has no sign, for that of 0 / 0 depends on the processor.
void append(std::string& out, double part) {
  if (std::isnan(part)) part = std::abs(part);
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, part, std::chars_format::general, 6).ptr);
}

}  // namespace millrace::detail
