// Polygons are cut by one value after the other (Sutherland and Hodgman 1974).
#include "millrace/io/picture/bands.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "millrace/base/to_size.hpp"

namespace millrace::picture {
namespace {

struct Corner {
  Place place;  // pixels
  Point xi;
  double t;
};

Tenths in_tenths(const Place& p) {
  return {static_cast<std::int32_t>(std::lround(10 * p[0])), static_cast<std::int32_t>(std::lround(10 * p[1]))};
}

// The part of a polygon with sign (t - level) >= 0.
std::vector<Corner> side_of(const std::vector<Corner>& polygon, double level, double sign) {
  std::vector<Corner> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double da = sign * (a.t - level), db = sign * (b.t - level);
    if (da >= 0) kept.push_back(a);
    if ((da >= 0) == (db >= 0)) continue;
    const double part = da / (da - db);
    kept.push_back(
        {{a.place[0] + part * (b.place[0] - a.place[0]), a.place[1] + part * (b.place[1] - a.place[1])}, {}, level});
  }
  return kept;
}

class Cutter {
 public:
  Cutter(const Shading& shading, Bands& bands, std::size_t most) : shading_(shading), bands_(bands), most_(most) {}

  void add(Index cell, const std::array<Corner, 3>& corners, int depth) {
    if (bands_.num_polygons > most_) return;
    constexpr int most_depth = 9;
    constexpr double least_length = 3, trusted_length = 100;  // pixels
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Place &a = corners[k].place, &b = corners[(k + 1) % 3].place;
      longest = std::max(longest, std::hypot(a[0] - b[0], a[1] - b[1]));
    }
    if (depth == most_depth || longest < least_length) return finish(corners);
    std::array<Corner, 3> middles{};
    bool linear = longest < trusted_length;
    for (std::size_t k = 0; k < 3; ++k) {  // middle k lies opposite corner k
      const Corner &a = corners[(k + 1) % 3], &b = corners[(k + 2) % 3];
      Corner& middle = middles[k];
      for (std::size_t d = 0; d < 2; ++d) middle.place[d] = (a.place[d] + b.place[d]) / 2;
      for (std::size_t d = 0; d < 3; ++d) middle.xi[d] = (a.xi[d] + b.xi[d]) / 2;
      middle.t = shading_.value(cell, middle.xi);
      const double off = clamped(middle.t) - (clamped(a.t) + clamped(b.t)) / 2;
      const bool all_nan = std::isnan(middle.t) && std::isnan(a.t) && std::isnan(b.t);
      linear = linear && (all_nan || std::abs(off) * bands_.num_bands < 0.3);
    }
    if (linear) return finish(corners);
    for (std::size_t k = 0; k < 3; ++k) add(cell, {corners[k], middles[(k + 2) % 3], middles[(k + 1) % 3]}, depth + 1);
    add(cell, middles, depth + 1);
  }

 private:
  // Far outside of the range nothing more is seen of a field.
  static double clamped(double t) { return std::isnan(t) ? t : std::clamp(t, -1.0, 2.0); }

  void finish(std::array<Corner, 3> corners) {
    for (Corner& corner : corners) corner.t = clamped(corner.t);
    const std::vector<Corner> triangle(corners.begin(), corners.end());
    if (std::any_of(triangle.begin(), triangle.end(), [](const Corner& c) { return std::isnan(c.t); }))
      return keep(triangle, bands_.num_bands);
    const double low = std::min({corners[0].t, corners[1].t, corners[2].t}),
                 high = std::max({corners[0].t, corners[1].t, corners[2].t});
    const auto band = [&](double t) {
      return std::clamp(static_cast<int>(std::floor(t * bands_.num_bands)), 0, bands_.num_bands - 1);
    };
    for (const double level : shading_.levels) add_contour(triangle, level);
    const int first = band(low), last = band(high);
    std::vector<Corner> rest = triangle;
    for (int k = first; k < last; ++k) {
      const double level = (k + 1.0) / bands_.num_bands;
      keep(side_of(rest, level, -1), k);
      rest = side_of(rest, level, 1);
    }
    keep(rest, last);
  }

  void keep(const std::vector<Corner>& polygon, int band) {
    std::vector<Tenths> places;
    for (const Corner& corner : polygon)
      if (const Tenths at = in_tenths(corner.place); places.empty() || !(places.back() == at)) places.push_back(at);
    if (places.size() > 1 && places.front() == places.back()) places.pop_back();
    if (places.size() < 3) return;
    bands_.polygons[to_size(band)].push_back(std::move(places));
    ++bands_.num_polygons;
  }

  void add_contour(const std::vector<Corner>& triangle, double level) {
    std::vector<Tenths> ends;
    for (std::size_t k = 0; k < 3; ++k) {
      const Corner &a = triangle[k], &b = triangle[(k + 1) % 3];
      if ((a.t >= level) == (b.t >= level)) continue;
      const double part = (level - a.t) / (b.t - a.t);
      ends.push_back(
          in_tenths({a.place[0] + part * (b.place[0] - a.place[0]), a.place[1] + part * (b.place[1] - a.place[1])}));
    }
    if (ends.size() == 2 && !(ends[0] == ends[1])) bands_.contours.push_back(std::move(ends));
  }

  const Shading& shading_;
  Bands& bands_;
  std::size_t most_;
};

}  // namespace

Bands make_bands(const PlaneFigure& figure, const Scene& scene, const Shading& shading, int num_bands,
                 std::size_t most) {
  Bands bands;
  bands.num_bands = num_bands;
  bands.polygons.resize(to_size(num_bands) + 1);
  Cutter cutter(shading, bands, most);
  for (const Patch& patch : figure.patches) {
    std::array<Corner, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] = {scene.pixel(patch.places[k]), patch.xi[k], shading.value(patch.cell, patch.xi[k])};
    cutter.add(patch.cell, corners, 0);
  }
  return bands;
}

}  // namespace millrace::picture
