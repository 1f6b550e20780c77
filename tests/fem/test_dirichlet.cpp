// Given values: which unknowns they hold, who wins where two meet, lifting against the eliminated matrix, rollers.
#include "millrace/fem/dirichlet.hpp"

#include "fem/forms_tools.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/sum_operator.hpp"

namespace millrace::testing {
namespace {

double value_at(const Dirichlet& g, Index entry) {
  const auto at = std::lower_bound(g.entries().begin(), g.entries().end(), entry);
  EXPECT_TRUE(at != g.entries().end() && *at == entry) << entry;
  return g.values()[static_cast<std::size_t>(at - g.entries().begin())];
}

TEST(DirichletValues, TheLaterOneHolds) {
  const Mesh mesh = make_box(Cell::quad, {3, 3, 1});
  const Space space = make_space(mesh, 2, 2);
  Dirichlet g(mesh, space);
  g.set("x0", 1.0).set({"y0", "y1"}, [](const Point& x) { return Point{10 + x[0], -x[1], 0}; });
  EXPECT_TRUE(std::is_sorted(g.entries().begin(), g.entries().end()));
  EXPECT_EQ(g.entries().size(), 2u * (7 + 7 + 7 - 2));
  for (Index n = 0; n < space.num_nodes; ++n) {
    const double *x = space.place(n), low = 1e-12;
    if (x[1] < low || x[1] > 1 - low) {
      EXPECT_EQ(value_at(g, n), 10 + x[0]);
      EXPECT_EQ(value_at(g, n + space.num_nodes), -x[1]);
    } else if (x[0] < low) {
      EXPECT_EQ(value_at(g, n), 1);
    }
  }
  g.set("x0", 7.0, {1});  // one component, over what was there
  for (Index n = 0; n < space.num_nodes; ++n)
    if (space.place(n)[0] < 1e-12) {
      EXPECT_EQ(value_at(g, n + space.num_nodes), 7);
      EXPECT_NE(value_at(g, n), 7);
    }
}

TEST(DirichletValues, ComponentsAndNodes) {
  const Mesh mesh = make_box(Cell::tet, {2, 2, 2});
  const Space space = make_space(mesh, 1, 3);
  Dirichlet g(mesh, space);
  EXPECT_TRUE(g.entries().empty() && g.whole_nodes().empty());
  g.set("z0", 0.0, {2}).set(1, [](const Point& x) { return std::array<double, 2>{x[1], x[2]}; }, {0, 2});
  EXPECT_EQ(g.entries().size(), 9u + 2 * 9 - 3);
  EXPECT_TRUE(g.whole_nodes().empty());
  const std::vector<Index> some{4, 2, 4};
  g.set_nodes(some, Point{1, 2, 3});
  EXPECT_EQ(g.whole_nodes(), (std::vector<Index>{2, 4}));
  EXPECT_EQ(value_at(g, 4 + 2 * space.num_nodes), 3);
  Dirichlet all(mesh, space);
  all.set_boundary(0.0);
  EXPECT_EQ(all.whole_nodes(), space.all_boundary_nodes);
}

TEST(DirichletValues, Errors) {
  const Mesh mesh = make_box(Cell::hex, {1, 1, 1});
  const Space space = make_space(mesh, 1, 3);
  Dirichlet g(mesh, space);
  EXPECT_EQ(error_of([&] { g.set("x0", Point{}, {0}); }),
            "dirichlet: the values have 2 or 3 components, and 1 are held; as many or 1 are accepted");
  EXPECT_EQ(error_of([&] {
              g.set("x0", 0.0, {0, 3});
            }),
            "dirichlet: component 3 was given at place 1; components ascend, and the space has 0 to 2");
  EXPECT_NE(error_of([&] { g.set("x0", 0.0, {1, 0}); }).find("component 0 was given at place 1"), std::string::npos);
  EXPECT_EQ(error_of([&] { g.set({}, 0.0); }),
            "dirichlet: no group was named; for all of the boundary there is set_boundary");
  EXPECT_EQ(error_of([&] { g.set(12, 0.0); }),
            "boundary nodes: no boundary face has the tag 12; there are: 1 2 3 4 5 6");
  EXPECT_NE(error_of([&] { g.set("x0", [](const Point&, const Point& n) { return n; }); }).find("asks for a normal"),
            std::string::npos);
  const std::vector<Index> outside{8};
  EXPECT_EQ(error_of([&] { g.set_nodes(outside, 0.0); }), "dirichlet: node 8 was given; the nodes are 0 to 7");
}

/// The lifted system, matrix-free and assembled, is the one whose solution has the given values.
TEST(DirichletValues, LiftingAndElimination) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = curved_box(cell, 2, 2);
    const Space space = make_space(mesh, 2);
    const int d = dim(cell);
    const auto a = d == 2 ? make_element_operator<double>(mesh, space, fem::Helmholtz<2>{})
                          : make_element_operator<double>(mesh, space, fem::Helmholtz<3>{});
    const BoundaryOperator<double> robin(make_boundary(mesh, space, "x1"), 2.0);
    const SumOperator<double> sum(a, robin);
    Dirichlet g(mesh, space);
    g.set({"x0", "y0"}, [](const Point& x) { return 1 + x[0] - 2 * x[1]; });
    Queue queue;
    const auto u = random_vector<double>(space.num_dofs(), 9);
    auto full = u;  // u with the given values
    for (std::size_t k = 0; k < g.entries().size(); ++k) full[static_cast<std::size_t>(g.entries()[k])] = g.values()[k];
    std::vector<double> b = product(sum, full);
    lift(queue, sum, g, b);
    const ConstrainedOperator<double> constrained(sum, g.entries());
    const auto left = product(constrained, full);
    const Csr<double> k = a.assemble(queue), r = robin.assemble(queue);
    const double bound = rounding(a, 4 * (max_row(k) + max_row(r)));
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(left[i], b[i], bound) << name(cell) << ' ' << i;
    for (std::size_t e = 0; e < g.entries().size(); ++e)
      EXPECT_EQ(b[static_cast<std::size_t>(g.entries()[e])], g.values()[e]);

    const Csr<double> small = eliminate(k, g.entries());
    const ConstrainedOperator<double> alone(a, g.entries());
    const auto stored = product(SparseMatrix<double>(small.clone()), u), free = product(alone, u);
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(stored[i], free[i], bound) << name(cell) << ' ' << i;
    EXPECT_TRUE(same_bits<double>(small.vals.span(), transpose(small).vals.span()));
    for (const Index e : g.entries()) {
      EXPECT_EQ(small.row_length(e), 1);
      EXPECT_EQ(small.cols.data()[small.row_begin(e)], e);
      EXPECT_EQ(small.vals.data()[small.row_begin(e)], 1);
    }
    // the same as nodes constrained inside of the operator
    const auto inside =
        d == 2 ? make_element_operator<double>(mesh, space, fem::Helmholtz<2>{}, {.constrained = g.whole_nodes()})
               : make_element_operator<double>(mesh, space, fem::Helmholtz<3>{}, {.constrained = g.whole_nodes()});
    const auto there = product(inside, u);
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(there[i], free[i], bound);
  }
}

/// A bar that is pulled at x1 and slides on rollers at x0, y0 (and z0): its stress is the same everywhere.
template <int D>
void expect_uniaxial_stress(Cell cell, int order) {
  const Mesh mesh = warped_box(cell, 2, 1);
  const Space space = make_space(mesh, order, D);
  const double lambda = 1.5, mu = 0.8, pull = 0.3;
  const auto a = make_element_operator<double>(mesh, space, fem::Elasticity<D>{{lambda}, {mu}});
  Queue queue;
  Dirichlet rollers(mesh, space);
  rollers.set("x0", 0.0, {0}).set("y0", 0.0, {1});
  if (D == 3) rollers.set("z0", 0.0, {2});
  std::vector<double> b = zeros_of(space), u(b.size(), 0.0);
  add_boundary_load<double>(
      queue, make_boundary(mesh, space, "x1"),
      [&](const Point&, const Point& n) {
        return Point{pull * n[0], pull * n[1], pull * n[2]};
      },
      b);
  lift(queue, a, rollers, b);
  const ConstrainedOperator<double> k(a, rollers.entries());
  const SolveReport report = cg(queue, k, Jacobi<double>(queue, k), b, u, {.tolerance = 1e-13});
  EXPECT_TRUE(report.ok()) << report.reason;
  // in the plane strain is zero across it: the length and width of a slab
  const double along =
      D == 2 ? (lambda + 2 * mu) / (4 * mu * (lambda + mu)) : (lambda + mu) / (mu * (3 * lambda + 2 * mu));
  const double across = D == 2 ? -lambda / (4 * mu * (lambda + mu)) : -lambda / (2 * mu * (3 * lambda + 2 * mu));
  const auto exact =
      values_at_nodes<double>(space, [&](const double* x, int c) { return pull * x[c] * (c == 0 ? along : across); });
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], exact[i], 1e-11) << name(cell) << ' ' << i;
}

TEST(DirichletValues, RollersOfABar) {
  expect_uniaxial_stress<2>(Cell::triangle, 2);
  expect_uniaxial_stress<2>(Cell::quad, 1);
  expect_uniaxial_stress<3>(Cell::tet, 1);
  expect_uniaxial_stress<3>(Cell::hex, 2);
}

}  // namespace
}  // namespace millrace::testing
