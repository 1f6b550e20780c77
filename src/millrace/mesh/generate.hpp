// Meshes that need no file: boxes, and what can be made of a mesh by moving its nodes.
#pragma once

#include <array>
#include <functional>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

struct Box {
  Point lower{0, 0, 0}, upper{1, 1, 1};
};

/// A box of cells[0] x cells[1] (x cells[2]) quads or hexes, or of that many with each quad cut in two triangles, each
/// hex in six tets (Kuhn 1960; all share the diagonal from the lower to the upper corner). The boundary has the tags
/// 1 to 2 dim with the names "x0" "x1" "y0" ...; cells have the tag 0. The cells are straight whatever the order.
Mesh make_box(Cell cell, std::array<int, 3> cells, const Box& box = {}, int order = 1);

/// Moves every node. Raise the order first where the new shape is to be curved.
void deform(Mesh& mesh, const std::function<Point(const Point&)>& move);

/// The same cells with nodes of a higher order, at the lattice points of the cells as they are.
Mesh elevate(const Mesh& mesh, int order);

}  // namespace millrace
