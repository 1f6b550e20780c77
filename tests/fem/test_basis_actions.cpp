// The actions of bases against dense matrices, their transposes, adding, components, and any number of threads.
#include <cmath>
#include <limits>

#include "expect.hpp"
#include "millrace/fem/basis_actions.hpp"
#include "millrace/fem/tabulate.hpp"

namespace millrace::testing {
namespace {

/// The actions of one element as dense matrices: B [Q, P] and G [dim, Q, P].
struct Dense {
  int dim, nodes, points;
  std::vector<double> interp, grad, weights;
  double growth;  // rounding errors of the factors of a product of tables, over those of one dense row
};

Dense dense_of(const TensorProduct& basis) {
  const Cell cell = basis.dim == 1 ? Cell::segment : basis.dim == 2 ? Cell::quad : Cell::hex;
  const Quadrature rule = tensor({1, 0, basis.basis.points, basis.basis.weights}, basis.dim);
  NodeTable table = tabulate_nodes(cell, basis.basis.order, NodeKind::fem, rule.points);
  return {basis.dim,
          basis.num_nodes(),
          basis.num_points(),
          std::move(table.values),
          std::move(table.gradients),
          rule.weights,
          8.0 * basis.basis.num_points};
}
Dense dense_of(const SimplexBasis& basis) {
  return {dim(basis.cell), basis.num_nodes(), basis.num_points(), basis.interp, basis.grad, basis.rule.weights, 1};
}

/// y = y0 + table x for every field, with the bound of its rounding; transposed or not.
template <class T>
void expect_product(const std::vector<double>& table, int rows, int cols, bool transposed, const std::vector<T>& x,
                    const std::vector<T>& y0, const std::vector<T>& y, double growth, const std::string& what) {
  const int out = transposed ? cols : rows, in = transposed ? rows : cols;
  ASSERT_EQ(y.size() / static_cast<std::size_t>(out), x.size() / static_cast<std::size_t>(in)) << what;
  for (std::size_t f = 0; f < y.size() / static_cast<std::size_t>(out); ++f)
    for (int r = 0; r < out; ++r) {
      double sum = 0, size = 0;
      for (int c = 0; c < in; ++c) {
        const double a = table[static_cast<std::size_t>(transposed ? c * cols + r : r * cols + c)];
        const double term = a * static_cast<double>(x[f * static_cast<std::size_t>(in) + static_cast<std::size_t>(c)]);
        sum += term;
        size += std::abs(term);
      }
      const std::size_t at = f * static_cast<std::size_t>(out) + static_cast<std::size_t>(r);
      const double start = y0.empty() ? 0 : static_cast<double>(y0[at]);
      // What cancels inside a factor (a derivative) cannot be seen in a dense row: hence at least the largest input.
      ASSERT_NEAR(static_cast<double>(y[at]), start + sum,
                  (in + 2) * growth * std::numeric_limits<T>::epsilon() * (size + std::abs(start) + growth))
          << what << ", field " << f << ", row " << r;
    }
}

template <class T, class Basis>
void expect_actions(const Basis& basis, const std::string& what) {
  const Dense dense = dense_of(basis);
  const ElementBatch batch{3, 2};
  const int num = 6, p = dense.nodes, q = dense.points, d = dense.dim;
  Queue queue(Device::host(), 1), two(Device::host(), 2);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto u = random_vector<T>(num * p, 1), v = random_vector<T>(num * q, 2), g = random_vector<T>(num * d * q, 3);
  const auto filled = [](int size, T value) { return std::vector<T>(static_cast<std::size_t>(size), value); };
  for (const Write write : {Write::set, Write::add}) {
    const bool add = write == Write::add;
    const auto start = [&](int size, std::uint64_t seed) {
      return add ? random_vector<T>(size, seed) : std::vector<T>{};
    };
    const auto check = [&](auto&& action, const std::vector<double>& table, int rows, bool transposed,
                           const std::vector<T>& x, const char* name) {
      const int size = num * (transposed ? p : rows);
      const std::vector<T> y0 = start(size, 4);
      std::vector<T> y = add ? y0 : filled(size, nan), again = y;
      action(queue, x, y);
      expect_product(table, rows, p, transposed, x, y0, y, dense.growth, what + ", " + name);
      action(two, x, again);
      EXPECT_TRUE(same_bits<T>(y, again)) << what << ", " << name;
    };
    check([&](Queue& on, auto& x, auto& y) { interp<T>(on, basis, batch, x, y, write); }, dense.interp, q, false, u,
          "interp");
    check([&](Queue& on, auto& x, auto& y) { interp_transpose<T>(on, basis, batch, x, y, write); }, dense.interp, q,
          true, v, "interp_transpose");
    check([&](Queue& on, auto& x, auto& y) { grad<T>(on, basis, batch, x, y, write); }, dense.grad, d * q, false, u,
          "grad");
    check([&](Queue& on, auto& x, auto& y) { grad_transpose<T>(on, basis, batch, x, y, write); }, dense.grad, d * q,
          true, g, "grad_transpose");
  }
  std::vector<T> w = filled(2 * q, nan);
  weight<T>(queue, basis, 2, w);
  for (int i = 0; i < 2 * q; ++i)
    EXPECT_EQ(w[static_cast<std::size_t>(i)], static_cast<T>(dense.weights[static_cast<std::size_t>(i % q)]));

  // Adjointness: <B u, v> = <u, B^T v> and <G u, g> = <u, G^T g>.
  const auto dot = [](const std::vector<T>& a, const std::vector<T>& b, double& size) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += double(a[i]) * double(b[i]), size += std::abs(double(a[i]) * double(b[i]));
    return sum;
  };
  std::vector<T> bu = filled(num * q, nan), btv = filled(num * p, nan), gu = filled(num * d * q, nan), gtg = btv;
  interp<T>(queue, basis, batch, u, bu);
  interp_transpose<T>(queue, basis, batch, v, btv);
  grad<T>(queue, basis, batch, u, gu);
  grad_transpose<T>(queue, basis, batch, g, gtg);
  double size = 0;
  EXPECT_NEAR(dot(bu, v, size), dot(u, btv, size), 40 * std::numeric_limits<T>::epsilon() * size) << what;
  size = 0;
  EXPECT_NEAR(dot(gu, g, size), dot(u, gtg, size), 40 * std::numeric_limits<T>::epsilon() * size) << what;
}

TEST(BasisActions, TensorOfEveryOrder) {
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 16; order += dim < 3 || order < 4 ? 1 : 4)
      for (const Quadrature& rule : {gauss(order + 2), gauss_lobatto(order + 1)}) {
        if (dim == 3 && order > 8) continue;
        const TensorBasis basis = make_tensor_basis(order, rule);
        const std::string what = join("dim ", dim, " order ", order, " points ", rule.size());
        expect_actions<double>(TensorProduct{basis, dim}, what);
        if (order <= 4) expect_actions<float>(TensorProduct{basis, dim}, what + " float");
      }
}

TEST(BasisActions, SimplexOfEveryOrder) {
  for (const Cell cell : {Cell::triangle, Cell::tet})
    for (int order = 1; order <= (cell == Cell::tet ? 6 : 8); ++order) {
      const SimplexBasis basis = make_simplex_basis(cell, order, simplex_rule(dim(cell), std::min(2 * order, 8)));
      const std::string what = join(name(cell), " order ", order);
      expect_actions<double>(basis, what);
      expect_actions<float>(basis, what + " float");
    }
}

// The largest order in space: a polynomial comes out with its gradient.
TEST(BasisActions, OrderSixteenInSpace) {
  const TensorBasis basis = make_tensor_basis(16, gauss(18));
  const TensorProduct hex{basis, 3};
  std::vector<double> u, v(static_cast<std::size_t>(hex.num_points())), g(3 * v.size());
  const auto f = [](double x, double y, double z) { return std::pow(x, 16) * std::pow(y, 3) + z; };
  for (const double z : basis.nodes)
    for (const double y : basis.nodes)
      for (const double x : basis.nodes) u.push_back(f(x, y, z));
  Queue queue;
  interp<double>(queue, hex, {1}, u, v);
  grad<double>(queue, hex, {1}, u, g);
  const double eps = std::numeric_limits<double>::epsilon();
  const Quadrature rule = tensor(gauss(18), 3);
  for (int q = 0; q < rule.size(); ++q) {
    const double *p = rule.point(q), x = p[0], y = p[1];
    const auto i = static_cast<std::size_t>(q);
    EXPECT_NEAR(v[i], f(x, y, p[2]), 100 * eps);                          // Lebesgue constant 3 a direction
    EXPECT_NEAR(g[i], 16 * std::pow(x, 15) * std::pow(y, 3), 1e4 * eps);  // a row of the derivative sums to 16^2
    EXPECT_NEAR(g[v.size() + i], 3 * std::pow(x, 16) * y * y, 1e4 * eps);
    EXPECT_NEAR(g[2 * v.size() + i], 1, 1e4 * eps);
  }
}

TEST(BasisActions, WhatIsNotPossible) {
  Queue queue;
  const TensorBasis basis = make_tensor_basis(1, gauss(2));
  std::vector<double> u(8), v(7);
  EXPECT_EQ(error_of([&] {
              interp<double>(queue, TensorProduct{basis, 3}, {1}, u, v);
            }),
            "interp: the output needs 8 entries in one vector; it has 7 in 1");
  EXPECT_EQ(error_of([&] {
              grad<double>(queue, TensorProduct{basis, 4}, {1}, u, v);
            }),
            "basis actions: a tensor product of dimension 4 was given; 1 to 3 are possible");
  std::vector<double> none;
  interp<double>(queue, TensorProduct{basis, 3}, {0}, none, none);
}

}  // namespace
}  // namespace millrace::testing
