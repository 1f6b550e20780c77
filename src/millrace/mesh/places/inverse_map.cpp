// Newton's method for the inverse of a cell's map, and the nearest point by quadratic programs that are small enough to
// look at every corner, edge and face.
#include "millrace/mesh/places/inverse_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/places/lattice_functions.hpp"

namespace millrace::detail {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double rounding_of_places = 32 * eps;  // of sums over the nodes of a cell, relative to its coordinates

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point less(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point add_scaled(Point a, double s, const Point& b) {
  for (std::size_t d = 0; d < 3; ++d) a[d] += s * b[d];
  return a;
}

Slack make_slack(const Jacobian& inverse, const Point& scale, double tolerance) {
  Slack slack{tolerance, {}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) slack.rounding[i] += rounding_of_places * scale[j] * std::abs(inverse[i][j]);
  return slack;
}

/// The t with the smallest |b - sum t_m a_m|, by orthogonalisation; nothing where the columns depend on each other.
/// What remains of b is left in b.
std::optional<Point> least_squares(std::array<Point, 3>& a, int num, Point& b) {
  std::array<Point, 3> upper{};
  Point t{};
  for (std::size_t m = 0; m < to_size(num); ++m) {
    const double before = std::sqrt(dot(a[m], a[m]));
    for (std::size_t l = 0; l < m; ++l) {
      upper[l][m] = dot(a[l], a[m]);
      a[m] = add_scaled(a[m], -upper[l][m], a[l]);
    }
    upper[m][m] = std::sqrt(dot(a[m], a[m]));
    if (!(upper[m][m] > 8 * eps * before)) return std::nullopt;
    for (double& x : a[m]) x /= upper[m][m];
    t[m] = dot(a[m], b);
    b = add_scaled(b, -t[m], a[m]);
  }
  for (std::size_t m = to_size(num); m-- > 0;) {
    for (std::size_t l = m + 1; l < to_size(num); ++l) t[m] -= upper[m][l] * t[l];
    t[m] /= upper[m][m];
  }
  return t;
}

std::vector<ReferencePart> reference_parts(Cell cell) {
  std::vector<ReferencePart> parts;
  const auto as_point = [](const Lattice& at) { return Point{double(at[0]), double(at[1]), double(at[2])}; };
  const int dims = dim(cell);
  if (is_tensor(cell)) {  // each coordinate is 0, 1 or free
    for (int code = 0; code < (dims == 2 ? 9 : 27); ++code) {
      ReferencePart part;
      for (int d = 0, rest = code; d < dims; ++d, rest /= 3) {
        part.origin[to_size(d)] = rest % 3 == 1 ? 1 : 0;
        if (rest % 3 == 2) part.directions[to_size(part.num_directions++)][to_size(d)] = 1;
      }
      parts.push_back(part);
    }
    return parts;
  }
  for (unsigned vertices = 1; vertices < 1u << (dims + 1); ++vertices) {  // as bits
    ReferencePart part;
    part.num_directions = -1;
    for (int v = 0; v <= dims; ++v) {
      if ((vertices >> v & 1u) == 0) continue;
      const Point here = as_point(corner(cell, v));
      if (part.num_directions < 0)
        part.origin = here;
      else
        part.directions[to_size(part.num_directions)] = less(here, part.origin);
      ++part.num_directions;
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::optional<Jacobian> inverse(const Jacobian& a, int dim) {
  const double det = determinant(a, dim), s = 1 / det;
  if (!std::isfinite(s)) return std::nullopt;
  if (dim == 2) return Jacobian{{{s * a[1][1], -s * a[0][1], 0}, {-s * a[1][0], s * a[0][0], 0}, {}}};
  Jacobian b;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      b[j][i] = s * (a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1]);
    }
  return b;
}

InverseMap::InverseMap(Cell cell, int order)
    : cell_(cell),
      order_(order),
      dim_(dim(cell)),
      num_nodes_(millrace::num_nodes(cell, order)),
      parts_(reference_parts(cell)),
      lattice_(lattice_points(cell, order)) {}

InverseMap::Here InverseMap::at(const double* nodes, const Point& xi) const {
  PointTable table;
  fill_lattice_functions(cell_, order_, xi.data(), table);
  Here here;
  for (int i = 0; i < dim_; ++i) {
    const PointSum sum = sum_functions(table, nodes + i, dim_);
    here.x[to_size(i)] = sum.value;
    for (int j = 0; j < dim_; ++j) here.jacobian[to_size(i)][to_size(j)] = sum.slope[j];
  }
  return here;
}

bool InverseMap::is_inside(const Point& xi, const Slack& slack) const {
  double sum = 0, rounding = 0;
  for (std::size_t d = 0; d < to_size(dim_); ++d) {
    const double most = slack.tolerance + slack.rounding[d];
    if (!(xi[d] >= -most) || (is_tensor(cell_) && !(xi[d] <= 1 + most))) return false;
    sum += xi[d];
    rounding += slack.rounding[d];
  }
  return is_tensor(cell_) || sum <= 1 + slack.tolerance + rounding;
}

double InverseMap::distance_outside(const Point& xi) const {
  double sum = 0, most = 0;
  for (std::size_t d = 0; d < to_size(dim_); ++d) {
    most = std::max({most, -xi[d], is_tensor(cell_) ? xi[d] - 1 : 0});
    sum += xi[d];
  }
  return is_tensor(cell_) ? most : std::max(most, sum - 1);
}

bool InverseMap::invert(const double* nodes, const Point& place, const Point& scale, double tolerance,
                        const Point& reach, Point& xi) const {
  constexpr int most_steps = 25;
  constexpr double enough = 1e-12;  // of a step: the next one would be of the size of its square
  const double most_reach = std::max({reach[0], reach[1], reach[2]});
  for (int step = 0; step < most_steps; ++step) {
    const Here here = at(nodes, xi);
    const auto back = inverse(here.jacobian, dim_);
    if (!back) return false;
    const Point missing = less(place, here.x);
    const Slack slack = make_slack(*back, scale, tolerance);
    bool last = true;
    double longest = 0, largest = 0;  // of the step, and over its reach
    Point change{};
    for (std::size_t d = 0; d < to_size(dim_); ++d) {
      change[d] = dot((*back)[d], missing);
      longest = std::max(longest, std::abs(change[d]));
      largest = std::max(largest, std::abs(change[d]) / reach[d]);
      last = last && std::abs(change[d]) <= enough + slack.rounding[d];
    }
    if (!std::isfinite(largest)) return false;
    xi = add_scaled(xi, largest > 1 ? 1 / largest : 1, change);
    if (last) return is_inside(xi, slack);
    // The next steps are of the size of the square of this one, times how much the cell is bent: they do not lead back.
    if (longest < 0.25 && distance_outside(xi) > 4 * longest * (1 + longest * most_reach)) return false;
    for (std::size_t d = 0; d < to_size(dim_); ++d)
      if (!(std::abs(xi[d]) <= 2 * reach[d])) return false;
  }
  return false;
}

Point InverseMap::best_step(const Here& here, const Point& missing, const Point& xi, double& remains) const {
  const auto forward = [&](const Point& v) {
    return Point{dot(here.jacobian[0], v), dot(here.jacobian[1], v), dot(here.jacobian[2], v)};
  };
  Point best{};
  remains = dot(missing, missing);
  for (const ReferencePart& part : parts_) {
    std::array<Point, 3> columns{};
    for (std::size_t m = 0; m < to_size(part.num_directions); ++m) columns[m] = forward(part.directions[m]);
    Point rest = less(missing, forward(less(part.origin, xi)));
    const auto t = least_squares(columns, part.num_directions, rest);
    if (!t) continue;
    double sum = 0;
    bool feasible = true;
    for (std::size_t m = 0; m < to_size(part.num_directions); ++m) {
      feasible = feasible && (*t)[m] >= 0 && (!is_tensor(cell_) || (*t)[m] <= 1);
      sum += (*t)[m];
    }
    if (!feasible || (!is_tensor(cell_) && sum > 1) || !(dot(rest, rest) < remains)) continue;
    remains = dot(rest, rest);
    best = less(part.origin, xi);
    for (std::size_t m = 0; m < to_size(part.num_directions); ++m) best = add_scaled(best, (*t)[m], part.directions[m]);
  }
  return best;
}

double InverseMap::nearest(const double* nodes, const Point& place, const Point& scale, Point& xi) const {
  constexpr int most_steps = 200, most_halvings = 30;
  double square = std::numeric_limits<double>::infinity();  // of the distance
  for (int n = 0; n < num_nodes_; ++n) {
    Point x{};
    std::copy_n(nodes + n * dim_, dim_, x.data());
    const Point missing = less(place, x);
    if (dot(missing, missing) < square) square = dot(missing, missing), xi = lattice_[to_size(n)];
  }
  Here here = at(nodes, xi);
  for (int step = 0; step < most_steps; ++step) {
    const Point missing = less(place, here.x);
    square = dot(missing, missing);
    double remains = 0;
    const Point change = best_step(here, missing, xi, remains);
    const double gain = square - remains, rounding = rounding_of_places * std::max({scale[0], scale[1], scale[2]});
    if (!(gain > 1e-15 * square) || square <= rounding * rounding) break;
    double length = 1, found = square;
    for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
      const Point there = add_scaled(xi, length, change);
      const Here next = at(nodes, there);
      const Point rest = less(place, next.x);
      found = dot(rest, rest);
      if (square - found < 1e-4 * length * gain) continue;
      xi = there;
      here = next;
      break;
    }
    if (!(found < square)) break;
  }
  const Point missing = less(place, here.x);
  return std::sqrt(dot(missing, missing));
}

bool InverseMap::is_close(const double* nodes, const Point& place, const Point& scale, double tolerance,
                          const Point& xi) const {
  const Here here = at(nodes, xi);
  const auto back = inverse(here.jacobian, dim_);
  if (!back) return false;
  const Slack slack = make_slack(*back, scale, tolerance);
  for (std::size_t d = 0; d < to_size(dim_); ++d)
    if (!(std::abs(dot((*back)[d], less(place, here.x))) <= tolerance + slack.rounding[d])) return false;
  return true;
}

}  // namespace millrace::detail
