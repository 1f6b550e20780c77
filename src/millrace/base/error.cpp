// How a number is written in an error's text.
#include "millrace/base/error.hpp"

#include <fmt/format.h>

namespace millrace::detail {

void append(std::string& out, double part) { out += fmt::format("{:.6g}", part); }

}  // namespace millrace::detail
