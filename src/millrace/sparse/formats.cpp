// What follows from the list: names.
#include "millrace/sparse/formats.hpp"

namespace millrace {

std::string format_names() {
  std::string names;
  for_each_format<double>([&]<class Format>() { names += (names.empty() ? "" : " ") + std::string(Format::name); });
  return names;
}

std::string format_usage() {
  std::string names;
  for_each_format<double>(
      [&]<class Format>() { names += (names.empty() ? "" : " ") + std::string(Format::name) + Format::parameters; });
  return names;
}

}  // namespace millrace
