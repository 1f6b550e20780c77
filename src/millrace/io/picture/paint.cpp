// Patches in pixels: the field is evaluated once in every pixel of a patch, and pixels on the rim of a patch count by
// the share of 16 samples that they have in it. Then contours, mesh lines, outline and texts.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "millrace/base/to_size.hpp"
#include "millrace/io/picture/raster.hpp"

namespace millrace::picture {
namespace {

constexpr int side_samples = 4, num_samples = side_samples * side_samples;
// Patches reach so far (pixels) over their rim: neighbours overlap, and no gap of rounding or curvature shows.
constexpr double overlap_width = 0.12;

// Barycentric coordinates of a triangle in pixels.
class Triangle {
 public:
  explicit Triangle(const std::array<Place, 3>& corners) : corners_(corners) {
    const auto& [a, b, c] = corners;
    area_ = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    for (std::size_t k = 0; k < 3; ++k) {
      const Place &p = corners[(k + 1) % 3], &q = corners[(k + 2) % 3];
      slack_[k] = overlap_width * std::hypot(q[0] - p[0], q[1] - p[1]) / std::abs(area_);
    }
    for (std::size_t d = 0; d < 2; ++d) {
      low_[d] = std::min({a[d], b[d], c[d]}) - overlap_width;
      high_[d] = std::max({a[d], b[d], c[d]}) + overlap_width;
    }
  }
  bool flat() const { return !(std::abs(area_) > 1e-12); }
  std::array<double, 3> weights(double x, double y) const {
    std::array<double, 3> w{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Place &p = corners_[(k + 1) % 3], &q = corners_[(k + 2) % 3];
      w[k] = ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) / area_;
    }
    return w;
  }
  bool has(double x, double y) const {
    if (x < low_[0] || x > high_[0] || y < low_[1] || y > high_[1]) return false;  // tips of needles reach no farther
    const auto w = weights(x, y);
    return w[0] >= -slack_[0] && w[1] >= -slack_[1] && w[2] >= -slack_[2];
  }
  /// The pixels [first, last) of one axis that it may touch.
  std::pair<int, int> pixels(std::size_t axis, int size) const {
    return {std::clamp(static_cast<int>(std::floor(low_[axis])), 0, size),
            std::clamp(static_cast<int>(std::ceil(high_[axis])), 0, size)};
  }

 private:
  std::array<Place, 3> corners_;
  double area_ = 0;
  std::array<double, 3> slack_{};
  Place low_{}, high_{};
};

// What the patches left in a pixel: sums over samples.
struct Pixel {
  Colour colour;
  double value = 0;
  int samples = 0;  // with a colour
  int numbers = 0;  // with a value that is a number
};

struct Sampled {
  int count = 0;
  double x = 0, y = 0;  // their mean
};

Sampled samples_in(const Triangle& triangle, int x, int y) {
  if (triangle.has(x, y) && triangle.has(x + 1, y) && triangle.has(x, y + 1) && triangle.has(x + 1, y + 1))
    return {num_samples, x + 0.5, y + 0.5};
  Sampled found;
  for (int j = 0; j < side_samples; ++j)
    for (int i = 0; i < side_samples; ++i) {
      const double sx = x + (i + 0.5) / side_samples, sy = y + (j + 0.5) / side_samples;
      if (!triangle.has(sx, sy)) continue;
      ++found.count;
      found.x += sx;
      found.y += sy;
    }
  if (found.count > 0) {
    found.x /= found.count;
    found.y /= found.count;
  }
  return found;
}

Point reference_at(const Patch& patch, std::array<double, 3> weights) {
  double sum = 0;
  for (double& w : weights) {
    w = std::max(w, 0.0);
    sum += w;
  }
  Point xi{};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t d = 0; d < 3; ++d) xi[d] += weights[k] / sum * patch.xi[k][d];
  return xi;
}

std::vector<Pixel> sample(const PlaneFigure& figure, const Scene& scene, const Shading& shading) {
  std::vector<Pixel> pixels(to_size(scene.width) * to_size(scene.height));
  for (const Patch& patch : figure.patches) {
    std::array<Place, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) corners[k] = scene.pixel(patch.places[k]);
    const Triangle triangle(corners);
    if (triangle.flat()) continue;
    const auto [first_x, last_x] = triangle.pixels(0, scene.width);
    const auto [first_y, last_y] = triangle.pixels(1, scene.height);
    for (int y = first_y; y < last_y; ++y)
      for (int x = first_x; x < last_x; ++x) {
        const Sampled found = samples_in(triangle, x, y);
        if (found.count == 0) continue;
        const double t = shading.value(patch.cell, reference_at(patch, triangle.weights(found.x, found.y)));
        const Colour colour = shading.colour(t);
        Pixel& pixel = pixels[to_size(y) * to_size(scene.width) + to_size(x)];
        pixel.colour.red += found.count * colour.red;
        pixel.colour.green += found.count * colour.green;
        pixel.colour.blue += found.count * colour.blue;
        pixel.samples += found.count;
        if (std::isnan(t)) continue;
        pixel.value += found.count * std::clamp(t, -10.0, 10.0);
        pixel.numbers += found.count;
      }
  }
  return pixels;
}

// Lines where the value passes a level: pixels that are nearer than half a line's width, by the slope between pixels.
void add_contours(const std::vector<Pixel>& pixels, const Scene& scene, const std::vector<double>& levels, double width,
                  Mask& mask) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto value = [&](int x, int y) {
    if (x < 0 || y < 0 || x >= scene.width || y >= scene.height) return none;
    const Pixel& pixel = pixels[to_size(y) * to_size(scene.width) + to_size(x)];
    return pixel.numbers == 0 ? none : pixel.value / pixel.numbers;
  };
  const auto slope = [](double before, double here, double after) {
    const double one = std::isnan(before) ? 0 : here - before, other = std::isnan(after) ? 0 : after - here;
    return std::isnan(before) || std::isnan(after) ? one + other : (one + other) / 2;
  };
  for (int y = 0; y < scene.height; ++y)
    for (int x = 0; x < scene.width; ++x) {
      const double t = value(x, y);
      if (std::isnan(t)) continue;
      const double rise =
          std::hypot(slope(value(x - 1, y), t, value(x + 1, y)), slope(value(x, y - 1), t, value(x, y + 1)));
      for (const double level : levels)
        if (const double away = std::abs(t - level); away < rise * (width / 2 + 0.5))
          mask.raise(x, y, std::min(1.0, width / 2 + 0.5 - away / rise));
    }
}

PatchPixel patch_pixel(const Pixel& pixel) {
  if (pixel.samples == 0) return {};
  const double n = pixel.samples;
  return {{pixel.colour.red / n, pixel.colour.green / n, pixel.colour.blue / n}, std::min(1.0, n / num_samples)};
}

}  // namespace

std::vector<PatchPixel> paint_patches(const PlaneFigure& figure, const Scene& scene, const Shading& shading) {
  std::vector<PatchPixel> painted;
  for (const Pixel& pixel : sample(figure, scene, shading)) painted.push_back(patch_pixel(pixel));
  return painted;
}

Raster paint(const PlaneFigure& figure, const Scene& scene, const Shading& shading, const PictureOptions& options) {
  Raster raster(scene.width, scene.height);
  const std::vector<Pixel> pixels = sample(figure, scene, shading);
  std::size_t k = 0;
  for (int y = 0; y < scene.height; ++y)
    for (int x = 0; x < scene.width; ++x, ++k)
      if (const PatchPixel pixel = patch_pixel(pixels[k]); pixel.share > 0)
        raster.blend(x, y, pixel.colour, pixel.share);
  const double pen = pen_of(scene);
  const auto layer = [&](auto&& draw, double strength) {
    Mask mask(scene.width, scene.height);
    draw(mask);
    mask.paint(raster, ink, strength);
  };
  const auto add_lines = [&](Mask& mask, bool on_boundary, double width) {
    for (const PlaneLine& line : figure.lines) {
      if (line.on_boundary != on_boundary) continue;
      std::vector<Place> places;
      for (const Place& place : line.places) places.push_back(scene.pixel(place));
      mask.add(places, width);
    }
  };
  if (options.mesh_lines)
    layer([&](Mask& mask) { add_lines(mask, false, 0.75 * pen); }, mesh_line_strength(figure, scene));
  if (!shading.levels.empty()) layer([&](Mask& mask) { add_contours(pixels, scene, shading.levels, pen, mask); }, 0.85);
  if (options.outline || options.mesh_lines) layer([&](Mask& mask) { add_lines(mask, true, 1.2 * pen); }, 1);
  for (const Box& box : scene.boxes) raster.fill(box);
  layer(
      [&](Mask& mask) {
        for (const Stroke& stroke : scene.strokes) mask.add(stroke.places, stroke.width);
        for (const Text& text : scene.texts) mask.add(text);
      },
      1);
  return raster;
}

}  // namespace millrace::picture
