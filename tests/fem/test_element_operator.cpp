// The promises of an element operator: it is its matrix, symmetric, exact on polynomials, and serves every request.
#include "fem/fem_tools.hpp"
#include "millrace/fem/element/reference.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace::testing {
namespace {

int highest_order(Cell cell) { return is_tensor(cell) ? 8 : dim(cell) == 2 ? 8 : 6; }
int cells_per_side(Cell cell, int order) { return dim(cell) == 2 || order <= 3 ? 2 : 1; }

/// Matrix-free, fused and plain, equals assembled, on random numbers.
template <class T>
void expect_equals_matrix(const ElementOperator<T>& a, const std::string& what) {
  Queue queue;
  const Csr<T> matrix = a.assemble(queue);
  if (a.physics().symmetric) {
    EXPECT_EQ(asymmetry(matrix), 0) << what;
  }
  const auto x = random_vector<T>(a.shape().cols, 7);
  const std::vector<T> y = product(a, x);
  const double bound = rounding(a, max_row(matrix));
  std::vector<T> diagonal(x.size()), plain(x.size());
  apply_unfused<T>(queue, a, x, plain);
  a.diagonal(queue, diagonal);
  for (Index r = 0; r < matrix.num_rows; ++r) {
    long double sum = 0;
    T entry = 0;
    for (Offset k = matrix.row_begin(r); k < matrix.row_begin(r + 1); ++k) {
      const Index c = matrix.cols.data()[k];
      sum += static_cast<long double>(matrix.vals.data()[k]) * static_cast<long double>(x[static_cast<std::size_t>(c)]);
      if (c == r) entry = matrix.vals.data()[k];
    }
    const auto i = static_cast<std::size_t>(r);
    ASSERT_NEAR(static_cast<double>(y[i]), static_cast<double>(sum), bound) << what << ", row " << r;
    ASSERT_NEAR(static_cast<double>(plain[i]), static_cast<double>(sum), bound) << what << ", unfused, row " << r;
    ASSERT_NEAR(static_cast<double>(diagonal[i]), static_cast<double>(entry), bound) << what << ", diagonal " << r;
  }
}

template <class T>
void check_cell(Cell cell) {
  for (int order = 1; order <= highest_order(cell); ++order) {
    const Mesh mesh = warped_box(cell, cells_per_side(cell, order), std::min(order, 3));
    const Space space = make_space(mesh, order);
    const std::string what = join(name(cell), " order ", order, ' ', scalar_name<T>());
    const ElementOptions dirichlet{.constrained = space.all_boundary_nodes};
    if (dim(cell) == 2) {
      expect_equals_matrix(make_element_operator<T>(mesh, space, fem::Mass<2>{}), what + " mass");
      expect_equals_matrix(make_element_operator<T>(mesh, space, fem::Diffusion<2>{}, dirichlet), what + " diffusion");
      expect_equals_matrix(make_element_operator<T>(mesh, space, fem::ConvectionDiffusion<2>{{}, {{1, 2}}}),
                           what + " convection");
    } else {
      expect_equals_matrix(make_element_operator<T>(mesh, space, fem::Mass<3>{}), what + " mass");
      expect_equals_matrix(make_element_operator<T>(mesh, space, fem::Helmholtz<3>{}, dirichlet), what + " helmholtz");
    }
  }
}

TEST(ElementOperator, EqualsItsMatrixOnTriangles) { check_cell<double>(Cell::triangle); }
TEST(ElementOperator, EqualsItsMatrixOnQuads) { check_cell<double>(Cell::quad); }
TEST(ElementOperator, EqualsItsMatrixOnTets) { check_cell<double>(Cell::tet); }
TEST(ElementOperator, EqualsItsMatrixOnHexes) { check_cell<double>(Cell::hex); }
TEST(ElementOperator, EqualsItsMatrixInFloat) {
  check_cell<float>(Cell::quad);
  check_cell<float>(Cell::tet);
}

TEST(ElementOperator, EqualsItsMatrixWithComponents) {
  for (const Cell cell : all_cells)
    for (const int order : {1, 3}) {
      const Mesh mesh = warped_box(cell, 2, 2);
      const Space space = make_space(mesh, order, dim(cell));
      const ElementOptions dirichlet{.constrained = space.boundary.front().nodes};
      if (dim(cell) == 2)
        expect_equals_matrix(make_element_operator<double>(mesh, space, fem::Elasticity<2>{}, dirichlet), "elasticity");
      else
        expect_equals_matrix(make_element_operator<double>(mesh, space, fem::Elasticity<3>{}, dirichlet), "elasticity");
    }
}

TEST(ElementOperator, OrdersAboveEightRunWithSizesAsValues) {
  const Mesh mesh = warped_box(Cell::quad, 2, 2);
  for (const int order : {8, 9, 13, 16}) {
    const Space space = make_space(mesh, order);
    const auto a = make_element_operator<double>(mesh, space, fem::Helmholtz<2>{});
    EXPECT_EQ(a.has_compiled_loops(), order <= 8);
    expect_equals_matrix(a, join("order ", order));
  }
}

TEST(ElementOperator, OnTheNodesEqualsItsMatrix) {
  for (const Cell cell : {Cell::quad, Cell::hex})
    for (int order = 1; order <= 8; ++order) {
      const Mesh mesh = warped_box(cell, cells_per_side(cell, order), 2);
      const Space space = make_space(mesh, order);
      const ElementOptions nodes{.points = Points::on_nodes()};
      if (dim(cell) == 2)
        expect_equals_matrix(make_element_operator<double>(mesh, space, fem::Helmholtz<2>{}, nodes), "quads");
      else
        expect_equals_matrix(make_element_operator<double>(mesh, space, fem::Diffusion<3>{}, nodes), "hexes");
    }
}

TEST(ElementOperator, SymmetricAndConstantsCostNothing) {
  for (const Cell cell : all_cells)
    for (const int order : {1, 2, 4}) {
      const Mesh mesh = warped_box(cell, 2, 3);
      const Space space = make_space(mesh, order);
      const auto check = [&](const auto& diffusion, const auto& helmholtz) {
        Queue queue;
        const auto k = make_element_operator<double>(mesh, space, diffusion);
        const double scale = max_row(k.assemble(queue));
        for (const double y : product(k, std::vector<double>(static_cast<std::size_t>(space.num_nodes), 1.0)))
          EXPECT_NEAR(y, 0, rounding(k, scale));
        const auto h = make_element_operator<double>(mesh, space, helmholtz);
        EXPECT_TRUE(h.can_transpose());
        const auto u = random_vector<double>(space.num_nodes, 1), v = random_vector<double>(space.num_nodes, 2);
        EXPECT_NEAR(dot(v, product(h, u)), dot(u, product(h, v)),
                    rounding(h, max_row(h.assemble(queue))) * static_cast<double>(u.size()));
      };
      if (dim(cell) == 2)
        check(fem::Diffusion<2>{}, fem::Helmholtz<2>{});
      else
        check(fem::Diffusion<3>{}, fem::Helmholtz<3>{});
    }
}

TEST(ElementOperator, ExactOnPolynomials) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 5; ++order) {
      const Mesh mesh = make_box(cell, {2, 2, 2});
      const Space space = make_space(mesh, order);
      const auto u = values_at_nodes<double>(space, [&](const double* x, int) { return std::pow(x[1], order); });
      const auto check = [&](const auto& mass, const auto& diffusion) {
        const auto m = make_element_operator<double>(mesh, space, mass);
        const auto k = make_element_operator<double>(mesh, space, diffusion);
        EXPECT_NEAR(dot(u, product(m, u)), 1.0 / (2 * order + 1), 1e-12) << name(cell) << " order " << order;
        EXPECT_NEAR(dot(u, product(k, u)), 1.0 * order * order / (2 * order - 1), 1e-11) << name(cell) << ' ' << order;
      };
      if (dim(cell) == 2)
        check(fem::Mass<2>{}, fem::Diffusion<2>{});
      else
        check(fem::Mass<3>{}, fem::Diffusion<3>{});
    }
}

TEST(ElementOperator, LinesStayExactOnCurvedElements) {  // energy of u = x + 2 y is 5 times the volume, which is 1
  for (const Cell cell : all_cells)
    for (const int order : {2, 3, 4}) {
      const Mesh mesh = warped_box(cell, 2, order);
      const Space space = make_space(mesh, order);
      const ElementOptions exact{.points =
                                     is_tensor(cell) ? Points{.num = 2 * order + 1} : Points{.degree = 3 * order}};
      const auto u = values_at_nodes<double>(space, [](const double* x, int) { return x[0] + 2 * x[1]; });
      const double energy =
          dim(cell) == 2 ? dot(u, product(make_element_operator<double>(mesh, space, fem::Diffusion<2>{}, exact), u))
                         : dot(u, product(make_element_operator<double>(mesh, space, fem::Diffusion<3>{}, exact), u));
      EXPECT_NEAR(energy, 5.0, 1e-11) << name(cell) << " order " << order;
    }
}

// Diffusion of a linear function is zero inside and its energy is the volume, if every element finds its own factors
// also behind the 2^31st. Neighbours of a wrong one would miss by 1e-3.
TEST(SlowElementOperator, MoreThan2To31PointValues) {
  if (facts(Device::host()).memory_bytes < std::int64_t{15} << 30) GTEST_SKIP() << "this test needs 10 GB of memory";
  const int n = 72, points = 10;
  const Mesh mesh = warped_box(Cell::hex, n, 1);
  const Space space = make_space(mesh, 1);
  const auto a = make_element_operator<float>(mesh, space, fem::Diffusion<3>{}, {.points = {.num = points}});
  ASSERT_GT(a.data().factors.size(), std::int64_t{1} << 31);
  const auto u = values_at_nodes<float>(space, [](const double* x, int) { return x[0] + 2 * x[1]; });
  const std::vector<float> y = product(a, u);
  double energy = 0;
  for (Index i = 0; i < space.num_nodes; ++i) {
    const double* x = space.place(i);
    const auto s = static_cast<std::size_t>(i);
    energy += static_cast<double>(u[s]) * static_cast<double>(y[s]);
    const bool inside = std::all_of(x, x + 3, [](double c) { return c > 0 && c < 1; });
    ASSERT_TRUE(!inside || std::abs(y[s]) < 1e-5f) << "node " << i << ": " << y[s];
  }
  EXPECT_NEAR(energy, 5.0, 1e-4);
}

}  // namespace
}  // namespace millrace::testing
