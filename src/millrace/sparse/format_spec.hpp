// The name and parameters of a format as users write them: "csr", "sell-32-1024", "dbf-8-apart".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

/// What a text of a format says, or one of the structs of namespace `as`.
struct FormatSpec {
  std::string name;
  std::vector<std::int64_t> parameters{};  // the numbers
  std::vector<std::string> words{};        // all else
  std::string written{};                   // the whole text; empty when it was not parsed from one
  std::string text() const { return written.empty() ? name : written; }
  bool has(std::string_view word) const;
  friend bool operator==(const FormatSpec&, const FormatSpec&) = default;
};

/// Reads a text; whether there is such a format is seen when it is made.
FormatSpec parse_format_spec(std::string_view text);

/// Refuses more numbers than `max_numbers`, numbers outside 1..2^31-1, and words other than these. The usage says what
/// the format takes.
void check_parameters(const FormatSpec& spec, std::size_t max_numbers, const std::vector<std::string_view>& words,
                      std::string_view usage);

}  // namespace millrace
