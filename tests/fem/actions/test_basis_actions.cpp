// The actions of bases against dense matrices, their transposes, adding, components, and any number of threads.
#include <cmath>
#include <limits>

#include "expect.hpp"
#include "fem/basis/eps.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/basis_actions.hpp"

namespace millrace::testing {
namespace {

/// The actions of one element as dense matrices: B [Q, P] and G [dim, Q, P].
struct Dense {
  int dim, nodes, points;
  std::vector<double> interp, grad, weights;
  double num_sums;  // products that are added on the way to one entry, directions after one another
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
          (basis.dim + 2.0) * basis.basis.num_points};
}
Dense dense_of(const SimplexBasis& basis) {
  const int p = basis.num_nodes(), q = basis.num_points(), d = dim(basis.cell);
  return {d, p, q, basis.interp, basis.grad, basis.rule.weights, static_cast<double>(std::max(p, d * q))};
}

std::vector<double> absolute(std::vector<double> table) {
  for (double& x : table) x = std::abs(x);
  return table;
}
TensorBasis absolute(TensorBasis basis) {
  basis.interp = absolute(basis.interp);
  basis.collocated = absolute(basis.collocated);
  return basis;
}
SimplexBasis absolute(SimplexBasis basis) {
  basis.interp = absolute(basis.interp);
  basis.grad = absolute(basis.grad);
  return basis;
}

/// Compares y with y0 + table x for every field, transposed or not. `size` is what the same action gives with the
/// absolute values of tables, x and y0: rounding errors are at most (num_sums + 4) eps times that.
template <class T>
void expect_product(const std::vector<double>& table, int rows, int cols, bool transposed, const std::vector<T>& x,
                    const std::vector<T>& y0, const std::vector<T>& y, const std::vector<double>& size, double num_sums,
                    const std::string& what) {
  const int out = transposed ? cols : rows, in = transposed ? rows : cols;
  ASSERT_EQ(y.size() / static_cast<std::size_t>(out), x.size() / static_cast<std::size_t>(in)) << what;
  for (std::size_t f = 0; f < y.size() / static_cast<std::size_t>(out); ++f)
    for (int r = 0; r < out; ++r) {
      const std::size_t at = f * static_cast<std::size_t>(out) + static_cast<std::size_t>(r);
      double sum = y0.empty() ? 0 : static_cast<double>(y0[at]);
      for (int c = 0; c < in; ++c)
        sum += table[static_cast<std::size_t>(transposed ? c * cols + r : r * cols + c)] *
               static_cast<double>(x[f * static_cast<std::size_t>(in) + static_cast<std::size_t>(c)]);
      ASSERT_NEAR(static_cast<double>(y[at]), sum, (num_sums + 4) * std::numeric_limits<T>::epsilon() * size[at])
          << what << ", field " << f << ", row " << r;
    }
}

template <class T, class Basis>
void expect_actions(const Basis& basis, const Basis& sizes, const std::string& what) {
  const Dense dense = dense_of(basis);
  const ElementFields fields{3, 2};
  const int num = 6, p = dense.nodes, q = dense.points, d = dense.dim;
  Queue queue(Device::host(), 1), two(Device::host(), 2);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto u = random_vector<T>(num * p, 1), v = random_vector<T>(num * q, 2), g = random_vector<T>(num * d * q, 3);
  const auto filled = [](int size, T value) { return std::vector<T>(static_cast<std::size_t>(size), value); };
  const auto check = [&](auto&& action, const std::vector<double>& table, int rows, bool transposed,
                         const std::vector<T>& x, const char* name) {
    for (const Write write : {Write::set, Write::add}) {
      const int size = num * (transposed ? p : rows);
      const std::vector<T> y0 = write == Write::add ? random_vector<T>(size, 4) : std::vector<T>{};
      std::vector<T> y = y0.empty() ? filled(size, nan) : y0, again = y;
      action.template operator()<T>(queue, basis, x, y, write);
      const std::vector<double> wide_x(x.begin(), x.end());
      std::vector<double> magnitude =
          y0.empty() ? std::vector<double>(y.size()) : std::vector<double>(y0.begin(), y0.end());
      magnitude = absolute(magnitude);
      action.template operator()<double>(queue, sizes, absolute(wide_x), magnitude, Write::add);
      expect_product(table, rows, p, transposed, x, y0, y, magnitude, dense.num_sums, what + ", " + name);
      action.template operator()<T>(two, basis, x, again, write);
      EXPECT_TRUE(same_bits<T>(y, again)) << what << ", " << name;
    }
  };
  check([&]<class S>(Queue& on, const Basis& by, const auto& x, auto& y,
                     Write write) { interp<S>(on, by, fields, x, y, write); },
        dense.interp, q, false, u, "interp");
  check([&]<class S>(Queue& on, const Basis& by, const auto& x, auto& y,
                     Write write) { interp_transpose<S>(on, by, fields, x, y, write); },
        dense.interp, q, true, v, "interp_transpose");
  check([&]<class S>(Queue& on, const Basis& by, const auto& x, auto& y,
                     Write write) { grad<S>(on, by, fields, x, y, write); },
        dense.grad, d * q, false, u, "grad");
  check([&]<class S>(Queue& on, const Basis& by, const auto& x, auto& y,
                     Write write) { grad_transpose<S>(on, by, fields, x, y, write); },
        dense.grad, d * q, true, g, "grad_transpose");
  std::vector<T> w = filled(2 * q, nan);
  weight<T>(queue, basis, 2, w);
  for (int i = 0; i < 2 * q; ++i)
    EXPECT_EQ(w[static_cast<std::size_t>(i)], static_cast<T>(dense.weights[static_cast<std::size_t>(i % q)]));

  // Adjointness: <B u, v> = <u, B^T v> and <G u, g> = <u, G^T g>.
  const auto dot = [](const std::vector<T>& a, const std::vector<T>& b, double& size) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
      sum += product;
      size += std::abs(product);
    }
    return sum;
  };
  std::vector<T> bu = filled(num * q, nan), btv = filled(num * p, nan), gu = filled(num * d * q, nan), gtg = btv;
  interp<T>(queue, basis, fields, u, bu);
  interp_transpose<T>(queue, basis, fields, v, btv);
  grad<T>(queue, basis, fields, u, gu);
  grad_transpose<T>(queue, basis, fields, g, gtg);
  const auto expect_same_product = [&](const auto& first, const auto& image, const auto& other, const auto& back) {
    double size = 0;  // filled before the bound is made of it: arguments have no order
    const double left = dot(first, image, size), right = dot(other, back, size);
    EXPECT_NEAR(left, right, 40 * std::numeric_limits<T>::epsilon() * size) << what;
  };
  expect_same_product(bu, v, u, btv);
  expect_same_product(gu, g, u, gtg);
}

TEST(BasisActions, TensorOfEveryOrder) {
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 16; order += dim < 3 || order < 4 ? 1 : 4)
      for (const Quadrature& rule : {gauss(order + 2), gauss_lobatto(order + 1)}) {
        if (dim == 3 && order > 8) continue;
        const TensorBasis basis = make_tensor_basis(order, rule);
        const std::string what = join("dim ", dim, " order ", order, " points ", rule.size());
        const TensorBasis sizes = absolute(basis);
        expect_actions<double>(TensorProduct{basis, dim}, TensorProduct{sizes, dim}, what);
        if (order <= 4) expect_actions<float>(TensorProduct{basis, dim}, TensorProduct{sizes, dim}, what + " float");
      }
}

TEST(BasisActions, SimplexOfEveryOrder) {
  for (const Cell cell : {Cell::triangle, Cell::tet})
    for (int order = 1; order <= (cell == Cell::tet ? 6 : 8); ++order) {
      const SimplexBasis basis = make_simplex_basis(cell, order, simplex_rule(dim(cell), std::min(2 * order, 8)));
      const std::string what = join(name(cell), " order ", order);
      expect_actions<double>(basis, absolute(basis), what);
      expect_actions<float>(basis, absolute(basis), what + " float");
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
