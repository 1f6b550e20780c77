// Lines are joined at backslashes and comments become blanks, as a preprocessor does before it looks for directives.
#include "millrace/fem/physics/source_includes.hpp"

#include <algorithm>
#include <array>

#include "millrace/base/error.hpp"
#include "millrace/base/printable.hpp"

namespace millrace {
namespace {

struct Line {
  int number = 0;
  std::string text{};
};

std::vector<Line> plain_lines(std::string_view text) {
  std::vector<Line> lines{{1, {}}};
  int number = 1;
  char inside = ' ';  // '*' and '/': comments; '"' and '\'': texts
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && (next == '\n' || (next == '\r' && i + 2 < text.size() && text[i + 2] == '\n'))) {
      i += next == '\n' ? 1 : 2;
      ++number;
      continue;
    }
    if (c == '\n') {
      ++number;
      if (inside != '*') {
        inside = ' ';
        lines.push_back({number, {}});
      }
      continue;
    }
    if (inside == ' ' && c == 'R' && next == '"') {  // R"x( ... )x" ends there alone
      const std::size_t open = text.find('(', i);
      if (open == text.npos) break;
      const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      const std::size_t end = std::min(text.find(close, open), text.size());
      number += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                            text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end + close.size() - 1;
      continue;
    }
    if (inside == '/') continue;
    if (inside == '*') {
      if (c == '*' && next == '/') inside = ' ', ++i;
      continue;
    }
    if (inside == ' ' && c == '/' && (next == '/' || next == '*')) {
      inside = next;
      lines.back().text += ' ';
      ++i;
      continue;
    }
    if (inside == ' ' && (c == '"' || c == '\''))
      inside = c;
    else if (inside == c && text[i - 1] != '\\')
      inside = ' ';
    lines.back().text += c;
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\v\f"), end = text.find_last_not_of(" \t\r\v\f");
  return begin == text.npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

}  // namespace

std::vector<SourceInclude> includes_of(std::string_view text) {
  constexpr std::array<std::string_view, 4> readers{"include", "include_next", "import", "embed"};
  std::vector<SourceInclude> found;
  for (const Line& line : plain_lines(text)) {
    std::string_view rest = trimmed(line.text);
    const std::string_view mark = rest.starts_with("#") ? "#" : "%:";
    if (!rest.starts_with(mark)) continue;
    rest = trimmed(rest.substr(mark.size()));
    const std::string_view word = rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
    if (std::ranges::find(readers, word) != readers.end())
      found.push_back({line.number, std::string(trimmed(rest.substr(word.size())))});
  }
  return found;
}

void require_known_includes(std::string_view text, std::span<const std::string> names) {
  for (const SourceInclude& include : includes_of(text)) {
    const std::string& what = include.what;
    const bool quoted =
        what.size() > 2 && ((what.front() == '"' && what.back() == '"') || (what.front() == '<' && what.back() == '>'));
    const bool known = quoted && std::ranges::find(names, what.substr(1, what.size() - 2)) != names.end();
    require(
        known, "physics source:", include.line, ": a file cannot be included here, and ",
        [&] { return printable(what); },
        " is one: the compiled kernel is kept, and would stay when the file changes. Put its text in place of the "
        "line; accepted: headers of Millrace, <cmath>, <complex>, <cstddef>, <cstdint>, <type_traits>");
  }
}

}  // namespace millrace
