// A picture as pixels, and what is drawn into it with smooth edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "millrace/io/picture/scene.hpp"

namespace millrace::picture {

class Raster {
 public:
  Raster(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  Colour at(int x, int y) const { return pixels_[place(x, y)]; }
  /// Mixes a share of the colour into a pixel.
  void blend(int x, int y, const Colour& colour, double share);
  void fill(const Box& box);
  /// [height, width, 3]
  std::vector<std::uint8_t> bytes() const;

 private:
  friend class Mask;
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }
  int width_, height_;
  std::vector<Colour> pixels_;  // [height, width]
};

/// How far pixels are covered by lines of one colour; where lines meet, the larger share counts, so joints do not show.
class Mask {
 public:
  Mask(int width, int height);
  /// A line with round ends through these places, in pixels.
  void add(std::span<const Place> places, double width);
  void add(const Text& text);
  void raise(int x, int y, double share);
  /// Mixes the colour into the picture.
  void paint(Raster& raster, const Colour& colour, double strength = 1) const;

 private:
  int width_, height_;
  std::vector<float> shares_;  // [height, width]
};

/// The colour of the patches in a pixel, and how much of it they cover, 0 to 1.
struct PatchPixel {
  Colour colour;
  double share = 0;
};
/// The patches alone. [height, width]
std::vector<PatchPixel> paint_patches(const PlaneFigure& figure, const Scene& scene, const Shading& shading);

/// The whole picture.
Raster paint(const PlaneFigure& figure, const Scene& scene, const Shading& shading, const PictureOptions& options);

}  // namespace millrace::picture
