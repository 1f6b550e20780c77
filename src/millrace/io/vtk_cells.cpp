// The numbering of nodes follows the figures and rules of VTK's manual for arbitrary-order Lagrange cells.
#include "millrace/io/vtk_cells.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

Lattice operator+(const Lattice& a, const Lattice& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Lattice operator-(const Lattice& a, const Lattice& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Lattice operator*(int s, const Lattice& a) { return {s * a[0], s * a[1], s * a[2]}; }

// Corners and edges of VTK in our numbers of vertices. A quad has the first half of a hex's corners and four edges.
constexpr std::array<int, 8> tensor_corners{0, 1, 3, 2, 4, 5, 7, 6};
constexpr std::array<std::array<int, 2>, 12> tensor_edges{
    {{0, 1}, {1, 3}, {2, 3}, {0, 2}, {4, 5}, {5, 7}, {6, 7}, {4, 6}, {0, 4}, {1, 5}, {3, 7}, {2, 6}}};
constexpr std::array<std::array<int, 2>, 6> tet_edges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
constexpr std::array<std::array<int, 3>, 4> tet_faces{{{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}}};

/// Collects nodes in VTK's order.
class Nodes {
 public:
  Nodes(Cell cell, int order) : cell_(cell), order_(order) {}

  void add(const Lattice& at) { found_.push_back(lattice_index(cell_, order_, at)); }
  /// Between two ends, without them.
  void add_line(const Lattice& from, const Lattice& step, int count) {
    for (int i = 1; i <= count; ++i) add(from + i * step);
  }
  /// All of the triangle of order n from a corner along two directions.
  void add_triangle(int n, const Lattice& from, const Lattice& u, const Lattice& v) {
    if (n < 0) return;
    if (n == 0) return add(from);
    add(from);
    add(from + n * u);
    add(from + n * v);
    add_line(from, u, n - 1);
    add_line(from + n * u, v - u, n - 1);
    add_line(from + n * v, -1 * v, n - 1);
    add_triangle(n - 3, from + u + v, u, v);
  }
  /// All of the tet of order n from a corner along the axes.
  void add_tet(int n, const Lattice& from) {
    if (n < 0) return;
    if (n == 0) return add(from);
    const auto at = [&](int vertex) { return from + n * corner(Cell::tet, vertex); };
    const auto step = [](int a, int b) { return corner(Cell::tet, b) - corner(Cell::tet, a); };
    for (int v = 0; v < 4; ++v) add(at(v));
    for (const auto& [a, b] : tet_edges) add_line(at(a), step(a, b), n - 1);
    for (const auto& [a, b, c] : tet_faces)
      add_triangle(n - 3, at(a) + step(a, b) + step(a, c), step(a, b), step(a, c));
    add_tet(n - 4, from + Lattice{1, 1, 1});
  }
  /// A segment, quad or hex.
  void add_tensor() {
    const int d = dim(cell_), num_of_edges = d == 1 ? 1 : d == 2 ? 4 : 12, n = order_;
    const auto at = [](int vertex) { return corner(Cell::hex, vertex); };
    for (int v = 0; v < num_vertices(cell_); ++v) add(n * at(tensor_corners[to_size(v)]));
    for (const auto& [a, b] : std::span(tensor_edges).first(to_size(num_of_edges)))
      add_line(n * at(a), at(b) - at(a), n - 1);
    constexpr Lattice x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    if (d == 2) add_quad({}, x, y);
    if (d < 3) return;
    for (const int side : {0, n}) add_quad(side * x, y, z);
    for (const int side : {0, n}) add_quad(side * y, x, z);
    for (const int side : {0, n}) add_quad(side * z, x, y);
    for (int k = 1; k < n; ++k) add_quad(k * z, x, y);
  }
  std::vector<int> take() { return std::move(found_); }

 private:
  /// Inside a quad of the cell's order.
  void add_quad(const Lattice& from, const Lattice& u, const Lattice& v) {
    for (int j = 1; j < order_; ++j) add_line(from + j * v, u, order_ - 1);
  }

  Cell cell_;
  int order_;
  std::vector<int> found_;
};

/// Kuhn's simplices (1960) of the unit cubes of n >= a >= b >= c >= 0, where a = i + j + k, b = j + k, c = k.
std::vector<int> simplex_pieces(Cell cell, int order) {
  const int d = dim(cell);
  std::vector<int> pieces;
  for (const Lattice& at : lattice(cell, order)) {
    const Lattice first{at[0] + at[1] + at[2], at[1] + at[2], at[2]};
    std::array<int, 3> axes{0, 1, 2};
    do {
      std::array<Lattice, 4> corners{first};  // of one simplex, each a step along an axis from the one before
      bool inside = true;
      for (int v = 1; v <= d; ++v) {
        Lattice& next = corners[to_size(v)] = corners[to_size(v - 1)];
        ++next[to_size(axes[to_size(v - 1)])];
        inside = inside && order >= next[0] && next[0] >= next[1] && next[1] >= next[2];
      }
      if (!inside) continue;
      const bool odd = (axes[0] > axes[1]) != ((axes[0] > axes[2]) != (axes[1] > axes[2]));
      if (odd) std::swap(corners[to_size(d - 1)], corners[to_size(d)]);
      for (int v = 0; v <= d; ++v) {
        const auto [a, b, c] = corners[to_size(v)];
        pieces.push_back(lattice_index(cell, order, {a - b, b - c, c}));
      }
    } while (std::next_permutation(axes.begin(), axes.begin() + d));
  }
  return pieces;
}

std::vector<int> tensor_pieces(Cell cell, int order) {
  const int d = dim(cell);
  std::vector<int> pieces;
  for (const Lattice& at : lattice(cell, order)) {
    if (std::max({at[0], d > 1 ? at[1] : 0, d > 2 ? at[2] : 0}) == order) continue;
    for (int v = 0; v < num_vertices(cell); ++v)
      pieces.push_back(lattice_index(cell, order, at + corner(cell, tensor_corners[to_size(v)])));
  }
  return pieces;
}

void check_order(int order) { require(order >= 1, "vtk cells: order ", order, " was asked for; at least 1 is right"); }

}  // namespace

int vtk_cell_type(Cell cell, int order) {
  check_order(order);
  constexpr std::array<int, 5> linear{3, 5, 9, 10, 12}, lagrange{68, 69, 70, 71, 72};
  return (order == 1 ? linear : lagrange)[static_cast<std::size_t>(cell)];
}

std::vector<int> vtk_nodes(Cell cell, int order) {
  check_order(order);
  Nodes nodes(cell, order);
  if (is_tensor(cell))
    nodes.add_tensor();
  else if (cell == Cell::triangle)
    nodes.add_triangle(order, {}, {1, 0, 0}, {0, 1, 0});
  else
    nodes.add_tet(order, {});
  return nodes.take();
}

std::vector<int> linear_pieces(Cell cell, int order) {
  check_order(order);
  return is_tensor(cell) ? tensor_pieces(cell, order) : simplex_pieces(cell, order);
}

}  // namespace millrace
