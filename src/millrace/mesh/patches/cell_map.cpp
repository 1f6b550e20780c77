// Second differences of a cell's map decide how finely it is subdivided.
#include "millrace/mesh/patches/cell_map.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"

namespace millrace::detail {
namespace {

constexpr int most_subdivisions_asked = 64;

bool in_lattice(Cell cell, int order, const Lattice& at) {
  for (int d = 0; d < 3; ++d)
    if (at[to_size(d)] < 0 || at[to_size(d)] > (d < dim(cell) ? order : 0)) return false;
  return is_tensor(cell) || at[0] + at[1] + at[2] <= order;
}

// One of each pair of opposite directions to the neighbours of a lattice node.
std::vector<Lattice> directions(int dims) {
  std::vector<Lattice> found;
  const int deep = dims > 2 ? 1 : 0;
  for (int k = -deep; k <= deep; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        if (k > 0 || (k == 0 && (j > 0 || (j == 0 && i > 0)))) found.push_back({i, j, k});
  return found;
}

// Functions of one coordinate of which products are the functions of the nodes, as in geometry.cpp: Lagrange's for
// tensor cells, Silvester's for simplices.
using LineFunctions = std::array<double, max_geometry_order + 1>;
LineFunctions line_functions(bool tensor, int p, double x) {
  LineFunctions f{1};
  for (int i = 0; i <= p; ++i) {
    double& value = f[to_size(i)] = 1;
    for (int m = 0; m <= (tensor ? p : i - 1); ++m)
      if (m != i) value *= (p * x - m) / (i - m);
  }
  return f;
}

double distance_to_chord(const Place& a, const Place& b, const Place& x) {
  const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
  if (length == 0) return std::hypot(x[0] - a[0], x[1] - a[1]);
  return std::abs(doubled_area(a, b, x)) / length;
}

}  // namespace

double settled_tolerance(const Mesh& mesh, const Fineness& fineness) {
  require(std::isfinite(fineness.tolerance) && fineness.tolerance >= 0, "patches: the tolerance is ",
          fineness.tolerance, "; it is a length, or 0 for 1/4000 of the mesh");
  require(fineness.subdivisions >= 1 && fineness.subdivisions <= most_subdivisions_asked,
          "patches: ", fineness.subdivisions, " subdivisions of a cell; 1 to ", most_subdivisions_asked,
          " are accepted");
  if (fineness.tolerance > 0) return fineness.tolerance;
  double longest = 0;
  for (int d = 0; d < mesh.dim; ++d) {
    double low = 0, high = 0;
    for (Index p = 0; p < mesh.num_points(); ++p) {
      const double x = mesh.point(p)[to_size(d)];
      low = p == 0 ? x : std::min(low, x);
      high = p == 0 ? x : std::max(high, x);
    }
    longest = std::max(longest, high - low);
  }
  return longest / 4000;
}

std::vector<Point> BlockMap::lattice_in(Index cell, int n) const {
  std::vector<Point> points;
  for (const Point& xi : lattice_points(block_.cell, n)) points.push_back(at(cell, xi));
  return points;
}

Point BlockMap::at(Index cell, const Point& xi) const {
  const int p = block_.order, dims = dim(block_.cell);
  const bool tensor = is_tensor(block_.cell);
  std::array<LineFunctions, 4> along{};  // of the coordinates, and of what simplices have left of 1
  double rest = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    along[d] = static_cast<int>(d) >= dims ? LineFunctions{1} : line_functions(tensor, p, xi[d]);
    rest -= static_cast<int>(d) >= dims ? 0 : xi[d];
  }
  if (!tensor) along[3] = line_functions(false, p, rest);
  const auto nodes = block_.nodes_of(cell);
  const int last_k = dims > 2 ? p : 0;
  std::size_t n = 0;
  Point x{};
  for (int k = 0; k <= last_k; ++k)
    for (int j = 0; j <= (tensor ? p : p - k); ++j)
      for (int i = 0; i <= (tensor ? p : p - j - k); ++i, ++n) {
        const double weight = along[0][to_size(i)] * along[1][to_size(j)] * along[2][to_size(k)] *
                              (tensor ? 1 : along[3][to_size(p - i - j - k)]);
        const double* node = mesh_.points.data() + static_cast<Offset>(nodes[n]) * mesh_.dim;
        for (int d = 0; d < mesh_.dim; ++d) x[to_size(d)] += weight * node[d];
      }
  return x;
}

int BlockMap::subdivisions(Index cell, double tolerance, int least, int most) const {
  if (block_.order == 1 && !is_tensor(block_.cell)) return least;
  const int m = 2 * block_.order;
  const std::vector<Point> points = lattice_in(cell, m);
  const auto nodes = lattice(block_.cell, m);
  double largest = 0;
  for (const Lattice& step : directions(dim(block_.cell)))
    for (const Lattice& at : nodes) {
      const Lattice before{at[0] - step[0], at[1] - step[1], at[2] - step[2]},
          after{at[0] + step[0], at[1] + step[1], at[2] + step[2]};
      if (!in_lattice(block_.cell, m, before) || !in_lattice(block_.cell, m, after)) continue;
      const Point &a = points[to_size(lattice_index(block_.cell, m, before))],
                  &b = points[to_size(lattice_index(block_.cell, m, at))],
                  &c = points[to_size(lattice_index(block_.cell, m, after))];
      largest = std::max(largest, std::hypot(a[0] - 2 * b[0] + c[0], a[1] - 2 * b[1] + c[1], a[2] - 2 * b[2] + c[2]));
    }
  const double second_derivative = largest * m * m;
  if (second_derivative == 0 || tolerance == 0) return least;
  // A line over a step h is off by at most |x''| h^2 / 8; over a triangle, by about twice that.
  return static_cast<int>(std::clamp(std::ceil(std::sqrt(second_derivative / (4 * tolerance))), double(least),
                                     double(std::max(least, most))));
}

double doubled_area(const Place& a, const Place& b, const Place& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

void turn_left(Patch& patch) {
  if (doubled_area(patch.places[0], patch.places[1], patch.places[2]) >= 0) return;
  std::swap(patch.places[1], patch.places[2]);
  std::swap(patch.xi[1], patch.xi[2]);
}

std::vector<Place> simplified(std::span<const Place> places, double tolerance) {
  if (places.size() < 3) return {places.begin(), places.end()};
  std::size_t farthest = 0;
  double largest = tolerance;
  for (std::size_t i = 1; i + 1 < places.size(); ++i)
    if (const double d = distance_to_chord(places.front(), places.back(), places[i]); d > largest) {
      largest = d;
      farthest = i;
    }
  if (farthest == 0) return {places.front(), places.back()};
  std::vector<Place> kept = simplified(places.first(farthest + 1), tolerance);
  const std::vector<Place> rest = simplified(places.subspan(farthest), tolerance);
  kept.insert(kept.end(), rest.begin() + 1, rest.end());
  return kept;
}

void set_box(PlaneFigure& figure) {
  bool first = true;
  for (const Patch& patch : figure.patches)
    for (const Place& place : patch.places)
      for (std::size_t d = 0; d < 2; ++d) {
        if (first) figure.lower = figure.upper = place;
        first = false;
        figure.lower[d] = std::min(figure.lower[d], place[d]);
        figure.upper[d] = std::max(figure.upper[d], place[d]);
      }
}

}  // namespace millrace::detail
