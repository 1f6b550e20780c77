// A physics of one's own, written once in physical coordinates: reaction and anisotropic diffusion with a coefficient
// that varies in space. The library applies it without a matrix, at any order, on any mesh; CG solves.
#include <cmath>
#include <cstdio>

#include "millrace/fem/element_operator.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/identity.hpp"

using namespace millrace;

// (k grad u, grad v) + (u, v) with k = diag(1, 1, 10) (1 + x): what multiplies v and grad v at a point.
struct Layers {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    const T k = T(1) + x[0];
    v[0] = u[0];
    flux[0][0] = k * grad[0][0];
    flux[0][1] = k * grad[0][1];
    flux[0][2] = T(10) * k * grad[0][2];
  }
};

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
