// D. S. Kershaw's mesh (1981) in its generalised form for space: six layers along x between which cells are squeezed
// from one side to the other.
#include <algorithm>
#include <cmath>

#include "millrace/mesh/generate.hpp"

namespace millrace {
namespace {

/// [0, 1] onto itself: one half is squeezed to epsilon / 2, the upper one (side 1) or the lower one (side 0); between
/// them the map changes evenly.
double squeeze(double epsilon, double t, double side) {
  const double upper = t <= 0.5 ? (2 - epsilon) * t : 1 - epsilon * (1 - t);
  const double lower = t >= 0.5 ? 1 - (2 - epsilon) * (1 - t) : epsilon * t;
  return std::lerp(lower, upper, side);
}

/// Which side is squeezed at x: 0 in the first sixth, to 1 in the second, back to 0 in two, to 1 in the fifth.
double side_at(double x) {
  const double layer = 6 * x;
  if (layer <= 2) return std::clamp(layer - 1, 0.0, 1.0);
  if (layer <= 4) return (4 - layer) / 2;
  return std::min(layer - 4, 1.0);
}

}  // namespace

Mesh make_kershaw(Cell cell, std::array<int, 3> cells, double epsilon, int order) {
  require(epsilon > 0 && epsilon <= 1, "make_kershaw: epsilon ", epsilon,
          " was given; more than 0 and at most 1, where nothing is moved, are accepted");
  Mesh mesh = make_box(cell, cells, {}, order);
  if (epsilon == 1) return mesh;
  deform(mesh, [&](const Point& x) {
    const double side = side_at(x[0]);
    return Point{x[0], squeeze(epsilon, x[1], side), dim(cell) == 3 ? squeeze(epsilon, x[2], side) : 0};
  });
  return mesh;
}

}  // namespace millrace
