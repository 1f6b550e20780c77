// Tables of all functions at all points, the numbers of traces, and groups of cells that share no face.
#include "millrace/hdg/trace_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/simplex_polynomials.hpp"
#include "millrace/fem/quadrature.hpp"
#include "millrace/hdg/cell_geometry.hpp"
#include "millrace/sparse/assemble.hpp"

namespace millrace::hdg {
namespace {

Table tabulate(int dim, int order, std::span<const Point> points, std::vector<double>* grads = nullptr) {
  Table table;
  table.num_points = static_cast<int>(points.size());
  for (int p = 0; p < table.num_points; ++p) {
    const SimplexPolynomials at = simplex_polynomials(dim, order, points[to_size(p)].data());
    table.num_modes = static_cast<int>(at.values.size());
    for (const long double value : at.values) table.transposed.push_back(static_cast<double>(value));
    if (!grads) continue;
    if (p == 0) grads->resize(to_size(dim * table.num_points * table.num_modes));
    for (int d = 0; d < dim; ++d)
      for (int i = 0; i < table.num_modes; ++i)
        (*grads)[to_size((d * table.num_points + p) * table.num_modes + i)] =
            static_cast<double>(at.gradients[to_size(d * table.num_modes + i)]);
  }
  table.values.resize(table.transposed.size());
  for (int p = 0; p < table.num_points; ++p)
    for (int i = 0; i < table.num_modes; ++i)
      table.values[to_size(i * table.num_points + p)] = table.transposed[to_size(p * table.num_modes + i)];
  return table;
}

std::vector<Point> points_of(const Quadrature& rule) {
  std::vector<Point> points;
  for (int q = 0; q < rule.size(); ++q) {
    Point x{};
    for (int d = 0; d < rule.dim; ++d) x[to_size(d)] = rule.point(q)[d];
    points.push_back(x);
  }
  return points;
}

// Points of a face's own coordinates in the reference cell that sees the face with that code.
std::vector<Point> on_cell(Cell cell, int local_face, int code, std::span<const Point> own) {
  const Cell face = face_cell(cell);
  const std::span<const int> vertices = face_vertices(cell, local_face);
  // The own vertices as vertices of the cell: nodes of the own lattice of order 1.
  std::array<Point, 3> corners{};
  const int num = dim(face) + 1;
  for (int v = 0; v < num; ++v) {
    const Lattice local = own_to_local(face, code, 1, v == 1, v == 2);
    const Lattice at = node_on(cell, vertices, 1, local[0], local[1]);
    for (std::size_t d = 0; d < 3; ++d) corners[to_size(v)][d] = at[d];
  }
  std::vector<Point> points;
  for (const Point& x : own) {
    Point y = corners[0];
    for (int v = 1; v < num; ++v)
      for (std::size_t d = 0; d < 3; ++d) y[d] += x[to_size(v - 1)] * (corners[to_size(v)][d] - corners[0][d]);
    points.push_back(y);
  }
  return points;
}

const CellBlock& checked(const Mesh& mesh, int order, int most) {
  const bool simplices =
      mesh.blocks.size() == 1 && (mesh.blocks[0].cell == Cell::triangle || mesh.blocks[0].cell == Cell::tet);
  require(simplices, "hdg: the mesh has ", mesh.description(), "; triangles or tets of one order are accepted");
  require(order >= 1 && order <= most, "hdg: order ", order, " in ", mesh.dim, " dimensions; 1 to ", most,
          " are accepted");
  check_jacobians(mesh);
  return mesh.blocks[0];
}

std::string place_text(const Point& x, int dim) {
  return join("(", x[0], ", ", x[1], dim == 3 ? join(", ", x[2]) : "", ")");
}

Point difference(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double length_of(const Point& a) { return std::hypot(a[0], a[1], a[2]); }

// The group of boundary faces whose faces are the longest, by their mean.
std::int32_t coarsest_group(const Mesh& mesh, const Topology& topology) {
  std::map<std::int32_t, std::pair<double, double>> sums;  // of lengths, and how many
  for (std::size_t k = 0; k < mesh.boundary.size(); ++k)
    for (Index f = 0; f < mesh.boundary[k].num_cells(); ++f) {
      const BoundaryBlock& block = mesh.boundary[k];
      if (!topology.on_boundary(topology.boundary[k][to_size(f)])) continue;  // periodic
      const std::span<const Index> nodes = block.nodes_of(f);
      const Point a = mesh.point(nodes[0]), b = mesh.point(nodes[1]);  // neighbours on the lattice
      auto& [length, count] = sums[block.tag.data()[f]];
      length += std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      count += 1;
    }
  double longest = -1;
  std::int32_t found = 0;
  for (const auto& [tag, sum] : sums)
    if (sum.first / sum.second > longest) {
      longest = sum.first / sum.second;
      found = tag;
    }
  return found;
}

// Faces by their distance (in cells) from the coarsest boundary group, all parts of the mesh. Incomplete factors lose
// least when they end in the finest cells: on the C-mesh of examples/flow GMRES takes a third of the iterations that it
// takes with reverse Cuthill and McKee.
std::vector<Index> levels_from_coarse_boundary(const Mesh& mesh, const Topology& topology, const Csr<double>& graph) {
  std::vector<Index> order;
  std::vector<char> seen(to_size(graph.num_rows));
  const auto visit = [&](Index face) {
    if (std::exchange(seen[to_size(face)], char{1}) == 0) order.push_back(face);
  };
  std::size_t next = 0;
  const auto spread = [&] {
    for (; next < order.size(); ++next)
      for (Offset k = graph.row_begin(order[next]); k < graph.row_begin(order[next] + 1); ++k)
        visit(graph.cols.data()[k]);
  };
  const std::int32_t coarsest = coarsest_group(mesh, topology);
  for (const Index face : topology.boundary_faces)
    if (topology.face_tags[to_size(face)] == coarsest) visit(face);
  spread();
  for (Index face = 0; face < graph.num_rows; ++face) {  // parts that do not touch that group
    visit(face);
    spread();
  }
  return order;
}

}  // namespace

TraceSpace::TraceSpace(const Mesh& mesh, int order, PeriodicSides sides)
    : TraceSpace(mesh, order, max_order(mesh.dim), sides) {}

TraceSpace::TraceSpace(const Mesh& mesh, int order, int max_order, PeriodicSides sides)
    : mesh_(&mesh),
      block_(&checked(mesh, order, max_order)),
      order_(order),
      sides_(sides),
      topology_(make_topology(mesh, sides)) {
  const int d = mesh.dim, g = block_->order;
  // Fluxes are rational, so 3 p is a choice; with curved cells it must integrate cofactors times a gradient, too, or a
  // uniform flow would not be a solution.
  const int degree = std::min(20, std::max(3 * order, order + (d - 1) * (g - 1) + (g - 1)));
  const Quadrature rule = simplex_rule(d, degree), face_rule = simplex_rule(d - 1, degree);
  const std::vector<Point> own = points_of(face_rule);
  points_ = points_of(rule);
  cell_ = tabulate(d, order, points_, &grads_);
  face_ = tabulate(d - 1, order, own);
  weights_ = rule.weights;
  face_weights_ = face_rule.weights;
  geometry_ = tabulate_geometry(block_->cell, g, points_);
  for (int face = 0; face < faces_per_cell(); ++face)
    for (int code = 0; code < num_orientations(face_cell(block_->cell)); ++code) {
      const std::vector<Point> there = on_cell(block_->cell, face, code, own);
      cell_on_face_.push_back(tabulate(d, order, there));
      geometry_on_face_.push_back(tabulate_geometry(block_->cell, g, there));
    }
  if (sides == PeriodicSides::glued && !mesh.periodic.empty()) check_glued_faces();
  number_traces();
  colour_cells();
}

// Points and normals of both sides of faces that are glued: one translation for all points of a face, and cells on
// opposite sides of it.
void TraceSpace::check_glued_faces() const {
  const std::vector<int> corners = vertex_nodes(block_->cell, block_->order);
  const auto vertices_of = [&](const FaceSide& side) {
    std::array<Index, 3> points{-1, -1, -1};
    std::size_t k = 0;
    for (const int v : face_vertices(block_->cell, side.face))
      points[k++] = nodes_of(side.cell)[to_size(corners[to_size(v)])];
    std::sort(points.begin(), points.end());
    return points;
  };
  CellGeometry geometry(*this);
  for (Index f = 0; f < num_faces(); ++f) {
    const auto& [one, two] = topology_.face_sides[to_size(f)];
    if (!two.exists() || vertices_of(one) == vertices_of(two)) continue;
    const int per_face = num_face_points(), all = faces_per_cell() * per_face;
    std::array<std::vector<Point>, 2> places, normals;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      const FaceSide& side = k == 0 ? one : two;
      geometry.evaluate(side.cell);
      places[k].resize(to_size(per_face));
      normals[k].resize(to_size(per_face));
      for (int p = 0; p < per_face; ++p)
        for (int d = 0; d < dim(); ++d) {
          const auto at = to_size(d * all + side.face * per_face + p);
          places[k][to_size(p)][to_size(d)] = geometry.face_x[at];
          normals[k][to_size(p)][to_size(d)] = geometry.normals[at];
        }
    }
    const Point &start = places[0][0], shift = difference(places[1][0], start);
    double size = 0, off = 0, turned = 0;
    for (std::size_t p = 0; p < places[0].size(); ++p) {
      size = std::max(size, length_of(difference(places[0][p], start)));
      off = std::max(off, length_of(difference(difference(places[1][p], places[0][p]), shift)));
      turned = std::max(turned, length_of(difference(normals[0][p], difference({}, normals[1][p]))));
    }
    const auto where = [&] {
      return join("hdg: periodic face ", f, " around ", place_text(start, dim()), ", moved by ",
                  place_text(shift, dim()));
    };
    require(off <= 1e-6 * size, where, ", is ", off,
            " off its partner; both must be the same within 1e-6 of their size");
    require(turned <= 1e-3, where, ": the cells of both faces lie on the same side; opposite sides are needed");
  }
}

Table TraceSpace::tabulate_cell(int order) const { return tabulate(dim(), order, points_); }

void TraceSpace::number_traces() {
  const int per_cell = faces_per_cell();
  std::vector<Triplet<double>> pairs;
  pairs.reserve(to_size(Offset{num_cells()} * per_cell * per_cell));
  for (Index c = 0; c < num_cells(); ++c)
    for (int a = 0; a < per_cell; ++a)
      for (int b = 0; b < per_cell; ++b) pairs.push_back({face(c, a), face(c, b), 1.0});
  const Csr<double> graph = make_csr(num_faces(), num_faces(), pairs);
  const std::vector<Index> order = levels_from_coarse_boundary(*mesh_, topology_, graph);  // new to old
  trace_of_.resize(order.size());
  for (Index t = 0; t < num_faces(); ++t) trace_of_[to_size(order[to_size(t)])] = t;
  neighbours_.assign(to_size(Offset{num_faces()} * max_neighbours()), -1);
  for (Index f = 0; f < num_faces(); ++f) {
    Index* const to = neighbours_.data() + Offset{trace_of(f)} * max_neighbours();
    Index count = 0;
    for (Offset k = graph.row_begin(f); k < graph.row_begin(f + 1); ++k) to[count++] = trace_of(graph.cols.data()[k]);
    std::sort(to, to + count);
  }
}

// The first colour that no neighbour has.
void TraceSpace::colour_cells() {
  std::vector<int> colour(to_size(num_cells()), -1);
  for (Index c = 0; c < num_cells(); ++c) {
    unsigned taken = 0;
    for (int a = 0; a < faces_per_cell(); ++a)
      for (const FaceSide& side : topology_.face_sides[to_size(face(c, a))])
        if (side.exists() && colour[to_size(side.cell)] >= 0) taken |= 1u << colour[to_size(side.cell)];
    int mine = 0;
    while ((taken >> mine & 1u) != 0) ++mine;
    colour[to_size(c)] = mine;
    if (std::ssize(colours_) <= mine) colours_.emplace_back();
    colours_[to_size(mine)].push_back(c);
  }
}

}  // namespace millrace::hdg
