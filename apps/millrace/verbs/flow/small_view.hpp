// A small picture in a terminal that has colours: two pixels in every character, one above the other.
#pragma once

#include <string>

#include "millrace/io/picture.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

/// How many colours a terminal has, as far as the environment tells.
enum class ColourDepth { none, palette, full };  // palette: 256

/// By COLORTERM and TERM.
ColourDepth colour_depth();

/// When to draw it.
enum class Preview { automatic, always, never };

/// How large it is in characters, and in which colours; of depth none: it is not drawn.
struct PreviewRoom {
  ColourDepth depth = ColourDepth::none;
  int columns = 0, lines = 0;
};

/// Of standard output. Drawn without being asked on a terminal with colours (style), block characters, and 24 columns
/// and 12 lines at least; if asked always, for a terminal of unknown size as for one of 80 columns.
PreviewRoom preview_room(Preview when, const Style& style);

/// Lines of half blocks. Where there is no mesh nothing is drawn.
std::string half_blocks(const SmallPicture& picture, ColourDepth depth);

/// "mach  0.1 ████ 0.5" in the colours of the picture, in at most so many columns.
std::string colour_line(const SmallPicture& picture, const std::string& name, int columns, ColourDepth depth);

}  // namespace millrace::command
