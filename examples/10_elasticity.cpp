// A cantilever of two layers, the lower one three times as stiff: held at the left, pulled down at the right. Forces
// balance, and beam theory says how far the end goes down. Name a folder for a file for ParaView and a picture.
#include <cmath>
#include <cstdio>

#include "millrace/fem.hpp"

using namespace millrace;

int main(int argc, char** argv) {
  const double length = 10, force = 5e-4, poisson = 0.3, young[2] = {3, 1};  // below, above
  Mesh mesh = make_box(Cell::quad, {40, 4, 1}, {{0, 0, 0}, {length, 1, 0}});
  CellBlock& cells = mesh.blocks[0];
  for (Index c = 0; c < cells.num_cells(); ++c)  // a mesh file has such groups already
    cells.tag.span()[c] = mesh.point(cells.nodes_of(c)[0])[1] < 0.5 ? 1 : 2;
  mesh.names.insert(mesh.names.end(), {{2, 1, "stiff"}, {2, 2, "soft"}});
  const Space space = make_space(mesh, 3, 2);  // two components

  const auto lambda = [&](double e) { return e * poisson / (1 - poisson * poisson); };  // plane stress
  const auto mu = [&](double e) { return e / (2 + 2 * poisson); };
  const fem::Elasticity<2, fem::ByGroup, fem::ByGroup> plate{{{1, lambda(young[0])}, {2, lambda(young[1])}},
                                                             {{1, mu(young[0])}, {2, mu(young[1])}}};
  const auto a = make_element_operator<double>(mesh, space, plate);
  Dirichlet held(mesh, space);
  held.set("x0", Point{0, 0, 0});
  const ConstrainedOperator<double> free_part(a, held.entries());

  Queue queue;
  std::vector<double> b(static_cast<std::size_t>(space.num_dofs()), 0.0), u(b.size(), 0.0), forces(b.size());
  add_boundary_load<double>(queue, make_boundary(mesh, space, "x1"), Point{0, -force, 0}, b);
  lift(queue, a, held, b);
  const SolveReport report = cg(queue, free_part, Jacobi<double>(queue, free_part), b, u, {.max_iterations = 5000});

  // The wall carries the whole force: A u is the sum of all forces at a node.
  a.apply(queue, {.x = u, .y = forces});
  double carried = 0;
  for (const Index entry : held.entries())
    if (entry >= space.num_nodes) carried += forces[static_cast<std::size_t>(entry)];  // upwards: the second component

  // Euler and Bernoulli's beam of two layers: F L^3 / (3 EI), EI about the axis that is not stretched.
  const double middle = (young[0] * 0.25 + young[1] * 0.75) / (young[0] + young[1]);
  double stiffness = 0;
  for (const int i : {0, 1}) stiffness += young[i] * (0.5 / 48 + 0.5 * std::pow(0.25 + 0.5 * i - middle, 2));
  const double expected = -force * std::pow(length, 3) / (3 * stiffness);
  const CellFinder finder(mesh);
  const auto moved = [&](const Point& x) {
    const std::vector<double> by = evaluate(queue, {mesh, space, u}, finder, std::vector{x}).values;
    return Point{x[0] + by[0], x[1] + by[1], 0};
  };
  const double end = moved({length, middle, 0})[1] - middle;
  std::printf("%d iterations, the end moves by %.4f (beam theory %.4f), the wall carries %.6e of %.6e\n",
              report.iterations, end, expected, carried, force);
  if (argc > 1) {
    write_vtu(std::string(argv[1]) + "/beam.vtu", sample(mesh, {{"displacement", &space, u, true}}));
    Mesh bent = mesh.clone();
    deform(bent, moved);
    write_picture(std::string(argv[1]) + "/beam.svg", patches_of(bent), groups_of(bent), {.width = 800});
  }
  return report.ok() && std::abs(carried - force) < 1e-6 * force && std::abs(end / expected - 1) < 0.02 ? 0 : 1;
}
