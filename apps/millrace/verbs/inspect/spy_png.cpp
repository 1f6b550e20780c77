// The spy plot as PNG, by libpng; compiled only where that is found.
#include <png.h>

#include <cmath>

#include "millrace/base/error.hpp"
#include "verbs/inspect/spy.hpp"

namespace millrace::command {

std::string spy_png(const SpyGrid& grid, int scale) {
  constexpr int frame = 2;
  constexpr unsigned char white = 255, black = 0;
  const int width = grid.width * scale + 2 * frame, height = grid.height * scale + 2 * frame;
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), black);
  for (int y = 0; y < grid.height * scale; ++y)
    for (int x = 0; x < grid.width * scale; ++x)
      pixels[static_cast<std::size_t>(y + frame) * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(x + frame)] =
          static_cast<unsigned char>(std::lround(white * (1 - grid.at(y / scale, x / scale))));

  png_image image{};  // libpng's simplified interface
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t bytes = 0;
  bool written = png_image_write_to_memory(&image, nullptr, &bytes, 0, pixels.data(), width, nullptr) != 0;
  std::string file(bytes, '\0');
  written = written && png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), width, nullptr) != 0;
  require(written, "spy plot: libpng: ", static_cast<const char*>(image.message));
  return file;
}

}  // namespace millrace::command
