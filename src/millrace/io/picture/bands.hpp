// A field as polygons of equal colour: patches are halved until the field is nearly linear in them, then cut along the
// values at which the colour changes.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/io/picture/scene.hpp"

namespace millrace::picture {

/// Places in tenths of a pixel.
struct Tenths {
  std::int32_t x, y;
  friend bool operator==(const Tenths&, const Tenths&) = default;
};

struct Bands {
  int num_bands = 0;
  std::vector<std::vector<std::vector<Tenths>>>
      polygons;                               // [num_bands + 1][count][corners]; the last band: not a number
  std::vector<std::vector<Tenths>> contours;  // pieces with two ends
  std::size_t num_polygons = 0;
};

/// Stops early when there are more polygons than `most`.
Bands make_bands(const PlaneFigure& figure, const Scene& scene, const Shading& shading, int num_bands,
                 std::size_t most);

}  // namespace millrace::picture
