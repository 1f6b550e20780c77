// Orders of convergence: the error in L2 of a diffusion problem on deformed meshes falls as h^(p + 1).
#include "fem/fem_tools.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"

namespace millrace::testing {
namespace {

double exact(const double* x, int dim) {
  return std::sin(M_PI * x[0]) * std::sin(M_PI * x[1]) * (dim == 3 ? std::sin(M_PI * x[2]) : 1.0);
}

/// f = -div grad u for that u, as a load: (f, v) has the form of a physics that reads nothing of u.
template <int D>
struct Load {
  static constexpr int dim = D, comps = 1;
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[unsigned(D)], T* v, T (*)[unsigned(D)]) const {
    v[0] = static_cast<T>(D * M_PI * M_PI * exact(x, D)) * u[0];
  }
};

/// The square of the error, with v = (u_h - u)^2 collected by a physics that is applied to ones.
template <int D>
struct Difference {
  static constexpr int dim = D, comps = 2;  // u_h, and ones to test with
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[unsigned(D)], T* v, T (*)[unsigned(D)]) const {
    const T error = u[0] - static_cast<T>(exact(x, D));
    v[1] = error * error;
  }
};

template <int D>
double error_of_solution(Cell cell, int order, int n, double amount) {
  const Mesh mesh = warped_box(cell, n, std::min(order, 4), amount);
  const Space space = make_space(mesh, order);
  const ElementOptions fine{.points = is_tensor(cell) ? Points{.num = order + 3} : Points{.degree = 2 * order + 4}};
  ElementOptions dirichlet = fine;
  dirichlet.constrained = space.all_boundary_nodes;
  const auto k = make_element_operator<double>(mesh, space, fem::Diffusion<D>{}, dirichlet);
  const auto load = make_element_operator<double>(mesh, space, fem::Pointwise<Load<D>>{}, fine);
  std::vector<double> b = product(load, std::vector<double>(static_cast<std::size_t>(space.num_nodes), 1.0));
  for (const Index node : space.all_boundary_nodes) b[static_cast<std::size_t>(node)] = 0;
  std::vector<double> u(b.size(), 0.0);
  Queue queue;
  const Jacobi<double> jacobi(queue, k.assemble(queue));
  const SolveReport report = cg(queue, k, jacobi, b, u, {.tolerance = 1e-13, .max_iterations = 5000});
  EXPECT_LT(report.relative, 1e-11) << report.reason;

  const Space pair = make_space(mesh, order, 2);
  const auto difference = make_element_operator<double>(mesh, pair, fem::Pointwise<Difference<D>>{}, fine);
  u.resize(2 * b.size(), 1.0);
  const auto square = product(difference, u);
  double sum = 0;
  for (std::size_t i = b.size(); i < square.size(); ++i) sum += square[i];
  return std::sqrt(sum);
}

struct Case {
  Cell cell;
  int order, coarse, fine;
};

/// The slope between two meshes; half an order short of theory is allowed, for these meshes are coarse.
template <int D>
void expect_order(const Case& c) {
  const double coarse = error_of_solution<D>(c.cell, c.order, c.coarse, 0.05);
  const double fine = error_of_solution<D>(c.cell, c.order, c.fine, 0.05);
  const double slope = std::log(coarse / fine) / std::log(static_cast<double>(c.fine) / c.coarse);
  EXPECT_GT(slope, c.order + 0.5) << name(c.cell) << " order " << c.order << ": errors " << coarse << " and " << fine;
}

TEST(Convergence, InThePlane) {
  for (const Cell cell : {Cell::triangle, Cell::quad}) {
    expect_order<2>({cell, 1, 12, 24});
    expect_order<2>({cell, 2, 8, 16});
    expect_order<2>({cell, 3, 6, 12});
    expect_order<2>({cell, 4, 4, 8});
    expect_order<2>({cell, 5, 3, 6});
    expect_order<2>({cell, 6, 2, 4});
    expect_order<2>({cell, 7, 3, 5});
    expect_order<2>({cell, 8, 2, 3});
  }
}

TEST(Convergence, InSpaceOnHexes) {
  expect_order<3>({Cell::hex, 1, 8, 16});
  expect_order<3>({Cell::hex, 2, 4, 8});
  expect_order<3>({Cell::hex, 3, 3, 6});
  expect_order<3>({Cell::hex, 4, 3, 5});
  expect_order<3>({Cell::hex, 5, 2, 4});
  expect_order<3>({Cell::hex, 6, 2, 3});
}

TEST(Convergence, InSpaceOnTets) {
  expect_order<3>({Cell::tet, 1, 6, 12});
  expect_order<3>({Cell::tet, 2, 4, 8});
  expect_order<3>({Cell::tet, 3, 3, 5});
  expect_order<3>({Cell::tet, 4, 2, 4});
  expect_order<3>({Cell::tet, 5, 2, 3});
}

}  // namespace
}  // namespace millrace::testing
