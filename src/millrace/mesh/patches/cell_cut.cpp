// Small tets by Kuhn's (1960) division of a grid of cubes; it divides the tet 1 >= a >= b >= c >= 0 as well. Roots
// along their edges by the Illinois method (Dowell and Jarratt 1971).
#include "millrace/mesh/patches/cell_cut.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "millrace/base/to_size.hpp"

namespace millrace::detail {
namespace {

constexpr std::array<std::array<std::size_t, 3>, 6> axis_orders{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

// The node of the cell's lattice at a corner of a cube: for tets, coordinates that descend become barycentric ones.
Lattice node_at(Cell cell, const Lattice& at) {
  return cell == Cell::hex ? at : Lattice{at[0] - at[1], at[1] - at[2], at[2]};
}

// Bit f is set where the node lies on face f of the cell.
unsigned faces_with(Cell cell, int n, const Lattice& node) {
  unsigned mask = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (cell == Cell::hex) {
      if (node[d] == 0) mask |= 1U << (2 * d);
      if (node[d] == n) mask |= 1U << (2 * d + 1);
    } else if (node[d] == 0) {
      mask |= 1U << (d + 1);
    }
  }
  if (cell == Cell::tet && node[0] + node[1] + node[2] == n) mask |= 1U;
  return mask;
}

struct Crossing {
  Place place;
  Point xi;
};

class Cutter {
 public:
  Cutter(const BlockMap& map, Index cell, const CutRules& rules, CellCut& result)
      : map_(map), cell_(cell), rules_(rules), result_(result), shape_(map.block().cell) {}

  void run() {
    n_ = map_.subdivisions(cell_, rules_.tolerance, rules_.least, rules_.most);
    points_ = map_.lattice_in(cell_, n_);
    lattice_ = lattice(shape_, n_);
    for (const Point& x : points_) {
      const double d = rules_.plane.distance(x);
      distances_.push_back(std::abs(d) <= rules_.zero ? 0 : d);
    }
    for (int k = 0; k < n_; ++k)
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < n_; ++i)
          if (shape_ == Cell::hex || (i >= j && j >= k)) cut_cube({i, j, k});
  }

 private:
  // Indices into the cell's lattice of the corners of a small tet.
  using Corners = std::array<int, 4>;

  void cut_cube(const Lattice& lower) {
    for (const auto& axes : axis_orders) {
      Lattice at = lower;
      Corners corners{};
      bool inside = true;
      for (std::size_t v = 0; v < 4; ++v) {
        if (v > 0) ++at[axes[v - 1]];
        if (shape_ == Cell::tet && !(at[0] >= at[1] && at[1] >= at[2])) inside = false;
        if (!inside) break;
        const Lattice node = node_at(shape_, at);
        corners[v] = lattice_index(shape_, n_, node);
        masks_[v] = faces_with(shape_, n_, node);
      }
      if (inside) cut_tet(corners);
    }
  }

  void cut_tet(const Corners& corners) {
    std::array<std::size_t, 4> order{};  // those below the plane, then those above
    std::size_t below = 0, above = 4;
    for (std::size_t v = 0; v < 4; ++v)
      if (distances_[to_size(corners[v])] < 0)
        order[below++] = v;
      else
        order[--above] = v;
    if (below == 0 || below == 4) return;
    using Edge = std::pair<std::size_t, std::size_t>;
    std::vector<Edge> edges;  // around the polygon
    if (below == 1)
      edges = {{order[0], order[1]}, {order[0], order[2]}, {order[0], order[3]}};
    else if (below == 3)
      edges = {{order[0], order[3]}, {order[1], order[3]}, {order[2], order[3]}};
    else
      edges = {{order[0], order[2]}, {order[0], order[3]}, {order[1], order[3]}, {order[1], order[2]}};
    std::vector<Crossing> polygon;
    for (const auto& [a, b] : edges) polygon.push_back(crossing(corners[a], corners[b]));
    for (std::size_t k = 2; k < polygon.size(); ++k) add_patch(polygon[0], polygon[k - 1], polygon[k]);
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const std::size_t next = (k + 1) % polygon.size();
      add_line(
          polygon[k].place, polygon[next].place,
          masks_[edges[k].first] & masks_[edges[k].second] & masks_[edges[next].first] & masks_[edges[next].second]);
    }
  }

  Point reference(int node) const {
    const Lattice& at = lattice_[to_size(node)];
    return {double(at[0]) / n_, double(at[1]) / n_, double(at[2]) / n_};
  }

  // Edges belong to several small tets and are cut once, from the smaller node to the larger.
  const Crossing& crossing(int first, int second) {
    const std::pair<int, int> edge = std::minmax(first, second);
    auto found = crossings_.find(edge);
    if (found == crossings_.end()) found = crossings_.emplace(edge, root(edge.first, edge.second)).first;
    return found->second;
  }

  Crossing root(int first, int second) const {
    const Point a = reference(first), b = reference(second);
    double low = 0, high = 1, f_low = distances_[to_size(first)], f_high = distances_[to_size(second)];
    if (f_low == 0) return {rules_.plane.place(points_[to_size(first)]), a};
    if (f_high == 0) return {rules_.plane.place(points_[to_size(second)]), b};
    Point xi{}, x{};
    constexpr int most_steps = 80;
    for (int step = 0; step < most_steps; ++step) {
      const double t = low + (high - low) * (f_low / (f_low - f_high));
      for (std::size_t d = 0; d < 3; ++d) xi[d] = a[d] + t * (b[d] - a[d]);
      x = map_.at(cell_, xi);
      const double f = rules_.plane.distance(x);
      if (std::abs(f) <= rules_.exact) break;
      if ((f < 0) == (f_high < 0)) {
        high = t;
        f_high = f;
        f_low /= 2;
      } else {
        low = t;
        f_low = f;
        f_high /= 2;
      }
    }
    return {rules_.plane.place(x), xi};
  }

  void add_patch(const Crossing& a, const Crossing& b, const Crossing& c) {
    if (std::abs(doubled_area(a.place, b.place, c.place)) <= rules_.least_area) return;
    Patch patch{.places = {a.place, b.place, c.place}, .xi = {a.xi, b.xi, c.xi}};
    turn_left(patch);
    result_.patches.push_back(patch);
  }

  void add_line(const Place& a, const Place& b, unsigned faces) {
    if (faces == 0 || std::hypot(a[0] - b[0], a[1] - b[1]) <= rules_.zero) return;
    for (std::size_t f = 0; f < result_.on_faces.size(); ++f)
      if ((faces >> f & 1U) != 0) result_.on_faces[f].push_back({a, b});
  }

  const BlockMap& map_;
  Index cell_;
  const CutRules& rules_;
  CellCut& result_;
  Cell shape_;
  int n_ = 1;
  std::vector<Lattice> lattice_;                       // [num_nodes(cell, n)]
  std::vector<Point> points_;                          // [num_nodes(cell, n)]
  std::vector<double> distances_;                      // of the points from the plane
  std::map<std::pair<int, int>, Crossing> crossings_;  // by the nodes of their edges
  std::array<unsigned, 4> masks_{};                    // of the small tet under way
};

}  // namespace

void cut_cell(const BlockMap& map, Index cell, const CutRules& rules, CellCut& result) {
  Cutter(map, cell, rules, result).run();
}

bool misses(Cell cell, int order, const std::vector<double>& distances) {
  const auto [low, high] = std::minmax_element(distances.begin(), distances.end());
  if (*low < 0 && *high >= 0) return false;
  if (order == 1) return true;
  // A polynomial leaves the range of its node values by at most (L - 1) / 2 of its length, with L the sum of the
  // absolute node functions: in one dimension below 1.25, 1.64, 2.21 for the orders 2, 3, 4, and a product in space.
  constexpr std::array<double, 5> line{1, 1, 1.25, 1.64, 2.21};
  const double one = line[to_size(order)], bound = cell == Cell::hex ? one * one * one : 2 * one * one;
  const double excess = (bound - 1) / 2 * (*high - *low);
  return *low - excess > 0 || *high + excess < 0;
}

}  // namespace millrace::detail
