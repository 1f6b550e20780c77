// How a cell sees an edge or a face. The edge or face has a direction of its own that both its cells agree on, given by
// ascending vertex numbers; a code says how the cell's local edge or face lies on it.
#pragma once

#include <array>
#include <vector>

#include "millrace/base/scalar.hpp"
#include "millrace/mesh/shape.hpp"

namespace millrace {

// The own lattice of a face begins at its smallest vertex, so that node (0, 0) is there. The first coordinate i runs
// towards the smaller of the neighbours of that vertex, the second coordinate j towards the larger. Codes:
//   segment  0 as the cell sees it, 1 reversed.                        own i is local i or p - i
//   quad     o + 4 s: own node (0, 0) lies on local corner o = 0..3 (bit 0: first coordinate at its end, bit 1:
//   second);
//            s = 1 when own i runs along the local second coordinate.  (a, b) = s ? (j, i) : (i, j), then
//            local = (o & 1 ? p - a : a, o & 2 ? p - b : b)
//   triangle 2 o + s: own vertex 0 is local vertex o; own vertices 1, 2 are the other two in ascending (s = 0) or
//            descending (s = 1) local order.                           weights p-i-j, i, j go with the vertices
// Code 0: both lattices are the same.

/// 2 for a segment, 6 for a triangle, 8 for a quad.
constexpr int num_orientations(Cell face) { return face == Cell::segment ? 2 : face == Cell::triangle ? 6 : 8; }

/// Node (i, j) of the face's own lattice of order p, as a node of the local lattice of the cell whose code this is.
constexpr Lattice own_to_local(Cell face, int code, int p, int i, int j = 0) {
  if (face == Cell::segment) return {code == 0 ? i : p - i, 0, 0};
  if (face == Cell::quad) {
    const int a = code >= 4 ? j : i, b = code >= 4 ? i : j;
    return {(code & 1) != 0 ? p - a : a, (code & 2) != 0 ? p - b : b, 0};
  }
  const int o = code / 2, low = o == 0 ? 1 : 0, high = o == 2 ? 1 : 2;
  std::array<int, 3> weight{};
  weight[static_cast<std::size_t>(o)] = p - i - j;
  weight[static_cast<std::size_t>(code % 2 == 0 ? low : high)] = i;
  weight[static_cast<std::size_t>(code % 2 == 0 ? high : low)] = j;
  return {weight[1], weight[2], 0};
}

/// The vertices of an edge or face in its own order (unused ones are -1), and the code of whoever sees them so.
struct Oriented {
  std::array<Index, 4> vertices;  // segment 2, triangle 3, quad 4: (0,0) (1,0) (0,1) (1,1) of the own lattice
  int code;
  friend bool operator==(const Oriented&, const Oriented&) = default;
};
/// From the vertices in the local order, which must differ from each other.
Oriented orient(Cell face, const std::array<Index, 4>& local);

/// local[own]: where each node of the own lattice of order p lies in the local lattice. [num_nodes(face, p)]
std::vector<int> own_to_local_map(Cell face, int code, int p);

/// +1 when own and local coordinates turn the same way (a segment: run the same way), else -1.
constexpr int orientation_sign(Cell face, int code) {
  if (face == Cell::segment) return code == 0 ? 1 : -1;
  if (face == Cell::quad) return ((code & 1) + ((code >> 1) & 1) + (code >> 2)) % 2 == 0 ? 1 : -1;
  return (code / 2 + code % 2) % 2 == 0 ? 1 : -1;
}

}  // namespace millrace
