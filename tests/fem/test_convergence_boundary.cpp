// Orders of convergence with every kind of boundary condition at once: given values, Neumann and Robin, on straight and
// curved meshes of all four shapes. The error in L2 falls as h^(p + 1).
#include "fem/forms_tools.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/dirichlet.hpp"
#include "millrace/fem/load.hpp"
#include "millrace/fem/norms.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/sum_operator.hpp"

namespace millrace::testing {
namespace {

/// u = sin(1.3 x + 0.4) cos(0.9 y) exp(0.5 z), its gradient, and f = -div grad u.
struct Wave {
  int dim;
  double value(const Point& x) const {
    return std::sin(1.3 * x[0] + 0.4) * std::cos(0.9 * x[1]) * (dim == 3 ? std::exp(0.5 * x[2]) : 1.0);
  }
  double source(const Point& x) const { return (1.3 * 1.3 + 0.9 * 0.9 - (dim == 3 ? 0.25 : 0.0)) * value(x); }
  double slope(const Point& x, const Point& n) const {
    const double e = dim == 3 ? std::exp(0.5 * x[2]) : 1.0;
    return n[0] * 1.3 * std::cos(1.3 * x[0] + 0.4) * std::cos(0.9 * x[1]) * e -
           n[1] * 0.9 * std::sin(1.3 * x[0] + 0.4) * std::sin(0.9 * x[1]) * e + n[2] * 0.5 * value(x);
  }
};

/// Values at x0 (and z0), Robin at x1 with a coefficient that varies, Neumann elsewhere.
template <int D>
double error_with_all_conditions(Cell cell, int order, int n, double amount) {
  const Wave wave{D};
  const Mesh mesh = curved_box(cell, n, amount == 0 ? 1 : std::max(order, 2), amount);
  const Space space = make_space(mesh, order);
  Queue queue;
  std::vector<double> b = zeros_of(space), u(b.size(), 0.0);
  const auto stiffness = make_element_operator<double>(mesh, space, fem::Diffusion<D>{});
  const auto alpha = [](const Point& x) { return 1 + x[1]; };
  const Boundary end = make_boundary(mesh, space, "x1");
  const BoundaryOperator<double> robin(end, alpha);
  const SumOperator<double> a(stiffness, robin);
  add_load<double>(
      queue, mesh, space, [&](const Point& x) { return wave.source(x); }, b);
  const auto slope = [&](const Point& x, const Point& normal) { return wave.slope(x, normal); };
  add_boundary_load<double>(queue, make_boundary(mesh, space, D == 2 ? Groups{"y0", "y1"} : Groups{"y0", "y1", "z1"}),
                            slope, b);
  add_boundary_load<double>(
      queue, end, [&](const Point& x, const Point& normal) { return slope(x, normal) + alpha(x) * wave.value(x); }, b);
  Dirichlet values(mesh, space);
  values.set(D == 2 ? Groups{"x0"} : Groups{"x0", "z0"}, [&](const Point& x) { return wave.value(x); });
  lift(queue, a, values, b);
  const ConstrainedOperator<double> free(a, values.entries());
  const SolveReport report = cg(queue, free, Jacobi<double>(queue, free), b, u, {.tolerance = 1e-12});
  EXPECT_TRUE(report.ok()) << report.reason;
  return l2_error(queue, {mesh, space, u}, [&](const Point& x) { return wave.value(x); });
}

template <int D>
void expect_order_with_all_conditions(Cell cell, int order, int coarse, int fine) {
  for (const double amount : {0.0, 0.1}) {
    const double first = error_with_all_conditions<D>(cell, order, coarse, amount),
                 second = error_with_all_conditions<D>(cell, order, fine, amount);
    const double slope = std::log(first / second) / std::log(static_cast<double>(fine) / coarse);
    EXPECT_GT(slope, order + 0.9) << name(cell) << " order " << order << ", bent by " << amount << ": errors " << first
                                  << " and " << second;
  }
}

TEST(ConvergenceWithBoundaries, InThePlane) {
  for (const Cell cell : {Cell::triangle, Cell::quad}) {
    expect_order_with_all_conditions<2>(cell, 1, 8, 16);
    expect_order_with_all_conditions<2>(cell, 2, 5, 10);
    expect_order_with_all_conditions<2>(cell, 3, 4, 8);
  }
}

TEST(ConvergenceWithBoundaries, InSpace) {
  for (const Cell cell : {Cell::tet, Cell::hex}) {
    expect_order_with_all_conditions<3>(cell, 1, 5, 10);
    expect_order_with_all_conditions<3>(cell, 2, 3, 6);
    expect_order_with_all_conditions<3>(cell, 3, 2, 4);
  }
}

}  // namespace
}  // namespace millrace::testing
