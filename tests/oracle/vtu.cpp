// Writes .vtu files whose content vtu.py knows by formulas: vtu FOLDER.
#include <array>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>

#include "millrace/base/to_size.hpp"
#include "millrace/fem/sample.hpp"
#include "millrace/io/pvd.hpp"
#include "millrace/io/vtu.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"

using namespace millrace;

namespace {

constexpr Cell cells[] = {Cell::triangle, Cell::quad, Cell::tet, Cell::hex};

/// A shear of degree g that keeps volumes; none for g = 1.
double bend(double t, int g) { return g == 1 ? 0 : 0.3 * (g == 2 ? t * t : t * t * t); }
Point move(const Point& x, int g) { return {x[0] + bend(x[1], g) - bend(x[2], g), x[1] + bend(x[2], g), x[2]}; }
Point move_back(const double* x, int dim, int g) {
  const double z = dim == 3 ? x[2] : 0, y = x[1] - bend(z, g);
  return {x[0] - bend(y, g) + bend(z, g), y, z};
}

double polynomial(const Point& x, int p) {
  double power = 1;
  for (int k = 0; k < p; ++k) power *= 0.2 + 0.7 * x[0] - 0.5 * x[1] + 0.3 * x[2];
  return power + x[1];
}

/// A node of the lattice after a turn of the cell that keeps its volume positive.
Lattice turned(Cell cell, int order, Lattice at, Index turn) {
  for (Index t = 0; t < turn; ++t) {
    const auto [i, j, k] = at;
    if (cell == Cell::triangle)
      at = {j, order - i - j, 0};
    else if (cell == Cell::quad)
      at = {order - j, i, 0};
    else if (cell == Cell::tet)  // by turns about two of its corners
      at = t % 2 == 0 ? Lattice{j, k, i} : Lattice{order - i - j - k, i, k};
    else  // by turns about two of its axes
      at = t % 2 == 0 ? Lattice{order - j, i, k} : Lattice{i, order - k, j};
  }
  return at;
}

/// The unit box with each cell turned another way, then bent.
Mesh make_mesh(Cell cell, int g) {
  Mesh mesh = make_box(cell, {2, 2, 2}, {}, g);
  CellBlock& block = mesh.blocks.at(0);
  for (Index c = 0; c < block.num_cells(); ++c) {
    const auto nodes = block.nodes_of(c);
    const std::vector<Index> old(nodes.begin(), nodes.end());
    for (const Lattice& at : lattice(cell, g))
      nodes[to_size(lattice_index(cell, g, at))] = old[to_size(lattice_index(cell, g, turned(cell, g, at, c)))];
    block.tag.data()[c] = 100 + c;
  }
  deform(mesh, [&](const Point& x) { return move(x, g); });
  check_jacobians(mesh);
  return mesh;
}

void write_spaces(const std::string& folder) {
  for (const Cell cell : cells)
    for (int g = 1; g <= 3; ++g)
      for (int p = 1; p <= 4; ++p) {
        const Mesh mesh = make_mesh(cell, g);
        const Space scalar = make_space(mesh, p), vector = make_space(mesh, 1, mesh.dim);
        std::vector<double> u(to_size(scalar.num_dofs())), v(to_size(vector.num_dofs()));
        for (Index n = 0; n < scalar.num_nodes; ++n)
          u[to_size(n)] = polynomial(move_back(scalar.place(n), mesh.dim, g), p);
        for (Index n = 0; n < vector.num_nodes; ++n) {
          const Point x = move_back(vector.place(n), mesh.dim, g);
          for (int d = 0; d < mesh.dim; ++d)
            v[to_size(vector.entry(n, d))] = (d + 1) * x[to_size(d)];
        }
        const CellSamples samples = sample(mesh, {{"u", &scalar, u}, {"v", &vector, v, true}});
        const std::string stem = join(folder, "/", name(cell), "_g", g, "_p", p);
        write_vtu(stem + ".vtu", samples);
        write_vtu(stem + "_linear.vtu", samples, {.linear_pieces = true});
      }
}

/// One straight cell of each kind and order, its nodes in their own order.
void write_single_cells(const std::string& folder) {
  for (const Cell cell : {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
    for (int order = 1; order <= 10; ++order) {
      std::vector<double> points, u;
      std::vector<Index> nodes;
      for (const Point& x : lattice_points(cell, order)) {
        nodes.push_back(static_cast<Index>(u.size()));
        points.insert(points.end(), x.begin(), x.end());
        u.push_back(polynomial(x, order));
      }
      write_vtu(join(folder, "/one_", name(cell), "_", order, ".vtu"),
                {.points = points, .blocks = {{cell, order, nodes}}, .point_fields = {{"u", 1, u}}});
    }
}

/// Cells of two kinds and orders, all types of numbers, an odd name; nothing; a series in time.
void write_others(const std::string& folder) {
  std::vector<double> points{-1, 0, 0, 0, -1, 1};
  const std::vector<Index> triangle{0, 1, 2};
  std::vector<Index> quad;
  for (const Point& x : lattice_points(Cell::quad, 3)) {
    quad.push_back(static_cast<Index>(points.size() / 2));
    points.insert(points.end(), {x[0], x[1]});
  }
  const std::size_t num_points = points.size() / 2;
  std::vector<float> single(num_points);
  std::vector<double> holes(num_points, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::int32_t> whole(3 * num_points);
  for (std::size_t n = 0; n < num_points; ++n) single[n] = 0.5f * static_cast<float>(n);
  for (std::size_t n = 0; n < whole.size(); ++n) whole[n] = static_cast<std::int32_t>(n) - 5;
  const std::vector<double> by_cell{2.5, -1};
  write_vtu(folder + "/mixed.vtu", {.dim = 2,
                                    .points = points,
                                    .blocks = {{Cell::triangle, 1, triangle}, {Cell::quad, 3, quad}},
                                    .point_fields = {{"<\"a\" & 'b'> \xc3\xa9", 1, std::span<const float>(single)},
                                                     {"holes", 1, holes},
                                                     {"whole", 3, std::span<const std::int32_t>(whole)}},
                                    .cell_fields = {{"by cell", 1, by_cell}}});
  write_vtu(folder + "/nothing.vtu", VtuData{});
  PvdSeries series(folder + "/series.pvd");
  series.add(0, folder + "/mixed.vtu");
  series.add(0.1, folder + "/one_hex_2.vtu");
}

}  // namespace

int main(int argc, char** argv) try {
  require(argc == 2, "usage: vtu FOLDER");
  write_spaces(argv[1]);
  write_single_cells(argv[1]);
  write_others(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "vtu: %s\n", error.what());
  return 1;
}
