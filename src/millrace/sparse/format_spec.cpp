// Reads the text of a format.
#include "millrace/sparse/format_spec.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "millrace/base/error.hpp"

namespace millrace {

bool FormatSpec::has(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }

FormatSpec parse_format_spec(std::string_view text) {
  FormatSpec spec;
  spec.name = std::string(text.substr(0, text.find('-')));
  spec.written = std::string(text);
  for (std::size_t at = spec.name.size(); at < text.size();) {
    const std::size_t next = std::min(text.find('-', at + 1), text.size());
    const std::string_view part = text.substr(at + 1, next - at - 1);
    require(!part.empty(), "format '", text, "': something is missing after a '-'; a format is written ",
            "NAME or NAME-NUMBER-WORD, as in sell-32-1024");
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error == std::errc{} && stop == part.data() + part.size()) {
      spec.parameters.push_back(value);
    } else {
      require(
          part.find_first_of("0123456789.+") == std::string_view::npos, "format '", text, "': '", part,
          "' is neither a whole number nor a word; a format is written NAME or NAME-NUMBER-WORD, as in sell-32-1024");
      spec.words.emplace_back(part);
    }
    at = next;
  }
  return spec;
}

void check_parameters(const FormatSpec& spec, std::size_t max_numbers, const std::vector<std::string_view>& words,
                      std::string_view usage) {
  const bool known = std::all_of(spec.words.begin(), spec.words.end(), [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
  const bool in_range = std::all_of(spec.parameters.begin(), spec.parameters.end(), [](std::int64_t value) {
    return value >= 1 && value <= std::numeric_limits<std::int32_t>::max();
  });
  require(spec.parameters.size() <= max_numbers && known && in_range, "format '", spec.text(), "': ", usage);
}

}  // namespace millrace
