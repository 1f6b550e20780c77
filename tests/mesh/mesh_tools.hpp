// What the tests of meshes share: all kinds of cells, a smooth deformation, random numbers for points and cells.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "expect.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace::testing {

inline constexpr Cell all_cells[] = {Cell::triangle, Cell::quad, Cell::tet, Cell::hex};

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Keeps the unit cube's corners apart and its cells valid, and bends everything else.
inline Point bend(const Point& x) {
  const double a = 0.05 * std::sin(3 * x[0]) * std::sin(2 * x[1]) * std::cos(x[2]);
  return {x[0] + a, x[1] - 0.7 * a + 0.1 * x[0] * x[0], x[2] + 0.5 * a};
}

inline std::vector<Index> random_order(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  for (Index i = n - 1; i > 0; --i) std::swap(order[at(i)], order[at(random.below(i + 1))]);
  return order;
}

/// The same mesh with points in another order.
inline void shuffle_points(Mesh& mesh, std::uint64_t seed) {
  const auto order = random_order(mesh.num_points(), seed);
  const Mesh old = mesh.clone();
  for (Index p = 0; p < mesh.num_points(); ++p) mesh.set_point(order[at(p)], old.point(p));
  for (auto* blocks : {&mesh.blocks, &mesh.boundary})
    for (CellBlock& block : *blocks)
      for (Index& p : block.nodes.span()) p = order[at(p)];
  for (PeriodicSide& side : mesh.periodic)
    for (auto& pair : side.pairs)
      for (Index& p : pair) p = order[at(p)];
}

/// Every cell seen from another side, without mirroring it: cyclic change of coordinates (tensor cells in space and
/// simplices), a turn by a quarter (quads).
inline void turn_cells(Mesh& mesh, std::uint64_t seed) {
  Random random(seed);
  for (CellBlock& block : mesh.blocks) {
    const auto nodes = lattice(block.cell, block.order);
    for (Index c = 0; c < block.num_cells(); ++c)
      for (Index turns = random.below(4); turns > 0; --turns) {
        const std::vector<Index> old(block.nodes_of(c).begin(), block.nodes_of(c).end());
        for (std::size_t n = 0; n < nodes.size(); ++n) {
          const auto [i, j, k] = nodes[n];
          Lattice from{j, k, i};
          if (block.cell == Cell::quad || (block.cell == Cell::hex && turns % 2 == 1)) from = {j, block.order - i, k};
          if (block.cell == Cell::triangle) from = {j, block.order - i - j, 0};
          if (block.cell == Cell::tet && turns % 2 == 1) from = {j, block.order - i - j - k, k};
          block.nodes_of(c)[n] = old[at(lattice_index(block.cell, block.order, from))];
        }
      }
  }
}

inline double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

}  // namespace millrace::testing
