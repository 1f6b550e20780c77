// Places and Jacobians, vectorised over the points of an element.
#include "millrace/fem/basis/geometry.hpp"

#include <limits>

#include "millrace/fem/basis/lanes.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace {
namespace {

std::vector<double> transposed(std::span<const double> table, int rows, int cols) {
  std::vector<double> result(table.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      result[static_cast<std::size_t>(c * rows + r)] = table[static_cast<std::size_t>(r * cols + c)];
  return result;
}

/// result[i, q] = sum_g table[g, q] x[g, i] for i < D; several points at once, with the sums in registers.
template <int D>
void sum_nodes(int num_nodes, int n, const double* table, const double* x, double* const* result) {
  constexpr int L = num_lanes<double>;
  int q = 0;
  for (; q + 2 * L <= n; q += 2 * L) {
    Lanes<double> sums[unsigned(D)][2];
    unrolled<D>([&](auto i) { sums[i][0] = sums[i][1] = Lanes<double>(0); });
    for (int g = 0; g < num_nodes; ++g) {
      const double* at = table + std::ptrdiff_t{g} * n + q;
      const Lanes<double> first = Lanes<double>::load(at), second = Lanes<double>::load(at + L);
      unrolled<D>([&](auto i) {
        sums[i][0].add_scaled(first, x[g * D + i]);
        sums[i][1].add_scaled(second, x[g * D + i]);
      });
    }
    unrolled<D>([&](auto i) {
      sums[i][0].store(result[i] + q);
      sums[i][1].store(result[i] + q + L);
    });
  }
  for (; q < n; ++q)
    for (int i = 0; i < D; ++i) {
      double sum = 0;
      for (int g = 0; g < num_nodes; ++g) sum += table[std::ptrdiff_t{g} * n + q] * x[g * D + i];
      result[i][q] = sum;
    }
}

}  // namespace

ElementMap::ElementMap(Cell cell, int order, const Quadrature& rule)
    : dim_(rule.dim), num_nodes_(millrace::num_nodes(cell, order)), num_points_(rule.size()), weights_(rule.weights) {
  require(dim_ >= 2 && order <= max_geometry_order, "element geometry: a ", name(cell), " of order ", order,
          " was asked for; triangles, quads, tets and hexes of order 1 to ", max_geometry_order, " are accepted");
  std::vector<Point> points(static_cast<std::size_t>(num_points_));
  for (int q = 0; q < num_points_; ++q)
    for (int d = 0; d < dim_; ++d) points[static_cast<std::size_t>(q)][static_cast<std::size_t>(d)] = rule.point(q)[d];
  const GeometryTable table = tabulate_geometry(cell, order, points);
  values_ = transposed(table.values, num_points_, num_nodes_);
  const auto size = static_cast<std::size_t>(num_points_) * static_cast<std::size_t>(num_nodes_);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dim_); ++d) {
    const auto part = transposed(std::span(table.grads).subspan(d * size, size), num_points_, num_nodes_);
    grads_.insert(grads_.end(), part.begin(), part.end());
  }
}

ElementPoints ElementMap::evaluate(const double* points, std::span<const Index> nodes, double* work) const {
  const int n = num_points_;
  double *places = work, *jacobians = work + std::ptrdiff_t{dim_} * n;
  double x[125 * 3];  // the nodes of the largest element: a hex of order 4
  for (int g = 0; g < num_nodes_; ++g)
    for (int i = 0; i < dim_; ++i)
      x[g * dim_ + i] = points[std::ptrdiff_t{nodes[static_cast<std::size_t>(g)]} * dim_ + i];
  for (int row = 0; row <= dim_; ++row) {  // the places, then the derivatives along each direction
    const double* table = row == 0 ? values_.data() : grads_.data() + std::ptrdiff_t{row - 1} * num_nodes_ * n;
    double* result[3] = {};
    for (int i = 0; i < dim_; ++i)
      result[i] = row == 0 ? places + std::ptrdiff_t{i} * n : jacobians + std::ptrdiff_t{i * dim_ + row - 1} * n;
    (dim_ == 2 ? sum_nodes<2> : sum_nodes<3>)(num_nodes_, n, table, x, result);
  }
  return {n, places, jacobians, weights_.data(), 0, 0};
}

void check_geometry(Cell cell, Index first_bad) {
  require(first_bad == std::numeric_limits<Index>::max(), "element geometry: the map of ", name(cell), ' ', first_bad,
          " has a Jacobian that is not positive at a quadrature point; mend the mesh or turn the element");
}

}  // namespace millrace
