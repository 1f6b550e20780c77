// The kinds of cells: their corners, edges and faces, and the lattices of nodes on them. One convention for all:
// unit cubes and unit simplices; nodes are numbered with the first coordinate fastest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace millrace {

/// The shapes that cells have.
enum class Cell : std::uint8_t { segment, triangle, quad, tet, hex };

/// Integer coordinates (i, j, k) of a node of a lattice; those past the dimension are 0.
using Lattice = std::array<int, 3>;

namespace detail {
struct CellTable {
  std::string_view name;
  int dim, num_vertices, num_edges, num_faces, vertices_per_face;
  bool tensor;
  std::array<int, 24> edges, faces;  // vertices, edge after edge, face after face
};
// A vertex of a tensor cell has its coordinates as bits: x is bit 0. Simplex vertex v > 0 lies on axis v - 1.
inline constexpr std::array<CellTable, 5> cell_tables{{
    {"segment", 1, 2, 1, 0, 0, true, {0, 1}, {}},
    {"triangle", 2, 3, 3, 3, 2, false, {1, 2, 0, 2, 0, 1}, {1, 2, 0, 2, 0, 1}},
    {"quad", 2, 4, 4, 4, 2, true, {0, 2, 1, 3, 0, 1, 2, 3}, {0, 2, 1, 3, 0, 1, 2, 3}},
    {"tet", 3, 4, 6, 4, 3, false, {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3}, {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2}},
    {"hex",
     3,
     8,
     12,
     6,
     4,
     true,
     {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7},
     {0, 2, 4, 6, 1, 3, 5, 7, 0, 1, 4, 5, 2, 3, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}},
}};
constexpr const CellTable& table(Cell cell) { return cell_tables[static_cast<std::size_t>(cell)]; }
constexpr int triangular(int n) { return (n + 1) * (n + 2) / 2; }  // nodes of a triangle of order n
}  // namespace detail

constexpr std::string_view name(Cell cell) { return detail::table(cell).name; }
constexpr int dim(Cell cell) { return detail::table(cell).dim; }
constexpr bool is_tensor(Cell cell) { return detail::table(cell).tensor; }
constexpr int num_vertices(Cell cell) { return detail::table(cell).num_vertices; }
constexpr int num_edges(Cell cell) { return detail::table(cell).num_edges; }
/// A segment has none: its ends are vertices.
constexpr int num_faces(Cell cell) { return detail::table(cell).num_faces; }
/// What the faces of a cell are: segments in the plane, triangles or quads in space.
constexpr Cell face_cell(Cell cell) {
  return cell == Cell::hex ? Cell::quad : cell == Cell::tet ? Cell::triangle : Cell::segment;
}
/// Its two vertices; the edge's first coordinate runs from the first to the second. In the plane edges are the faces.
constexpr std::span<const int> edge_vertices(Cell cell, int edge) {
  return std::span<const int>(detail::table(cell).edges).subspan(2 * static_cast<std::size_t>(edge), 2);
}
/// Vertices of a face, in the order of the vertices of face_cell: the face's own first coordinate runs from the first
/// to the second, its second coordinate from the first to the third. Quad and hex: face 2a is coordinate a = 0, face
/// 2a + 1 is a = 1. Triangle and tet: face i lies opposite vertex i.
constexpr std::span<const int> face_vertices(Cell cell, int face) {
  const auto count = static_cast<std::size_t>(detail::table(cell).vertices_per_face);
  return std::span<const int>(detail::table(cell).faces).subspan(count * static_cast<std::size_t>(face), count);
}
/// +1 where the normal that follows from the face's own coordinates points out of the cell, -1 where it points in.
/// That normal is (t_y, -t_x) of the tangent t in the plane and the cross product of both tangents in space.
constexpr int face_sign(Cell cell, int face) {
  if (!is_tensor(cell)) return face % 2 == 0 ? 1 : -1;
  const int side = face % 2 == 0 ? -1 : 1, axis = face / 2;
  return cell == Cell::quad ? (axis == 0 ? side : -side) : (axis == 1 ? -side : side);
}

/// Nodes of the lattice of an order, 0 included (one node).
constexpr int num_nodes(Cell cell, int order) {
  const int n = order + 1;
  switch (cell) {
    case Cell::segment:
      return n;
    case Cell::triangle:
      return detail::triangular(order);
    case Cell::quad:
      return n * n;
    case Cell::tet:
      return n * (n + 1) * (n + 2) / 6;
    case Cell::hex:
      return n * n * n;
  }
  return 0;
}

/// The number of node (i, j, k). Tensor: i + P (j + P k) with P = order + 1. Simplex: i fastest, i + j + k <= order.
constexpr int lattice_index(Cell cell, int order, const Lattice& at) {
  if (is_tensor(cell)) return at[0] + (order + 1) * (at[1] + (order + 1) * at[2]);
  const int below = num_nodes(Cell::tet, order) - num_nodes(Cell::tet, order - at[2]);  // layers under this one
  const int rows = order - at[2] + 1;
  return (cell == Cell::tet ? below : 0) + at[1] * rows - at[1] * (at[1] - 1) / 2 + at[0];
}

/// The corner as a node of the lattice of order 1.
constexpr Lattice corner(Cell cell, int vertex) {
  if (is_tensor(cell)) return {vertex & 1, (vertex >> 1) & 1, (vertex >> 2) & 1};
  return {vertex == 1, vertex == 2, vertex == 3};
}

/// Node (i, j) of a face, or (i) of an edge, given by its vertices, as a node of the cell.
constexpr Lattice node_on(Cell cell, std::span<const int> vertices, int order, int i, int j = 0) {
  const Lattice a = corner(cell, vertices[0]), b = corner(cell, vertices[1]),
                c = corner(cell, vertices[vertices.size() > 2 ? 2 : 0]);
  Lattice at{};
  for (std::size_t d = 0; d < 3; ++d) at[d] = order * a[d] + i * (b[d] - a[d]) + j * (c[d] - a[d]);
  return at;
}

/// All nodes in their order.
std::vector<Lattice> lattice(Cell cell, int order);
/// Lattice index of each vertex. [num_vertices]
std::vector<int> vertex_nodes(Cell cell, int order);
/// Lattice indices of the nodes of an edge or a face, in the edge's or the face's own order (ends included).
std::vector<int> edge_nodes(Cell cell, int order, int edge);  // [order + 1]
std::vector<int> face_nodes(Cell cell, int order, int face);  // [num_nodes(face_cell(cell), order)]

}  // namespace millrace
