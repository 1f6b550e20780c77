// Colours of values and of groups.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/io/picture.hpp"

namespace millrace::picture {

/// Red, green and blue of a screen (sRGB), 0 to 1.
struct Colour {
  double red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour white{1, 1, 1}, ink{0.11, 0.11, 0.13}, not_a_number{0.62, 0.62, 0.62};

/// The colour at t of a map; t outside 0..1 takes the colour of the end, not-a-number is grey.
Colour colour_of(ColourMap map, double t);
/// The colour of a group; the first dozen differ well, later ones still do.
Colour colour_of_group(std::int32_t group);
/// "#1b2c3d".
std::string hex_text(const Colour& colour);

}  // namespace millrace::picture
