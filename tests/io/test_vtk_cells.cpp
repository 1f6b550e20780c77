// VTK's order of nodes: its corners, edges and faces, and cells cut into linear ones.
#include "millrace/io/vtk_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "io/io_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace {
namespace {

constexpr Cell every_cell[] = {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex};

std::vector<int> iota(int n) {
  std::vector<int> numbers(to_size(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Nodes of the cell in VTK's order, as places of the lattice.
std::vector<Lattice> places(Cell cell, int order) {
  const std::vector<Lattice> all = lattice(cell, order);
  std::vector<Lattice> found;
  for (const int n : vtk_nodes(cell, order)) found.push_back(all[to_size(n)]);
  return found;
}

TEST(VtkCells, Types) {
  EXPECT_EQ(vtk_cell_type(Cell::segment, 1), 3);
  EXPECT_EQ(vtk_cell_type(Cell::triangle, 1), 5);
  EXPECT_EQ(vtk_cell_type(Cell::quad, 1), 9);
  EXPECT_EQ(vtk_cell_type(Cell::tet, 1), 10);
  EXPECT_EQ(vtk_cell_type(Cell::hex, 1), 12);
  for (const Cell cell : every_cell) EXPECT_EQ(vtk_cell_type(cell, 2), 68 + static_cast<int>(cell));
  EXPECT_THROW(vtk_cell_type(Cell::hex, 0), Error);
  EXPECT_THROW(vtk_nodes(Cell::tet, 0), Error);
  EXPECT_THROW(linear_pieces(Cell::quad, -1), Error);
}

TEST(VtkCells, EveryNodeOnce) {
  for (const Cell cell : every_cell)
    for (int order = 1; order <= 12; ++order) {
      std::vector<int> nodes = vtk_nodes(cell, order);
      std::sort(nodes.begin(), nodes.end());
      EXPECT_EQ(nodes, iota(num_nodes(cell, order))) << name(cell) << " order " << order;
    }
}

/// On how many sides of the cell a node lies: corners come first, then edges, faces, the inside.
int num_sides(Cell cell, int order, const Lattice& at) {
  int sides = 0;
  for (std::size_t d = 0; d < to_size(dim(cell)); ++d) sides += (at[d] == 0) + (is_tensor(cell) && at[d] == order);
  return sides + (!is_tensor(cell) && at[0] + at[1] + at[2] == order);
}

TEST(VtkCells, CornersEdgesFacesInside) {
  for (const Cell cell : every_cell)
    for (int order = 1; order <= 9; ++order) {
      std::vector<int> sides;
      for (const Lattice& at : places(cell, order)) sides.push_back(num_sides(cell, order, at));
      EXPECT_TRUE(std::is_sorted(sides.begin(), sides.end(), std::greater<>())) << name(cell) << " order " << order;
    }
}

/// Figures of VTK's quadratic cells (VTK_QUADRATIC_TRIANGLE and so on), in halves.
TEST(VtkCells, OrderTwoIsQuadratic) {
  using L = std::vector<Lattice>;
  EXPECT_EQ(places(Cell::segment, 2), (L{{0, 0, 0}, {2, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(places(Cell::triangle, 2), (L{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(places(Cell::quad, 2),
            (L{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 1, 0}}));
  EXPECT_EQ(places(Cell::tet, 2), (L{{0, 0, 0},
                                     {2, 0, 0},
                                     {0, 2, 0},
                                     {0, 0, 2},
                                     {1, 0, 0},
                                     {1, 1, 0},
                                     {0, 1, 0},
                                     {0, 0, 1},
                                     {1, 0, 1},
                                     {0, 1, 1}}));
  EXPECT_EQ(places(Cell::hex, 2),
            (L{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0},
               {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1},
               {2, 2, 1}, {0, 2, 1}, {0, 1, 1}, {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}}));
}

TEST(VtkCells, EdgesOfTensorCellsAscendAndThoseOfTrianglesGoRound) {
  using L = std::vector<Lattice>;
  const L quad = places(Cell::quad, 3), triangle = places(Cell::triangle, 3);
  EXPECT_EQ(L(quad.begin() + 4, quad.begin() + 12),
            (L{{1, 0, 0}, {2, 0, 0}, {3, 1, 0}, {3, 2, 0}, {1, 3, 0}, {2, 3, 0}, {0, 1, 0}, {0, 2, 0}}));
  EXPECT_EQ(L(triangle.begin() + 3, triangle.end()),
            (L{{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}, {1, 1, 0}}));
}

TEST(VtkCells, InsideOfASimplexIsTheSimplexOfLowerOrder) {
  for (const Cell cell : {Cell::triangle, Cell::tet}) {
    const int less = dim(cell) + 1;
    for (int order = less + 1; order <= 9; ++order) {
      std::vector<Lattice> inside = places(cell, order);
      inside.erase(inside.begin(), inside.end() - num_nodes(cell, order - less));
      for (Lattice& at : inside)
        for (std::size_t d = 0; d < to_size(dim(cell)); ++d) --at[d];
      EXPECT_EQ(inside, places(cell, order - less)) << name(cell) << " order " << order;
    }
  }
}

TEST(VtkCells, FacesOfATetAreTriangles) {
  const int order = 7, edges = 4 + 6 * (order - 1), inside = num_nodes(Cell::triangle, order - 3);
  const int corners[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
  const std::vector<Lattice> tet = places(Cell::tet, order), face = places(Cell::triangle, order);
  for (int f = 0; f < 4; ++f)
    for (int n = 0; n < inside; ++n) {
      const Lattice& at = face[to_size(3 * order + n)];
      EXPECT_EQ(tet[to_size(edges + f * inside + n)], node_on(Cell::tet, corners[f], order, at[0], at[1]));
    }
}

/// The signed volume of a linear simplex, or of the corner 0, 1, 3, 4 of a piece of a tensor cell, times d!.
double corner_volume(Cell cell, const std::vector<Point>& corners) {
  const Point &a = corners[0], &b = corners[1];
  if (dim(cell) == 1) return b[0] - a[0];
  const Point &c = corners[is_tensor(cell) ? 3 : 2], &d = corners[dim(cell) == 2 ? 0 : is_tensor(cell) ? 4 : 3];
  Jacobian j{};
  for (std::size_t i = 0; i < 3; ++i) j[i] = {b[i] - a[i], c[i] - a[i], d[i] - a[i]};
  return determinant(j, dim(cell));
}

TEST(VtkCells, LinearPiecesFillTheCell) {
  for (const Cell cell : every_cell)
    for (int order = 1; order <= 7; ++order) {
      const std::vector<int> pieces = linear_pieces(cell, order);
      const std::vector<Point> points = lattice_points(cell, order);
      const int corners = num_vertices(cell), count = static_cast<int>(std::lround(std::pow(order, dim(cell))));
      ASSERT_EQ(std::ssize(pieces), count * corners) << name(cell) << " order " << order;
      for (int p = 0; p < count; ++p) {
        std::vector<Point> at;
        for (int v = 0; v < corners; ++v) at.push_back(points[to_size(pieces[to_size(p * corners + v)])]);
        EXPECT_NEAR(corner_volume(cell, at) * count, 1, 1e-12) << name(cell) << " order " << order << " piece " << p;
      }
    }
}

TEST(VtkCells, PiecesOfOrderOneAreTheCell) {
  for (const Cell cell : every_cell) EXPECT_EQ(linear_pieces(cell, 1), vtk_nodes(cell, 1)) << name(cell);
}

/// Faces of tets between pieces come twice, those on the cell's faces once: n^2 on each.
TEST(VtkCells, PiecesOfATetMatch) {
  for (int order = 1; order <= 5; ++order) {
    const std::vector<int> pieces = linear_pieces(Cell::tet, order);
    std::map<std::array<int, 3>, int> seen;
    for (std::size_t p = 0; p < pieces.size(); p += 4)
      for (std::size_t without = 0; without < 4; ++without) {
        std::array<int, 3> face{};
        for (std::size_t v = 0, k = 0; v < 4; ++v)
          if (v != without) face[k++] = pieces[p + v];
        std::sort(face.begin(), face.end());
        ++seen[face];
      }
    int outer = 0;
    for (const auto& [face, times] : seen) {
      ASSERT_LE(times, 2);
      outer += times == 1;
    }
    EXPECT_EQ(outer, 4 * order * order);
  }
}

}  // namespace
}  // namespace millrace
