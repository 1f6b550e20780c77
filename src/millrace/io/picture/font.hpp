// A plain font of lines and arcs, for pictures made of pixels.
#pragma once

#include <string_view>
#include <vector>

#include "millrace/mesh/patches.hpp"

namespace millrace::picture {

/// Strokes of a text in units of its size: the text begins at (0, 0) on the base line, up is positive, and capitals are
/// 0.7 high. Bytes that begin a character outside ASCII are drawn as an empty box.
std::vector<std::vector<Place>> text_strokes(std::string_view text);
/// How far the text reaches, in units of its size.
double text_width(std::string_view text);
/// Width of the pen, in units of the size.
inline constexpr double pen_width = 0.085;

}  // namespace millrace::picture
