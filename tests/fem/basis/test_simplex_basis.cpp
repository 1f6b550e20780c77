// Simplices: orthonormal polynomials, nodes of warp and blend, and the tables of bases; tables of all cells.
#include <cmath>

#include "expect.hpp"
#include "fem/basis/eps.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/fem/basis/simplex_nodes.hpp"
#include "millrace/fem/basis/simplex_polynomials.hpp"
#include "millrace/fem/basis/tabulate.hpp"

namespace millrace::testing {
namespace {

/// x^a y^b z^c and its gradient.
double monomial(int dim, const double* p, const std::array<int, 3>& power, int along = -1) {
  double value = 1;
  for (int d = 0; d < dim; ++d) {
    const int k = power[static_cast<std::size_t>(d)];
    value *= d == along ? (k == 0 ? 0 : k * std::pow(p[d], k - 1)) : std::pow(p[d], k);
  }
  return value;
}

std::vector<double> sample_points(Cell cell, int num, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> points;
  while (std::ssize(points) < num * dim(cell)) {
    std::vector<double> p(static_cast<std::size_t>(dim(cell)));
    double sum = 0;
    for (double& x : p) sum += x = (random.uniform() + 1) / 2;
    if (is_tensor(cell) || sum <= 1) points.insert(points.end(), p.begin(), p.end());
  }
  return points;
}

TEST(SimplexPolynomials, Orthonormal) {
  for (int dim = 1; dim <= 3; ++dim) {
    const int order = dim == 3 ? 6 : 8;
    const Quadrature rule = collapsed_rule(dim, 2 * order);
    const auto num = static_cast<std::size_t>(num_nodes(simplex(dim), order));
    std::vector<long double> gram(num * num);
    for (int q = 0; q < rule.size(); ++q) {
      const SimplexPolynomials p = simplex_polynomials(dim, order, rule.point(q));
      for (std::size_t i = 0; i < num; ++i)
        for (std::size_t j = 0; j < num; ++j)
          gram[i * num + j] += rule.weights[static_cast<std::size_t>(q)] * p.values[i] * p.values[j];
    }
    for (std::size_t i = 0; i < num; ++i)
      for (std::size_t j = 0; j < num; ++j)
        EXPECT_NEAR(static_cast<double>(gram[i * num + j]), i == j ? 1 : 0, 200 * eps) << dim << ": " << i << " " << j;
  }
}

TEST(SimplexPolynomials, GradientsAtTheCornersToo) {
  const double h = 1e-7;
  for (int dim = 1; dim <= 3; ++dim)
    for (int corner = 0; corner <= dim; ++corner) {
      double p[3] = {0, 0, 0};
      if (corner > 0) p[corner - 1] = 1;
      const SimplexPolynomials at = simplex_polynomials(dim, 4, p);
      const auto num = at.values.size();
      for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
        double before[3] = {p[0], p[1], p[2]}, after[3] = {p[0], p[1], p[2]};
        before[d] -= h;
        after[d] += h;
        const auto low = simplex_polynomials(dim, 4, before), high = simplex_polynomials(dim, 4, after);
        for (std::size_t i = 0; i < num; ++i) {
          const auto difference = (high.values[i] - low.values[i]) / (static_cast<long double>(after[d]) - before[d]);
          EXPECT_NEAR(static_cast<double>(difference), static_cast<double>(at.gradients[d * num + i]), 1e-7);
        }
      }
    }
}

TEST(SimplexNodes, GaussLobattoOnEdgesAndTheSameOnFaces) {
  for (const Cell cell : {Cell::triangle, Cell::tet})
    for (int order = 1; order <= 8; ++order) {
      const auto d = static_cast<std::size_t>(dim(cell));
      const std::vector<double> nodes = simplex_nodes(dim(cell), order), line = gauss_lobatto(order + 1).points;
      ASSERT_EQ(std::ssize(nodes), num_nodes(cell, order) * dim(cell));
      for (int e = 0; e < num_edges(cell); ++e) {
        const Lattice a = corner(cell, edge_vertices(cell, e)[0]), b = corner(cell, edge_vertices(cell, e)[1]);
        const std::vector<int> on_edge = edge_nodes(cell, order, e);
        for (std::size_t i = 0; i < on_edge.size(); ++i)
          for (std::size_t c = 0; c < d; ++c)
            EXPECT_NEAR(nodes[static_cast<std::size_t>(on_edge[i]) * d + c], a[c] + line[i] * (b[c] - a[c]), 2 * eps);
      }
      if (cell != Cell::tet) continue;
      const std::vector<int> first = face_nodes(cell, order, 3);  // in the plane z = 0: its own coordinates are x, y
      for (int f = 0; f < 3; ++f) {
        const auto corners = face_vertices(cell, f);
        const std::vector<int> on_face = face_nodes(cell, order, f);
        for (std::size_t i = 0; i < on_face.size(); ++i) {
          const double* p = nodes.data() + 3 * first[i];
          for (std::size_t c = 0; c < 3; ++c) {
            const auto at = [&](std::size_t v) { return corner(cell, corners[v])[c]; };
            EXPECT_NEAR(nodes[static_cast<std::size_t>(on_face[i]) * 3 + c],
                        (1 - p[0] - p[1]) * at(0) + p[0] * at(1) + p[1] * at(2), 4 * eps);
          }
        }
      }
    }
}

// The Lebesgue constants that Warburton (2006) lists; here from samples, so a little below.
TEST(SimplexNodes, LebesgueConstants) {
  const std::vector<double> triangle = {1, 1.67, 2.11, 2.66, 3.12, 3.70, 4.27, 4.96},
                            tet = {1, 2, 2.93, 4.07, 5.32, 7.01, 9.21, 12.54};
  for (const Cell cell : {Cell::triangle, Cell::tet})
    for (int order = 1; order <= 8; ++order) {
      const std::vector<double> points = equispaced_simplex_nodes(dim(cell), cell == Cell::tet ? 11 : 16);
      const NodeTable table = tabulate_nodes(cell, order, NodeKind::fem, points);
      double largest = 0;
      for (int q = 0; q < table.num_points; ++q) {
        double sum = 0;
        for (int i = 0; i < table.num_nodes; ++i)
          sum += std::abs(table.values[static_cast<std::size_t>(q * table.num_nodes + i)]);
        largest = std::max(largest, sum);
      }
      const double listed = (cell == Cell::tet ? tet : triangle)[static_cast<std::size_t>(order - 1)];
      EXPECT_LE(largest, listed * 1.005) << name(cell) << " " << order;
      if (order > 6) continue;  // of 165 functions the samples miss the peaks
      EXPECT_GE(largest, listed * 0.85) << name(cell) << " " << order;
    }
}

// Polynomials of the order come out exactly, with their gradients; bound: (n + 2) eps sum |table| |value at node|, and
// what a table made in double is off: the conditioning of the nodes times as much.
void expect_exact(Cell cell, int order, std::span<const double> nodes, const double* points, int num_points,
                  const std::vector<double>& values, const std::vector<double>& gradients) {
  const int d = dim(cell), num = num_nodes(cell, order);
  for (const Lattice& power : lattice(cell, order))
    for (int q = 0; q < num_points; ++q)
      for (int along = -1; along < d; ++along) {
        const double* row = along < 0 ? values.data() + q * num : gradients.data() + (along * num_points + q) * num;
        double sum = 0, bound = 0;
        for (int i = 0; i < num; ++i) {
          const double node = monomial(d, nodes.data() + i * d, power);
          sum += row[i] * node;
          bound += eps * ((num + 2) * std::abs(row[i] * node) + 4 * order * (1 + std::abs(row[i])));
        }
        const double* p = points + q * d;
        ASSERT_NEAR(sum, monomial(d, p, power, along), bound) << name(cell) << " " << order << ", along " << along;
      }
}

TEST(Tabulate, ExactOnPolynomialsOfEveryCell) {
  for (const Cell cell : {Cell::segment, Cell::triangle, Cell::quad, Cell::tet, Cell::hex})
    for (const NodeKind kind : {NodeKind::equispaced, NodeKind::fem})
      for (int order = 1; order <= (cell == Cell::hex ? 4 : 8); order += dim(cell) == 3 && order > 4 ? 2 : 1) {
        const std::vector<double> points = sample_points(cell, 5, static_cast<std::uint64_t>(order));
        const std::vector<double> nodes = reference_nodes(cell, order, kind);
        const NodeTable table = tabulate_nodes(cell, order, kind, points);
        ASSERT_EQ(table.num_points, 5);
        ASSERT_EQ(table.num_nodes, num_nodes(cell, order));
        expect_exact(cell, order, nodes, points.data(), 5, table.values, table.gradients);
        if (order % 4 != 0) continue;
        const NodeTable own = tabulate_nodes(cell, order, kind, nodes);
        for (int i = 0; i < own.num_nodes; ++i)
          for (int j = 0; j < own.num_nodes; ++j)
            EXPECT_NEAR(own.values[static_cast<std::size_t>(i * own.num_nodes + j)], i == j ? 1 : 0, 500 * eps);
      }
}

TEST(SimplexBasis, TablesOfEveryOrder) {
  for (const Cell cell : {Cell::triangle, Cell::tet})
    for (int order = 1; order <= 8; ++order) {
      const Quadrature rule = simplex_rule(dim(cell), order);
      const SimplexBasis basis = make_simplex_basis(cell, order, rule);
      EXPECT_EQ(basis.num_nodes(), num_nodes(cell, order));
      EXPECT_EQ(basis.num_points(), rule.size());
      expect_exact(cell, order, basis.nodes, rule.points.data(), rule.size(), basis.interp, basis.grad);
    }
}

TEST(SimplexBasis, WhatIsNotPossible) {
  EXPECT_EQ(error_of([] { make_simplex_basis(Cell::hex, 2, gauss(3)); }),
            "make_simplex_basis: a hex and a rule of dimension 1 were given; a triangle with 2, or a tet with 3, is "
            "possible");
  EXPECT_EQ(error_of([] { make_simplex_basis(Cell::tet, 9, simplex_rule(3, 4)); }),
            "simplex_nodes: dimension 3 and order 9 were asked for; 1 to 3 and 1 to 8 are possible");
}

}  // namespace
}  // namespace millrace::testing
