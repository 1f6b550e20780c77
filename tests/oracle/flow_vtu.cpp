// Writes .vtu files of flows whose solutions jump between curved cells, and what their fields are at random places of
// all cells: flow_vtu FOLDER.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <string>

#include "millrace/base/to_size.hpp"
#include "millrace/hdg/equations.hpp"
#include "millrace/hdg/fields.hpp"
#include "millrace/io/vtu.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"

using namespace millrace;

namespace {

/// The unit box, curved inside and on two sides.
Mesh bent_box(int dim, int geometry_order) {
  Mesh mesh = make_box(dim == 2 ? Cell::triangle : Cell::tet, {3, 2, 2}, {}, geometry_order);
  deform(mesh, [](const Point& x) {
    return Point{x[0] + 0.1 * std::sin(2 * x[1]), x[1] + 0.1 * x[0] * x[0] - 0.1 * x[2] * x[0], x[2] + 0.1 * x[1]};
  });
  check_jacobians(mesh);
  return mesh;
}

/// Places inside the reference triangle or tet.
std::vector<Point> random_places(int dim, int count) {
  std::mt19937 random(7);
  const auto part = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::vector<Point> places(to_size(count));
  for (Point& xi : places) {
    double left = 1;
    for (int d = 0; d < dim; ++d) left -= xi[to_size(d)] = left * part();
  }
  return places;
}

/// A line for every cell, place and field: where it is, the field's name and number of the component, its value. That
/// of the density is the polynomial itself; others are no polynomials, and have the interpolant of their samples.
template <class Physics>
void write_flow(const std::string& stem, const Physics& physics, int geometry_order, int order) {
  constexpr int dim = Physics::dim;
  const Mesh mesh = bent_box(dim, geometry_order);
  const hdg::PointFunction stream = [](const double* x, double* u) {
    u[0] = 1 + 0.1 * x[0];
    for (int d = 1; d <= dim; ++d) u[d] = 0.2 * d - 0.1 * x[1];
    u[dim + 1] = 4 + x[0] * x[1];
  };
  std::vector<hdg::BoundaryCondition> conditions;
  for (const char* name : {"x0", "x1", "y0", "y1", "z0", "z1"})
    if (std::ssize(conditions) < 2 * dim) conditions.push_back({name, "far-field", stream});
  const hdg::Problem problem{hdg::make_equation(physics), conditions, {}};
  const hdg::TraceSpace space(mesh, order);
  const hdg::LocalSolver solver(space, problem);
  hdg::State state = hdg::project(space, Physics::comps, stream);
  for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] += 0.01 * std::sin(static_cast<double>(5 * i));
  const CellSamples samples = hdg::sample(solver, state);
  write_vtu(stem + ".vtu", samples);

  const CellBlock& shape = mesh.only_block();
  const CellSamples::Block& block = samples.blocks.at(0);
  const std::vector<Point> places = random_places(dim, 5);
  const GeometryTable on_shape = tabulate_geometry(shape.cell, shape.order, places),
                      on_samples = tabulate_geometry(block.cell, block.order, places);
  const auto density = hdg::cell_function(solver, state, "density");
  std::ofstream file(stem + ".txt");
  file << mesh.num_cells() << '\n';
  for (Index cell = 0; cell < mesh.num_cells(); ++cell)
    for (int p = 0; p < std::ssize(places); ++p) {
      const Point &xi = places[to_size(p)], x = map_point(mesh, shape.nodes_of(cell), on_shape, p);
      for (const CellSamples::Field& field : samples.fields)
        for (int c = 0; c < field.comps; ++c) {
          double value = 0;
          for (int n = 0; n < on_samples.num_nodes; ++n)
            value += on_samples.values[to_size(p * on_samples.num_nodes + n)] *
                     field.values[to_size(block.nodes[to_size(cell * on_samples.num_nodes + n)] * field.comps + c)];
          if (field.name == "density") value = density(cell, xi);
          file << fmt::format("{} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {} {} {:.17g}\n", cell, xi[0], xi[1],
                              xi[2], x[0], x[1], x[2], field.name, c, value);
        }
    }
  require<IoError>(file.good(), stem, ".txt: cannot be written");
}

}  // namespace

int main(int argc, char** argv) try {
  require(argc == 2, "usage: flow_vtu FOLDER");
  const std::string folder = argv[1];
  for (const int order : {1, 3, 5}) write_flow(join(folder, "/euler_", order), hdg::Euler<2>{}, 3, order);
  for (const int order : {2, 3})
    write_flow(join(folder, "/navier_stokes_", order), hdg::NavierStokes<2>{.mach = 0.4, .reynolds = 50}, 4, order);
  for (const int order : {1, 3})
    write_flow(join(folder, "/in_space_", order), hdg::NavierStokes<3>{.mach = 0.4, .reynolds = 50}, 2, order);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "flow_vtu: %s\n", error.what());
  return 1;
}
