// Meshes of the plane as patches and lines, and the axes of planes.
#include "millrace/mesh/patches.hpp"

#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/patches/cell_map.hpp"

namespace millrace {
namespace {

constexpr int most_plane_subdivisions = 64;

double dot_product(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void add_patches(PlaneFigure& figure, const detail::BlockMap& map, Index cell, Index number, int n) {
  const Cell shape = map.block().cell;
  const std::vector<Point> places = map.lattice_in(cell, n);
  const auto add = [&](const Lattice& a, const Lattice& b, const Lattice& c) {
    Patch patch{.cell = number};
    const std::array<Lattice, 3> corners{a, b, c};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point& x = places[to_size(lattice_index(shape, n, corners[k]))];
      patch.places[k] = {x[0], x[1]};
      patch.xi[k] = {double(corners[k][0]) / n, double(corners[k][1]) / n, 0};
    }
    detail::turn_left(patch);
    figure.patches.push_back(patch);
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < (is_tensor(shape) ? n : n - j); ++i) {
      add({i, j, 0}, {i + 1, j, 0}, {i, j + 1, 0});
      if (is_tensor(shape) || i + j + 2 <= n) add({i + 1, j, 0}, {i + 1, j + 1, 0}, {i, j + 1, 0});
    }
}

// An edge of a cell, found by its two vertices.
struct EdgeSide {
  std::array<Index, 2> vertices;  // ascending
  std::size_t block;
  Index cell;
  int edge, parts;
};

PlaneLine line_of(const detail::BlockMap& map, const EdgeSide& side, double tolerance) {
  const Cell shape = map.block().cell;
  const auto ends = edge_vertices(shape, side.edge);
  const Lattice a = corner(shape, ends[0]), b = corner(shape, ends[1]);
  const int parts = map.block().order == 1 ? 1 : side.parts;
  std::vector<Place> places;
  for (int i = 0; i <= parts; ++i) {
    Point xi{};
    for (std::size_t d = 0; d < 2; ++d) xi[d] = a[d] + (b[d] - a[d]) * double(i) / parts;
    const Point x = map.at(side.cell, xi);
    places.push_back({x[0], x[1]});
  }
  return {detail::simplified(places, 0.1 * tolerance), false};
}

}  // namespace

PlaneFigure patches_of(const Mesh& mesh, const Fineness& fineness) {
  require(mesh.dim == 2, "patches_of: the mesh has the dimension ", mesh.dim,
          "; it takes meshes of the plane, and cut takes those in space");
  const double tolerance = detail::settled_tolerance(mesh, fineness);
  PlaneFigure figure;
  std::vector<EdgeSide> sides;
  std::vector<detail::BlockMap> maps;
  maps.reserve(mesh.blocks.size());
  Index number = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const detail::BlockMap& map = maps.emplace_back(mesh, block);
    const std::vector<int> vertices = vertex_nodes(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c, ++number) {
      const int n = map.subdivisions(c, tolerance, fineness.subdivisions, most_plane_subdivisions);
      add_patches(figure, map, c, number, n);
      for (int e = 0; e < num_edges(block.cell); ++e) {
        const auto ends = edge_vertices(block.cell, e);
        const Index first = block.nodes_of(c)[to_size(vertices[to_size(ends[0])])],
                    second = block.nodes_of(c)[to_size(vertices[to_size(ends[1])])];
        sides.push_back({{std::min(first, second), std::max(first, second)}, b, c, e, n});
      }
    }
  }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const EdgeSide& a, const EdgeSide& b) { return a.vertices < b.vertices; });
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last].vertices == sides[first].vertices) ++last;
    figure.lines.push_back(line_of(maps[sides[first].block], sides[first], tolerance));
    figure.lines.back().on_boundary = last - first == 1;
  }
  detail::set_box(figure);
  return figure;
}

double Plane::distance(const Point& x) const {
  return dot_product(normal, {x[0] - point[0], x[1] - point[1], x[2] - point[2]});
}

Place Plane::place(const Point& x) const {
  const Point from{x[0] - point[0], x[1] - point[1], x[2] - point[2]};
  return {dot_product(right, from), dot_product(up, from)};
}

Point Plane::at(const Place& place) const {
  Point x = point;
  for (std::size_t d = 0; d < 3; ++d) x[d] += place[0] * right[d] + place[1] * up[d];
  return x;
}

Plane make_plane(const Point& through, const Point& normal) {
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  for (const double x : through) require(std::isfinite(x), "plane: a coordinate of its point is ", x);
  require(std::isfinite(length) && length > 0, "plane: the normal (", normal[0], ", ", normal[1], ", ", normal[2],
          ") has no direction; one that is finite and not zero is accepted");
  Plane plane;
  for (std::size_t d = 0; d < 3; ++d) plane.normal[d] = normal[d] / length;
  const Point& n = plane.normal;
  const bool mostly_z = std::abs(n[2]) >= std::max(std::abs(n[0]), std::abs(n[1]));
  const std::size_t vertical = mostly_z ? 1 : 2;
  plane.up = {};
  plane.up[vertical] = 1;
  const double along = n[vertical];
  for (std::size_t d = 0; d < 3; ++d) plane.up[d] -= along * n[d];
  const double up_length = std::hypot(plane.up[0], plane.up[1], plane.up[2]);
  for (double& x : plane.up) x /= up_length;
  const Point& u = plane.up;
  plane.right = {u[1] * n[2] - u[2] * n[1], u[2] * n[0] - u[0] * n[2], u[0] * n[1] - u[1] * n[0]};
  const double sense = std::abs(plane.right[0]) > 1e-12 ? plane.right[0] : plane.right[1];
  if (sense < 0)
    for (double& x : plane.right) x = 0 - x;
  const double height = dot_product(n, through);
  for (std::size_t d = 0; d < 3; ++d) plane.point[d] = height * n[d];
  return plane;
}

}  // namespace millrace
