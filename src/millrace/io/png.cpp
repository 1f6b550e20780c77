// The one file that knows libpng.
#include "millrace/io/png.hpp"

#include "millrace/base/error.hpp"

#if MILLRACE_WITH_PNG
#include <png.h>
#endif

namespace millrace {

bool has_png() { return MILLRACE_WITH_PNG != 0; }

#if MILLRACE_WITH_PNG

std::string encode_png(int width, int height, int channels, std::span<const std::uint8_t> pixels) {
  require((channels == 1 || channels == 3) && width > 0 && height > 0 &&
              pixels.size() == std::size_t(width) * std::size_t(height) * std::size_t(channels),
          "PNG: ", pixels.size(), " bytes are no picture of ", width, " x ", height, " pixels with ", channels,
          " channels (1 or 3)");
  png_image image{};  // libpng's simplified interface
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  const png_int_32 row = width * channels;
  png_alloc_size_t bytes = 0;
  bool written = png_image_write_to_memory(&image, nullptr, &bytes, 0, pixels.data(), row, nullptr) != 0;
  std::string file(bytes, '\0');
  written = written && png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), row, nullptr) != 0;
  require(written, "PNG: libpng: ", static_cast<const char*>(image.message));
  file.resize(bytes);
  return file;
}

#else

std::string encode_png(int, int, int, std::span<const std::uint8_t>) {
  throw Unsupported("a PNG file was asked for, but this build has no libpng; a name that ends in .svg is accepted");
}

#endif

}  // namespace millrace
