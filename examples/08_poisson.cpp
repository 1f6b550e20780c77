// -div grad u = f in a cube, on hexes and on tets: u is given at two sides, its normal derivative at the other four.
// One source for CPU and GPU. The exact solution is known, and the error must fall by 2^4 when cells of order 3
// are halved. Name a folder for a file and a picture.
#include <cmath>
#include <cstdio>

#include "millrace/fem.hpp"

using namespace millrace;

static const double pi = std::acos(-1.0);
static double exact(const Point& x) { return std::sin(pi * x[0]) * std::cos(pi * x[1]) + x[2]; }
static double source(const Point& x) { return 2 * pi * pi * std::sin(pi * x[0]) * std::cos(pi * x[1]); }
static double outflow(const Point& x, const Point& normal) {
  const Point slope{pi * std::cos(pi * x[0]) * std::cos(pi * x[1]), -pi * std::sin(pi * x[0]) * std::sin(pi * x[1]), 1};
  return slope[0] * normal[0] + slope[1] * normal[1] + slope[2] * normal[2];
}

/// The error in L2 with n x n x n hexes, or six times as many tets.
static double solve(Device device, Cell cell, int n, const char* folder) {
  const Mesh mesh = make_box(cell, {n, n, n});  // sides are the groups x0, x1, y0, y1, z0, z1
  const Space space = make_space(mesh, 3);
  Queue host, queue(device);
  Dirichlet given(mesh, space);
  given.set({"y0", "y1"}, exact);
  const auto a = make_element_operator<double>(mesh, space, fem::Diffusion<3>{}).to(device);
  const ConstrainedOperator<double> free_part(a, given.entries());
  const Jacobi<double> jacobi(queue, free_part);

  Array<double> b = Array<double>(space.num_dofs(), 0.0).to(device), u = b.clone();
  add_load<double>(queue, mesh, space, source, b);
  add_boundary_load<double>(queue, make_boundary(mesh, space, {"x0", "x1", "z0", "z1"}), outflow, b);
  lift(queue, a, given, b);
  const SolveReport report = cg(queue, free_part, jacobi, b, u, {.tolerance = 1e-10});

  const std::vector<double> values = u.to_vector();
  const double error = l2_error(host, {mesh, space, values}, exact);
  std::printf("%s on %s: %d unknowns, %d iterations, error %.2e\n", mesh.description().c_str(),
              to_string(device).c_str(), space.num_nodes, report.iterations, error);
  if (folder && cell == Cell::tet) {
    write_vtu(std::string(folder) + "/poisson.vtu", sample(mesh, {{.name = "u", .space = &space, .values = values}}));
    const PlaneFigure slice = cut(mesh, make_plane({0.5, 0.5, 0.4}, {0, 0, 1}));
    write_picture(std::string(folder) + "/poisson.svg", slice, cell_function(space, values),
                  {.width = 320, .num_contours = 9});
  }
  return report.ok() ? error : INFINITY;
}

int main(int argc, char** argv) {
  const Device device = num_gpus() > 0 ? Device::gpu() : Device::host();
  bool right = true;
  for (const Cell cell : {Cell::hex, Cell::tet}) {
    const double coarse = solve(device, cell, 3, nullptr), fine = solve(device, cell, 6, argc > 1 ? argv[1] : nullptr);
    std::printf("order of convergence %.2f\n", std::log2(coarse / fine));
    right = right && fine < 1e-3 && std::log2(coarse / fine) > 3.7;
  }
  return right ? 0 : 1;
}
