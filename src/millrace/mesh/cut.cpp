// A plane through a mesh in space: patches from every cell that it cuts, lines from every face.
#include <algorithm>
#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/patches.hpp"
#include "millrace/mesh/patches/cell_cut.hpp"

namespace millrace {
namespace {

using detail::Segment;
constexpr int most_cut_subdivisions = 48;

// A face of a cell that the plane cuts or that lies in the plane.
struct CutFace {
  std::array<Index, 4> vertices;  // ascending; a triangle's first is -1
  std::size_t block;
  Index cell, number;  // in its block, and over all blocks
  int face, parts;
  bool above;  // of faces in the plane: the cell is on the positive side
  std::vector<Segment> segments;
};

std::array<Index, 4> vertices_of(const CellBlock& block, const std::vector<int>& vertex_nodes, Index cell, int face) {
  std::array<Index, 4> found{-1, -1, -1, -1};
  std::size_t k = 0;
  for (const int v : face_vertices(block.cell, face))
    found[k++] = block.nodes_of(cell)[to_size(vertex_nodes[to_size(v)])];
  std::sort(found.begin(), found.end());
  return found;
}

// Runs of neighbours with the same vertices, after sorting: f(first, last).
template <class F>
void each_face(std::vector<CutFace>& faces, F f) {
  std::stable_sort(faces.begin(), faces.end(),
                   [](const CutFace& a, const CutFace& b) { return a.vertices < b.vertices; });
  for (std::size_t first = 0, last = 0; first < faces.size(); first = last) {
    while (last < faces.size() && faces[last].vertices == faces[first].vertices) ++last;
    f(first, last);
  }
}

bool same_place(const Place& a, const Place& b, double near) {
  return std::abs(a[0] - b[0]) <= near && std::abs(a[1] - b[1]) <= near;
}

// Segments that share their ends become one line.
std::vector<std::vector<Place>> joined(std::vector<Segment> segments, double near) {
  std::vector<std::vector<Place>> lines;
  while (!segments.empty()) {
    std::vector<Place> line{segments.back().from, segments.back().to};
    segments.pop_back();
    for (int side = 0; side < 2; ++side, std::reverse(line.begin(), line.end()))
      for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t s = 0; s < segments.size(); ++s) {
          const Segment one = segments[s];
          const bool begins = same_place(one.from, line.back(), near), ends = same_place(one.to, line.back(), near);
          if (!begins && !ends) continue;
          const Place next = begins ? one.to : one.from;
          segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(s));
          if (!same_place(next, line[line.size() - 2], near)) line.push_back(next);  // else the same segment again
          grown = true;
          break;
        }
      }
    lines.push_back(std::move(line));
  }
  return lines;
}

void add_lines(PlaneFigure& figure, std::vector<CutFace>& faces, double near, double tolerance) {
  each_face(faces, [&](std::size_t first, std::size_t last) {
    for (const auto& line : joined(std::move(faces[first].segments), near))
      figure.lines.push_back({detail::simplified(line, 0.1 * tolerance), last - first == 1});
  });
}

// An edge of a face in the plane.
struct FlatEdge {
  std::array<Index, 2> vertices;  // ascending
  std::vector<Place> places;
};

// A face in the plane with no cell below it, as patches and edges.
void add_flat_face(PlaneFigure& figure, std::vector<FlatEdge>& edges, const detail::BlockMap& map, const CutFace& side,
                   const Plane& plane) {
  const Cell shape = map.block().cell, face = face_cell(shape);
  const auto corners = face_vertices(shape, side.face);
  const Lattice a = corner(shape, corners[0]), b = corner(shape, corners[1]), c = corner(shape, corners[2]);
  const int n = side.parts;
  const auto reference = [&](int i, int j) {
    Point xi{};
    for (std::size_t d = 0; d < 3; ++d) xi[d] = a[d] + double(i) / n * (b[d] - a[d]) + double(j) / n * (c[d] - a[d]);
    return xi;
  };
  const auto add = [&](const std::array<Point, 3>& xi) {
    Patch patch{.cell = side.number, .xi = xi};
    for (std::size_t k = 0; k < 3; ++k) patch.places[k] = plane.place(map.at(side.cell, xi[k]));
    detail::turn_left(patch);
    figure.patches.push_back(patch);
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < (is_tensor(face) ? n : n - j); ++i) {
      add({reference(i, j), reference(i + 1, j), reference(i, j + 1)});
      if (is_tensor(face) || i + j + 2 <= n) add({reference(i + 1, j), reference(i + 1, j + 1), reference(i, j + 1)});
    }
  const std::vector<int> nodes = vertex_nodes(shape, map.block().order);
  for (int e = 0; e < num_edges(face); ++e) {
    const auto ends = edge_vertices(face, e);
    const auto point_of = [&](int end) {
      return map.block().nodes_of(side.cell)[to_size(nodes[to_size(corners[to_size(end)])])];
    };
    const auto [low, high] = std::minmax({point_of(ends[0]), point_of(ends[1])});
    const Lattice from = corner(face, ends[0]), to = corner(face, ends[1]);
    FlatEdge edge{{low, high}, {}};
    for (int i = 0; i <= n; ++i)
      edge.places.push_back(
          plane.place(map.at(side.cell, reference(from[0] * (n - i) + to[0] * i, from[1] * (n - i) + to[1] * i))));
    edges.push_back(std::move(edge));
  }
}

void add_flat_lines(PlaneFigure& figure, std::vector<FlatEdge>& edges, double tolerance) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const FlatEdge& a, const FlatEdge& b) { return a.vertices < b.vertices; });
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    while (last < edges.size() && edges[last].vertices == edges[first].vertices) ++last;
    figure.lines.push_back({detail::simplified(edges[first].places, 0.1 * tolerance), last - first == 1});
  }
}

double reach_of(const Mesh& mesh, const Plane& plane) {
  double reach = 0;
  for (Index p = 0; p < mesh.num_points(); ++p)
    for (std::size_t d = 0; d < 3; ++d) reach = std::max({reach, std::abs(mesh.point(p)[d]), std::abs(plane.point[d])});
  return reach;
}

}  // namespace

PlaneFigure cut(const Mesh& mesh, const Plane& plane, const Fineness& fineness) {
  require(mesh.dim == 3, "cut: the mesh has the dimension ", mesh.dim,
          "; it takes meshes in space, and patches_of takes those of the plane");
  const double tolerance = detail::settled_tolerance(mesh, fineness), reach = reach_of(mesh, plane);
  const detail::CutRules rules{.plane = plane,
                               .zero = 1e-12 * reach,
                               .exact = 1e-14 * reach,
                               .least_area = 1e-8 * tolerance * tolerance,
                               .tolerance = tolerance,
                               .least = fineness.subdivisions,
                               .most = most_cut_subdivisions};
  PlaneFigure figure;
  std::vector<CutFace> faces, flat;
  std::vector<detail::BlockMap> maps;
  maps.reserve(mesh.blocks.size());
  Index number = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const detail::BlockMap& map = maps.emplace_back(mesh, block);
    const std::vector<int> vertices = vertex_nodes(block.cell, block.order);
    std::vector<double> distances(to_size(block.nodes_per_cell()));
    for (Index c = 0; c < block.num_cells(); ++c, ++number) {
      double sum = 0;
      bool touches = false;
      for (std::size_t k = 0; k < distances.size(); ++k) {
        const double d = plane.distance(mesh.point(block.nodes_of(c)[k]));
        distances[k] = std::abs(d) <= rules.zero ? 0 : d;
        sum += distances[k];
        touches = touches || distances[k] == 0;
      }
      for (int f = 0; touches && f < num_faces(block.cell); ++f) {
        bool in_plane = true;
        for (const int k : face_nodes(block.cell, block.order, f)) in_plane = in_plane && distances[to_size(k)] == 0;
        if (!in_plane) continue;
        const int parts = map.subdivisions(c, tolerance, fineness.subdivisions, most_cut_subdivisions);
        flat.push_back({vertices_of(block, vertices, c, f), b, c, number, f, parts, sum > 0, {}});
      }
      if (detail::misses(block.cell, block.order, distances)) continue;
      detail::CellCut found;
      detail::cut_cell(map, c, rules, found);
      for (Patch& patch : found.patches) patch.cell = number;
      figure.patches.insert(figure.patches.end(), found.patches.begin(), found.patches.end());
      for (int f = 0; f < num_faces(block.cell); ++f)
        if (auto& segments = found.on_faces[to_size(f)]; !segments.empty())
          faces.push_back({vertices_of(block, vertices, c, f), b, c, number, f, 1, false, std::move(segments)});
    }
  }
  const double near = 10 * rules.zero;
  add_lines(figure, faces, near, tolerance);
  std::vector<FlatEdge> edges;
  each_face(flat, [&](std::size_t first, std::size_t last) {
    if (last - first == 1 && flat[first].above)
      add_flat_face(figure, edges, maps[flat[first].block], flat[first], plane);
  });
  add_flat_lines(figure, edges, tolerance);
  detail::set_box(figure);
  return figure;
}

}  // namespace millrace
