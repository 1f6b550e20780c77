// What the tests of loads and boundary terms share: meshes with curved outlines and groups of cells.
#pragma once

#include "fem/fem_tools.hpp"
#include "millrace/fem/options.hpp"

namespace millrace::testing {

/// A box whose outline is curved too, by a smooth map; straight (and not moved) for `amount` 0.
inline Mesh curved_box(Cell cell, int n, int geometry_order, double amount = 0.1) {
  Mesh mesh = make_box(cell, {n, n, dim(cell) == 3 ? n : 1}, {}, geometry_order);
  if (amount == 0) return mesh;
  deform(mesh, [&](const Point& x) {
    Point y = x;
    y[0] += amount * std::sin(2 * x[1] + 0.3) * (dim(cell) == 3 ? std::cos(x[2]) : 1.0);
    y[1] += amount * std::cos(1.5 * x[0]);
    if (dim(cell) == 3) y[2] -= amount * std::sin(x[0] + x[1]);
    return y;
  });
  return mesh;
}

/// A rule far beyond what the space needs.
inline Points fine_points(Cell cell, int more = 0) {
  return is_tensor(cell) ? Points{.num = 8 + more} : Points{.degree = 16 + more};
}

/// Cells left of x = 1/2 get the tag 5 "left", the others 7 "right".
inline void tag_halves(Mesh& mesh) {
  CellBlock& block = mesh.blocks.at(0);
  for (Index c = 0; c < block.num_cells(); ++c) {
    double x = 0;
    for (const Index p : block.nodes_of(c)) x += mesh.point(p)[0] / block.nodes_per_cell();
    block.tag.data()[c] = x < 0.5 ? 5 : 7;
  }
  mesh.names.push_back({mesh.dim, 5, "left"});
  mesh.names.push_back({mesh.dim, 7, "right"});
}

inline double sum_of(const std::vector<double>& b) { return std::accumulate(b.begin(), b.end(), 0.0); }

inline std::vector<double> zeros_of(const Space& space) {
  return std::vector<double>(static_cast<std::size_t>(space.num_dofs()));
}

}  // namespace millrace::testing
