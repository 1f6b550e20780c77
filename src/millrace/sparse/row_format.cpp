// Reads the text of a format.
#include "millrace/sparse/row_format.hpp"

#include <charconv>

#include "millrace/base/error.hpp"

namespace millrace {

std::string FormatSpec::text() const {
  std::string text = name;
  for (const std::int64_t p : parameters) text += "-" + std::to_string(p);
  return text;
}

FormatSpec parse_format_spec(std::string_view text) {
  FormatSpec spec;
  spec.name = std::string(text.substr(0, text.find('-')));
  for (std::size_t at = spec.name.size(); at < text.size();) {
    const std::size_t next = std::min(text.find('-', at + 1), text.size());
    std::int64_t value = 0;
    const char *first = text.data() + at + 1, *last = text.data() + next;
    const auto [stop, error] = std::from_chars(first, last, value);
    require(error == std::errc{} && stop == last && first < last, "format '", text, "': '",
            std::string_view(first, last),
            "' is not a whole number; a format is written NAME or NAME-NUMBER-NUMBER, as in sell-32-1024");
    spec.parameters.push_back(value);
    at = next;
  }
  return spec;
}

}  // namespace millrace
