// Colour maps are paths in Oklab (Ottosson 2020), in which equal distances look equal: lightness grows evenly from end
// to end of the sequential map, and from both ends to the middle of the diverging one.
#include "millrace/io/picture/colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace millrace::picture {
namespace {

double gamma_of(double linear) {
  linear = std::clamp(linear, 0.0, 1.0);
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

// Lightness 0 to 1, chroma from 0, hue in degrees.
Colour from_oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue * std::numbers::pi / 180), b = chroma * std::sin(hue * std::numbers::pi / 180);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3),
               m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3),
               s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {gamma_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

// From dark violet through blue, teal and green to pale yellow, with as much chroma as a screen can show all the way.
Colour sequential(double t) {
  const double from_middle = 2 * t - 1;
  return from_oklch(0.30 + 0.64 * t, 0.098 + 0.06 * from_middle * from_middle, 295 - 190 * t);
}

// Blue through near white to red.
Colour diverging(double t) {
  const double side = 2 * t - 1, far = std::abs(side);
  return from_oklch(0.97 - 0.52 * far, 0.003 + 0.142 * far, side < 0 ? 255 : 28);
}

}  // namespace

Colour colour_of(ColourMap map, double t) {
  if (std::isnan(t)) return not_a_number;
  t = std::clamp(t, 0.0, 1.0);
  return map == ColourMap::sequential ? sequential(t) : diverging(t);
}

Colour colour_of_group(std::int32_t group) {
  constexpr std::array<double, 8> hues{235, 70, 150, 30, 300, 110, 195, 350};
  constexpr double golden_angle = 137.50776;
  const auto first = static_cast<std::int32_t>(hues.size());
  const double hue = group < first ? hues[static_cast<std::size_t>(group)] : golden_angle * group;
  const int round = group / first % 3;  // later ones are darker, then paler
  return from_oklch(round == 0 ? 0.82 : round == 1 ? 0.68 : 0.9, round == 2 ? 0.06 : 0.09, hue);
}

std::string hex_text(const Colour& c) {
  const auto byte = [](double x) { return static_cast<int>(std::lround(255 * x)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.red), byte(c.green), byte(c.blue));
}

}  // namespace millrace::picture
