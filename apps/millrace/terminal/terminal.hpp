// What the terminal can show, and bars; numbers as a reader likes them come with it.
#pragma once

#include <string>
#include <string_view>

#include "millrace/base/human.hpp"

namespace millrace::command {

enum class Drawing { automatic, unicode, ascii };

struct Style {
  int width = 100;  // columns of a line
  bool color = false;
  bool unicode = false;
};

/// Of several ranks the first one talks; the others say nothing on standard output, draw nothing, and speak on standard
/// error only when they end alone.
void be_silent();
bool talks();

/// Of standard output: its width, colours unless NO_COLOR is set or it is no terminal, block characters
/// when it is a terminal with a UTF-8 locale or they were asked for.
Style style_of_stdout(Drawing drawing = Drawing::automatic);

/// A bar of that share (0..1) of `width` columns, without trailing blanks.
std::string bar(double share, int width, const Style& style);

/// Columns that a UTF-8 text takes (every character counts one).
int display_width(std::string_view text);

std::string bold(std::string_view text, const Style& style);
std::string dim(std::string_view text, const Style& style);

/// A line of a report: a name, and what is said of it in a column of its own.
std::string named_line(std::string_view name, std::string_view value);
/// The same, in lines that the terminal holds.
std::string folded_line(std::string_view name, const std::string& value, const Style& style);

}  // namespace millrace::command
