// Integrals, norms and errors on triangles beside quads, straight and curved, and a solution with Dirichlet and Neumann
// sides.
#include "fem/mixed_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/dirichlet.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/fields.hpp"
#include "millrace/fem/load.hpp"
#include "millrace/fem/norms.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"

namespace millrace::testing {
namespace {

double smooth(const Point& x) { return std::sin(2 * x[0] + x[1]); }
Point smooth_gradient(const Point& x) {
  const double slope = std::cos(2 * x[0] + x[1]);
  return {2 * slope, slope, 0};
}

/// The integral of x^3 y^2 over the unit square is 1/12, whichever cells it has; fields bring values and gradients.
TEST(MixedIntegrals, IntegralsOfPolynomials) {
  Queue queue;
  const IntegralOptions fine{.points = {.num = 10, .degree = 20}};
  for (const int geometry : {1, 2, 3}) {
    const Mesh mesh = geometry == 1 ? straight_mixed_box(4) : mixed_box(4, geometry);
    const auto f = [](const FieldPoint& p) { return std::pow(p.x[0], 3) * p.x[1] * p.x[1]; };
    EXPECT_NEAR(integrate(queue, mesh, f, fine), 1.0 / 12, 1e-14);
    const Space space = make_space(mesh, 2 * geometry, 2);
    const std::vector<double> u = interpolate(queue, space, [](const Point& x, std::span<double> value) {
      value[0] = x[0] * x[0];
      value[1] = x[0] * x[1];
    });
    const FieldView field(mesh, space, u);
    const auto densities = [](const FieldPoint& p, std::span<double> density) {
      density[0] = p.value[0] * p.value[1];      // x^3 y
      density[1] = p.grad(1, 1) * p.grad(0, 0);  // 2 x^2
      density[2] = p.normal[0] * p.grad(0, 0);   // 2 x, at x = 1
    };
    const std::vector<double> inside = integrate(queue, field, 3, densities, fine);
    EXPECT_NEAR(inside[0], 1.0 / 8, 1e-13);
    EXPECT_NEAR(inside[1], 2.0 / 3, 1e-13);
    EXPECT_EQ(inside[2], 0);
    const std::vector<double> around = integrate_boundary(queue, field, 3, densities);
    EXPECT_NEAR(around[0], 1.0 / 2 + 1.0 / 4, 1e-13);  // right and upper side
    EXPECT_NEAR(around[2], 2, 1e-12);
    EXPECT_NEAR(integrate_boundary(queue, field, 3, densities, {.groups = {"x1", "y1"}})[0], 3.0 / 4, 1e-13);
    EXPECT_NEAR(integrate_boundary(queue, mesh, f, {.groups = "y1"}), 1.0 / 4, 1e-13);
  }
}

TEST(MixedIntegrals, GroupsOfCells) {
  Queue queue;
  Mesh mesh = straight_mixed_box(4);
  for (CellBlock& block : mesh.blocks)  // below and above the middle, in both blocks
    for (Index c = 0; c < block.num_cells(); ++c) {
      const Point middle = place_of(mesh, {block.cell == Cell::triangle ? 0 : 1, c, {0.3, 0.3, 0}, 0});
      block.tag.data()[c] = middle[1] < 0.5 ? 7 : 9;
    }
  mesh.names.push_back({2, 9, "above"});
  const Space space = make_space(mesh, 2);
  const std::vector<double> u = interpolate(queue, space, [](const Point& x) { return x[0] * x[1]; });
  const FieldView field(mesh, space, u);
  const auto value = [](const FieldPoint& p) { return p.value[0]; };
  EXPECT_NEAR(integrate(queue, field, value, {.groups = "above"}), 3.0 / 16, 1e-14);
  EXPECT_NEAR(integrate(queue, field, value, {.groups = {7}}), 1.0 / 16, 1e-14);
  EXPECT_NEAR(integrate(queue, field, value, {.groups = {"above", 7}}), 1.0 / 4, 1e-14);
  EXPECT_NEAR(l2_norm(queue, field, {.groups = {7}}), std::sqrt(1.0 / 72), 1e-14);
  EXPECT_EQ(error_of([&] {
              integrate(queue, field, value, {.groups = {7, 8}});
            }),
            "integrate: no cell has the tag 8; groups of cells are: 7, 9 above");

  struct Layers {
    double operator()(const double* x) const { return x[1] < 0.5 ? 2 : 30; }
  };
  const auto by_group =
      make_element_sum<double>(mesh, space, fem::Diffusion<2, fem::ByGroup>{fem::ByGroup{{7, 2}, {9, 30}}});
  const auto by_place = make_element_sum<double>(mesh, space, fem::Diffusion<2, Layers>{});
  EXPECT_TRUE(same_bits<double>(product<double>(by_group, u), product<double>(by_place, u)));
}

/// The integral of div u over the cells is that of u . n over the boundary.
TEST(MixedIntegrals, TheoremOfGauss) {
  for (const int geometry : {1, 2, 4}) {
    const Mesh mesh = curved_mixed_box(4, geometry);
    const Space space = make_space(mesh, 3, 2);
    const std::vector<double> u = random_vector<double>(space.num_dofs(), 11);
    const FieldView field(mesh, space, u);
    double inside[3], through[3];
    for (const int threads : {1, 2, 3}) {
      Queue queue(Device::host(), threads);
      inside[threads - 1] = integrate(queue, field, [](const FieldPoint& p) { return p.grad(0, 0) + p.grad(1, 1); });
      through[threads - 1] = integrate_boundary(
          queue, field, [](const FieldPoint& p) { return p.value[0] * p.normal[0] + p.value[1] * p.normal[1]; });
    }
    EXPECT_NEAR(inside[0], through[0], 1e-12) << geometry;
    for (const int k : {1, 2}) {  // the same bits
      EXPECT_EQ(inside[0], inside[k]);
      EXPECT_EQ(through[0], through[k]);
    }
  }
}

TEST(MixedIntegrals, NormsAreThoseOfOperators) {
  Queue queue;
  const Mesh mesh = curved_mixed_box(4, 2);
  const Space space = make_space(mesh, 3);
  const std::vector<double> u = random_vector<double>(space.num_dofs(), 2);
  const FieldView field(mesh, space, u);
  const double l2 = l2_norm(queue, field), h1 = h1_seminorm(queue, field);
  EXPECT_NEAR(l2, energy_norm(queue, make_element_sum<double>(mesh, space, fem::Mass<2>{}, fine_rules(3)), u),
              1e-12 * l2);
  EXPECT_NEAR(h1, energy_norm(queue, make_element_sum<double>(mesh, space, fem::Diffusion<2>{}, fine_rules(3)), u),
              1e-12 * h1);
}

const VectorFunction smooth_slopes = [](const Point& x, std::span<double> g) {
  std::copy_n(smooth_gradient(x).begin(), 2, g.begin());
};

TEST(MixedIntegrals, OrdersOfInterpolation) {
  Queue queue;
  for (const bool curved : {false, true})
    for (const int order : {1, 2, 3, 4}) {
      double l2[2] = {}, h1[2] = {};
      for (const int fine : {0, 1}) {
        const Mesh mesh = curved ? mixed_box(fine == 0 ? 4 : 8, order, 0.04) : straight_mixed_box(fine == 0 ? 4 : 8);
        const Space space = make_space(mesh, order);
        const std::vector<double> u = interpolate(queue, space, smooth);
        l2[fine] = l2_error(queue, {mesh, space, u}, smooth);
        h1[fine] = h1_seminorm_error(queue, {mesh, space, u}, smooth_slopes);
      }
      EXPECT_GT(std::log2(l2[0] / l2[1]), order + 0.7) << order << ": " << l2[0] << ' ' << l2[1];
      EXPECT_GT(std::log2(h1[0] / h1[1]), order - 0.3) << order << ": " << h1[0] << ' ' << h1[1];
    }
}

/// -div grad u = 5 u with u given on the left, where triangles are, and on the right; du/dn below and above.
double poisson_with_sides(const Mesh& mesh, int order) {
  Queue queue;
  const Space space = make_space(mesh, order);
  const ElementOptions rules = fine_rules(order);
  const auto a = make_element_sum<double>(mesh, space, fem::Diffusion<2>{}, rules);
  std::vector<double> b(to_size(space.num_dofs())), u(b.size());
  add_load<double>(queue, mesh, space, [](const Point& x) { return 5 * smooth(x); }, b, {.points = rules.points});
  add_boundary_load<double>(
      queue, make_boundary(mesh, space, {"y0", "y1"}),
      [](const Point& x, const Point& normal) {
        const Point g = smooth_gradient(x);
        return g[0] * normal[0] + g[1] * normal[1];
      },
      b);
  Dirichlet given(mesh, space);
  given.set({"x0", "x1"}, smooth);
  lift<double>(queue, a, given, b);
  const ConstrainedOperator<double> free_part(a, given.entries());
  const Jacobi<double> jacobi(queue, free_part);
  EXPECT_LT(cg(queue, free_part, jacobi, b, u, {.tolerance = 1e-13, .max_iterations = 5000}).relative, 1e-11);
  return l2_error(queue, {mesh, space, u}, smooth);
}

TEST(MixedIntegrals, PoissonWithDirichletAndNeumannSides) {
  for (const bool curved : {false, true})
    for (const int order : {1, 2, 3, 4}) {
      const auto error = [&](int n) {
        return poisson_with_sides(curved ? curved_mixed_box(n, order) : straight_mixed_box(n), order);
      };
      const double coarse = error(4), fine = error(8);
      EXPECT_GT(std::log2(coarse / fine), order + 0.6) << order << ": " << coarse << ' ' << fine;
    }
}

}  // namespace
}  // namespace millrace::testing
