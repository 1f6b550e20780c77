// Boxes, lines and texts in pixels. A pixel (x, y) is the square from there to (x + 1, y + 1).
#include "millrace/io/picture/raster.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/io/picture/font.hpp"

namespace millrace::picture {
namespace {

// The part of pixel i that lies in [low, high].
double overlap(int i, double low, double high) {
  return std::clamp(std::min(i + 1.0, high) - std::max(double(i), low), 0.0, 1.0);
}

struct Range {
  int first, last;
};

Range pixels_in(double low, double high, int size) {
  return {static_cast<int>(std::clamp(std::floor(low), 0.0, double(size))),
          static_cast<int>(std::clamp(std::ceil(high), 0.0, double(size)))};
}

double distance_to(const Place& a, const Place& b, double x, double y) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((x - a[0]) * dx + (y - a[1]) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

}  // namespace

Raster::Raster(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), white) {}

void Raster::blend(int x, int y, const Colour& colour, double share) {
  Colour& pixel = pixels_[place(x, y)];
  pixel.red += share * (colour.red - pixel.red);
  pixel.green += share * (colour.green - pixel.green);
  pixel.blue += share * (colour.blue - pixel.blue);
}

void Raster::fill(const Box& box) {
  const Range rows = pixels_in(box.y, box.y + box.height, height_),
              columns = pixels_in(box.x, box.x + box.width, width_);
  for (int y = rows.first; y < rows.last; ++y)
    for (int x = columns.first; x < columns.last; ++x)
      blend(x, y, box.fill, overlap(x, box.x, box.x + box.width) * overlap(y, box.y, box.y + box.height));
}

std::vector<std::uint8_t> Raster::bytes() const {
  std::vector<std::uint8_t> result;
  result.reserve(3 * pixels_.size());
  for (const Colour& pixel : pixels_)
    for (const double part : {pixel.red, pixel.green, pixel.blue})
      result.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0))));
  return result;
}

Mask::Mask(int width, int height)
    : width_(width), height_(height), shares_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

void Mask::raise(int x, int y, double share) {
  float& here = shares_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  here = std::max(here, static_cast<float>(share));
}

void Mask::add(std::span<const Place> places, double width) {
  // A line thinner than a pixel is as wide as one and paler.
  const double half = std::max(width, 1.0) / 2, strength = std::min(width, 1.0);
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const Place &a = places[i], &b = places[i + 1];
    const double reach = half + 1;
    const Range rows = pixels_in(std::min(a[1], b[1]) - reach, std::max(a[1], b[1]) + reach, height_);
    for (int y = rows.first; y < rows.last; ++y) {
      // Only the part of the row that the segment comes near to.
      double low = std::min(a[0], b[0]), high = std::max(a[0], b[0]);
      if (const double rise = b[1] - a[1]; std::abs(rise) > 1e-9) {
        const double x0 = a[0] + (y - reach - a[1]) / rise * (b[0] - a[0]),
                     x1 = a[0] + (y + 1 + reach - a[1]) / rise * (b[0] - a[0]);
        low = std::max(low, std::min(x0, x1));
        high = std::min(high, std::max(x0, x1));
      }
      const Range columns = pixels_in(low - reach, high + reach, width_);
      for (int x = columns.first; x < columns.last; ++x) {
        const double share = std::clamp(half + 0.5 - distance_to(a, b, x + 0.5, y + 0.5), 0.0, 1.0);
        if (share > 0) raise(x, y, share * strength);
      }
    }
  }
}

void Mask::add(const Text& text) {
  const double width = text_width(text.text) * text.size;
  const double back = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? width / 2 : width;
  for (std::vector<Place>& stroke : text_strokes(text.text)) {
    for (Place& p : stroke) {
      const double along = p[0] * text.size - back, up = p[1] * text.size;
      p = text.upwards ? Place{text.x - up, text.y - along} : Place{text.x + along, text.y - up};
    }
    add(stroke, pen_width * text.size);
  }
}

void Mask::paint(Raster& raster, const Colour& colour, double strength) const {
  std::size_t k = 0;
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x, ++k)
      if (shares_[k] > 0) raster.blend(x, y, colour, strength * static_cast<double>(shares_[k]));
}

}  // namespace millrace::picture
