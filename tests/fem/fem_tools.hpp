// What the tests of element operators share: warped meshes, and the scale of rounding errors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "expect.hpp"
#include "millrace/fem/element_operator.hpp"
#include "millrace/fem/physics.hpp"
#include "millrace/mesh/generate.hpp"

namespace millrace::testing {

inline constexpr Cell all_cells[] = {Cell::triangle, Cell::quad, Cell::tet, Cell::hex};

/// A box of n cells a direction, moved by a smooth map that keeps its straight outline.
inline Mesh warped_box(Cell cell, int n, int geometry_order, double amount = 0.08) {
  const int depth = dim(cell) == 3 ? n : 1;
  Mesh mesh = make_box(cell, {n, n, depth}, {}, geometry_order);
  deform(mesh, [&](const Point& x) {
    const double bump = std::sin(M_PI * x[0]) * std::sin(M_PI * x[1]) * (dim(cell) == 3 ? std::sin(M_PI * x[2]) : 1.0);
    Point y = x;
    y[0] += amount * bump;
    y[1] -= 0.7 * amount * bump;
    if (dim(cell) == 3) y[2] += 0.5 * amount * bump;
    return y;
  });
  return mesh;
}

/// f at the nodes of a space.
template <class T, class F>
std::vector<T> values_at_nodes(const Space& space, F&& f) {
  std::vector<T> u(static_cast<std::size_t>(space.num_dofs()));
  for (int c = 0; c < space.comps; ++c)
    for (Index n = 0; n < space.num_nodes; ++n)
      u[static_cast<std::size_t>(space.entry(n, c))] = static_cast<T>(f(space.place(n), c));
  return u;
}

template <class T>
std::vector<T> product(const Operator<T>& a, const std::vector<T>& x, int num_threads = 1) {
  Queue queue(Device::host(), num_threads);
  std::vector<T> y(static_cast<std::size_t>(a.shape().rows), std::numeric_limits<T>::quiet_NaN());
  a.apply(queue, {.x = x, .y = y});
  return y;
}

template <class T>
double dot(const std::vector<T>& a, const std::vector<T>& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
  return static_cast<double>(sum);
}

/// The largest sum of magnitudes of a row.
template <class T>
double max_row(const Csr<T>& a) {
  double largest = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    double sum = 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) sum += std::abs(static_cast<double>(a.vals.data()[k]));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Rounding of an application to numbers up to 1, for rows whose magnitudes sum up to `row`: each of the contractions
/// there and back adds at most its length, and the tables of Lagrange polynomials grow numbers by a small factor, which
/// the 8 covers for orders up to 8.
template <class T>
double rounding(const ElementOperator<T>& a, double row) {
  const ElementBasis& b = a.data().basis;
  const int terms =
      b.tensor ? 2 * b.dim * (b.tensor->num_nodes() + 2 * b.tensor->num_points) : 2 * (b.num_nodes + b.num_points());
  return 8 * terms * static_cast<double>(epsilon<T>) * row;
}

/// A box of hexes each of which looks at its nodes another way: its axes go round, and by turns two are mirrored.
inline Mesh turned_box() {
  Mesh mesh = make_box(Cell::hex, {3, 2, 2});
  CellBlock& block = mesh.blocks.at(0);
  for (Index e = 0; e < block.num_cells(); ++e) {
    Index* nodes = block.nodes.data() + e * 8;
    const std::vector<Index> old(nodes, nodes + 8);
    const int turn = e % 3, mirror = e / 3 % 4;
    for (int n = 0; n < 8; ++n) {
      int from[3] = {n & 1, n >> 1 & 1, n >> 2 & 1};
      if (mirror > 0) from[mirror - 1] ^= 1, from[mirror % 3] ^= 1;
      const int i = from[turn], j = from[(turn + 1) % 3], k = from[(turn + 2) % 3];
      nodes[n] = old[static_cast<std::size_t>(i + 2 * j + 4 * k)];
    }
  }
  return mesh;
}

/// Other numbers for the nodes of a space, in no order.
inline void shuffle(Space& space) {
  const auto number = [n = std::int64_t{space.num_nodes}](Index node) {
    std::int64_t factor = 7919;
    while (std::gcd(factor, n) > 1) ++factor;
    return static_cast<Index>(node * factor % n);
  };
  const std::vector<double> old = space.node_points;
  for (Index n = 0; n < space.num_nodes; ++n)
    std::copy_n(old.data() + Offset{n} * space.dim, space.dim,
                space.node_points.data() + Offset{number(n)} * space.dim);
  for (SpaceBlock& block : space.blocks)
    for (Index& n : block.restriction.offsets.span()) n = number(n);
  for (Index& n : space.all_boundary_nodes) n = number(n);
  std::sort(space.all_boundary_nodes.begin(), space.all_boundary_nodes.end());
}

}  // namespace millrace::testing
