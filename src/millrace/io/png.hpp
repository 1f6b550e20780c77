// Pixels as the bytes of a PNG file, by libpng.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace millrace {

/// Whether this build has libpng; without it encode_png throws.
bool has_png();

/// The bytes of a PNG file. One channel is grey, three are red, green and blue; the first row is on top.
std::string encode_png(int width, int height, int channels,
                       std::span<const std::uint8_t> pixels);  // [height, width, channels]

}  // namespace millrace
