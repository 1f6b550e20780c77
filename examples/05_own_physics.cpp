// A physics of one's own (05_layers.hpp), written once in physical coordinates. The library applies it without a
// matrix, at any order, on any mesh; CG solves. The same physics on a GPU: 05_own_physics_on_a_gpu.cu.
#include <cmath>
#include <cstdio>

#include "05_layers.hpp"
#include "millrace/fem/element_operator.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/identity.hpp"

using namespace millrace;

int main() {
  Mesh mesh = make_box(Cell::hex, {6, 6, 6}, {}, 2);
  deform(mesh, [](const Point& x) { return Point{x[0], x[1], x[2] + 0.1 * std::sin(3 * x[0])}; });
  const Space space = make_space(mesh, 4);
  const auto a =
      make_element_operator<double>(mesh, space, fem::Pointwise<Layers>{}, {.constrained = space.all_boundary_nodes});

  // A right-hand side whose solution is known: b = A u for u = 1 at all nodes.
  std::vector<double> ones(static_cast<std::size_t>(space.num_nodes), 1.0), b(ones.size()), u(ones.size(), 0.0);
  Queue queue;
  a.apply(queue, {.x = ones, .y = b});
  const SolveReport report = cg<double>(queue, a, Identity<double>(a), b, u, {.tolerance = 1e-10});

  double error = 0;
  for (const double value : u) error = std::max(error, std::abs(value - 1));
  std::printf("%d unknowns, %d iterations, error %.1e\n", space.num_nodes, report.iterations, error);
  return report.ok() && error < 1e-6 ? 0 : 1;
}
