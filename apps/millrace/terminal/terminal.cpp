// Asks the environment what the terminal can show, and formats numbers.
#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "millrace/base/environment.hpp"
#include "millrace/base/printable.hpp"

namespace millrace::command {

namespace {

bool silent = false;

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {  // the first that is set decides
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int terminal_width() {
  constexpr int narrowest = 60, widest = 200, usual = 100;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<int>(size.ws_col, narrowest, widest);
  const int columns = std::atoi(environment("COLUMNS").c_str());
  return columns > 0 ? std::clamp(columns, narrowest, widest) : usual;
}

std::string wrapped(std::string_view code, std::string_view text, const Style& style) {
  const std::string shown = printable(text);
  return style.color ? fmt::format("\033[{}m{}\033[0m", code, shown) : shown;
}

}  // namespace

void be_silent() {
  silent = true;
  if (!std::freopen("/dev/null", "w", stdout)) std::fclose(stdout);
}
bool talks() { return !silent; }

Style style_of_stdout(Drawing drawing) {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  Style style;
  style.width = terminal_width();
  style.color = terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  style.unicode = drawing == Drawing::unicode || (drawing == Drawing::automatic && terminal && utf8_locale());
  return style;
}

std::string bar(double share, int width, const Style& style) {
  if (!(share > 0) || width <= 0) return {};
  share = std::min(share, 1.0);
  if (!style.unicode) return std::string(static_cast<std::size_t>(std::max(1.0, std::round(share * width))), '#');
  static constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int parts = std::max(1, static_cast<int>(std::round(share * width * 8)));
  std::string text;
  for (int i = 0; i < parts / 8; ++i) text += "█";
  return text + eighths[static_cast<std::size_t>(parts % 8)];
}

int display_width(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string bold(std::string_view text, const Style& style) { return wrapped("1", text, style); }
std::string dim(std::string_view text, const Style& style) { return wrapped("2", text, style); }

std::string named_line(std::string_view name, std::string_view value) { return fmt::format("{:<11}{}\n", name, value); }

std::string folded_line(std::string_view name, const std::string& value, const Style& style) {
  constexpr std::size_t indent = 11;
  const auto room = static_cast<std::size_t>(std::max(style.width, 40)) - indent;
  std::string text;
  for (std::size_t begin = 0; begin < value.size() || text.empty();) {
    std::size_t end = value.size();
    if (end - begin > room) {
      end = value.rfind(' ', begin + room);
      if (end == std::string::npos || end <= begin) end = std::min(value.find(' ', begin), value.size());
    }
    text += named_line(text.empty() ? name : "", value.substr(begin, end - begin));
    begin = end < value.size() ? end + 1 : end;
  }
  return text;
}

}  // namespace millrace::command
