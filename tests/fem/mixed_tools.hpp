// A mesh with triangles on the left and quads on the right, straight or curved.
#pragma once

#include "fem/fem_tools.hpp"

namespace millrace::testing {

/// The cells of a mesh of quads whose centre is left of the middle, each cut in two triangles; then the rest.
inline Mesh cut_left_half(const Mesh& quads) {
  Mesh mesh = quads.clone();
  const CellBlock old = std::move(mesh.blocks.at(0));
  mesh.blocks.clear();
  std::vector<Index> triangles, rest;
  const int g = old.order;
  for (Index c = 0; c < old.num_cells(); ++c) {
    const auto nodes = old.nodes_of(c);
    double x = 0;
    for (const int v : vertex_nodes(Cell::quad, g)) x += mesh.point(nodes[static_cast<std::size_t>(v)])[0] / 4;
    if (x > 0.5) {
      rest.insert(rest.end(), nodes.begin(), nodes.end());
      continue;
    }
    for (const bool upper : {false, true})
      for (const auto& [i, j, k] : lattice(Cell::triangle, g)) {
        const int n = lattice_index(Cell::quad, g, upper ? Lattice{g - i, g - j, 0} : Lattice{i, j, 0});
        triangles.push_back(nodes[static_cast<std::size_t>(n)]);
      }
  }
  const auto add = [&](Cell cell, const std::vector<Index>& nodes) {
    mesh.blocks.push_back({cell, g, Array<Index>(std::span<const Index>(nodes)),
                           Array<std::int32_t>(std::ssize(nodes) / num_nodes(cell, g), 0)});
  };
  add(Cell::triangle, triangles);
  add(Cell::quad, rest);
  return mesh;
}

/// n x n quads of which the left half is cut, moved by a smooth map that keeps the straight outline.
inline Mesh mixed_box(int n, int geometry_order, double amount = 0.08) {
  return cut_left_half(warped_box(Cell::quad, n, geometry_order, amount));
}

/// The same with straight cells that are not moved.
inline Mesh straight_mixed_box(int n) { return cut_left_half(make_box(Cell::quad, {n, n, 1})); }

/// The same with a curved outline.
inline Mesh curved_mixed_box(int n, int geometry_order) {
  Mesh mesh = cut_left_half(make_box(Cell::quad, {n, n, 1}, {}, geometry_order));
  deform(mesh, [](const Point& x) {
    return Point{x[0] + 0.1 * std::sin(2 * x[1] + 0.3), x[1] + 0.1 * std::cos(1.5 * x[0]), 0};
  });
  return mesh;
}

/// Rules that integrate smooth functions well on both kinds of cells.
inline ElementOptions fine_rules(int order) { return {.points = {.num = order + 3, .degree = 2 * order + 4}}; }

}  // namespace millrace::testing
