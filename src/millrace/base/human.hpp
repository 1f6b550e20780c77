// Numbers as a reader likes them.
#pragma once

#include <cstdint>
#include <string>

namespace millrace {

std::string count_text(std::int64_t count);  // "1,234,567"
std::string bytes_text(double bytes);        // "1.23 GB"
std::string seconds_text(double seconds);    // "12.3 us"
std::string percent_text(double share);      // "87.1 %"

}  // namespace millrace
