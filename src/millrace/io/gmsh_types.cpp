// Element types of gmsh and the recursive order of their nodes.
#include "millrace/io/gmsh_types.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "millrace/base/error.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace {
namespace {

// Vertices, edges and faces of a cell as gmsh numbers them. A face continues its own numbering inside.
struct GmshShape {
  std::vector<Lattice> vertices;  // as a lattice of order 1
  std::vector<std::array<int, 2>> edges;
  std::vector<std::vector<int>> faces;
};

GmshShape gmsh_shape(Cell cell) {
  switch (cell) {
    case Cell::segment:
      return {{{0, 0, 0}, {1, 0, 0}}, {{0, 1}}, {}};
    case Cell::triangle:
      return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1}, {1, 2}, {2, 0}}, {}};
    case Cell::quad:
      return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}};
    case Cell::tet:
      return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
              {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
              {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}};
    case Cell::hex:
      return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
              {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
              {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}};
  }
  return {};
}

// a + i (b - a) / order + j (c - a) / order, where a, b, c are corners of the lattice of that order.
Lattice between(int order, const Lattice& a, const Lattice& b, int i, const Lattice& c, int j) {
  Lattice at{};
  for (std::size_t d = 0; d < 3; ++d) at[d] = order * a[d] + i * (b[d] - a[d]) + j * (c[d] - a[d]);
  return at;
}

std::vector<GmshType> make_types() {
  using enum Cell;
  struct Numbers {
    Cell cell;
    bool serendipity;
    std::array<int, max_geometry_order> number;  // by order; 0: none, or the one without the word
  };
  const std::array<Numbers, 7> all{{{segment, false, {1, 8, 26, 27}},
                                    {triangle, false, {2, 9, 21, 23}},
                                    {quad, false, {3, 10, 36, 37}},
                                    {tet, false, {4, 11, 29, 30}},
                                    {hex, false, {5, 12, 92, 93}},
                                    {quad, true, {0, 16, 39, 40}},
                                    {hex, true, {0, 17, 99, 100}}}};
  std::vector<GmshType> types{{15, 0, segment, 1, false, 1}};
  for (const Numbers& kind : all)
    for (int order = 1; order <= max_geometry_order; ++order) {
      const int number = kind.number[static_cast<std::size_t>(order - 1)];
      const int nodes =
          kind.serendipity ? num_vertices(kind.cell) + num_edges(kind.cell) * (order - 1) : num_nodes(kind.cell, order);
      if (number != 0) types.push_back({number, dim(kind.cell), kind.cell, order, kind.serendipity, nodes});
    }
  return types;
}

}  // namespace

const GmshType* find_gmsh_type(std::int64_t number) {
  static const std::vector<GmshType> types = make_types();
  const auto at = std::find_if(types.begin(), types.end(), [&](const GmshType& type) { return type.number == number; });
  return at == types.end() ? nullptr : &*at;
}

std::string why_not(std::int64_t number) {
  const auto is_one_of = [&](std::initializer_list<int> numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
  };
  const char* kind = "which is not known";
  if (is_one_of({6, 13, 18, 90, 91, 106, 107, 108, 109, 110})) kind = "a prism";
  if (is_one_of({7, 14, 19, 118, 119, 120, 121, 122, 123, 124, 125})) kind = "a pyramid";
  if (is_one_of({20, 22, 24, 32, 33, 52, 53, 54, 55, 56, 57, 71, 79, 137})) kind = "an incomplete triangle or tet";
  if (is_one_of({25, 28, 31, 38, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 94, 95, 96, 97, 98}))
    kind = "of order 5 or more";
  return join("type ", number, ", ", kind,
              "; triangles, quads, tets and hexes of order 1 to 4 are read, also serendipity quads and hexes");
}

std::vector<Lattice> gmsh_lattice(Cell cell, int order) {
  if (order < 0) return {};
  if (order == 0) return {{0, 0, 0}};
  const GmshShape shape = gmsh_shape(cell);
  const auto vertex = [&](int v) { return shape.vertices[static_cast<std::size_t>(v)]; };
  std::vector<Lattice> nodes;
  for (const Lattice& v : shape.vertices) nodes.push_back(between(order, v, v, 0, v, 0));
  for (const auto& [a, b] : shape.edges)
    for (int i = 1; i < order; ++i) nodes.push_back(between(order, vertex(a), vertex(b), i, vertex(a), 0));
  for (const std::vector<int>& face : shape.faces) {
    const bool triangle = face.size() == 3;
    for (const Lattice& inner : gmsh_lattice(triangle ? Cell::triangle : Cell::quad, order - (triangle ? 3 : 2)))
      nodes.push_back(
          between(order, vertex(face[0]), vertex(face[1]), inner[0] + 1, vertex(face.back()), inner[1] + 1));
  }
  if (cell == Cell::segment) return nodes;
  for (Lattice inner : gmsh_lattice(cell, order - (is_tensor(cell) ? 2 : dim(cell) + 1))) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dim(cell)); ++d) ++inner[d];
    nodes.push_back(inner);
  }
  return nodes;
}

}  // namespace millrace
