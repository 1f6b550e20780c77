// Places and Jacobians, vectorised over the points of an element, and the factors of all elements.
#include "millrace/fem/geometry.hpp"

#include <atomic>
#include <limits>

#include "millrace/base/parallel.hpp"
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

/// sum += factor * row
void add_row(int n, double factor, const double* __restrict row, double* __restrict sum) {
  for (int q = 0; q < n; ++q) sum[q] += factor * row[q];
}

}  // namespace

ElementMap::ElementMap(Cell cell, int order, const Quadrature& rule)
    : dim_(rule.dim), num_nodes_(millrace::num_nodes(cell, order)), num_points_(rule.size()), weights_(rule.weights) {
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
  std::fill(work, work + work_size(), 0.0);
  for (int g = 0; g < num_nodes_; ++g)
    for (int i = 0; i < dim_; ++i) {
      const double x = points[std::ptrdiff_t{nodes[static_cast<std::size_t>(g)]} * dim_ + i];
      add_row(n, x, values_.data() + std::ptrdiff_t{g} * n, places + std::ptrdiff_t{i} * n);
      for (int j = 0; j < dim_; ++j)
        add_row(n, x, grads_.data() + std::ptrdiff_t{j * num_nodes_ + g} * n,
                jacobians + std::ptrdiff_t{i * dim_ + j} * n);
    }
  return {n, places, jacobians, weights_.data()};
}

template <class T>
Array<T> store_factors(const Mesh& mesh, const CellBlock& block, const ElementMap& map, const PointKernel<T>& physics,
                       int num_threads) {
  const Index num_elem = block.num_cells();
  const Offset an_element = Offset{physics.num_stored} * map.num_points();
  Array<T> stored(num_elem * an_element);
  std::atomic<Index> bad = std::numeric_limits<Index>::max();
  parallel(num_elem < 64 ? 1 : num_threads, [&](int thread, int count) {
    std::vector<double> work(static_cast<std::size_t>(map.work_size()));
    const auto [begin, end] = even_part(num_elem, thread, count);
    for (auto e = static_cast<Index>(begin); e < end; ++e) {
      const ElementPoints at = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
      const double smallest = physics.store(physics.physics.data(), at, stored.data() + e * an_element);
      if (!(smallest > 0)) {  // the first one of all threads is named
        for (Index seen = bad; e < seen && !bad.compare_exchange_weak(seen, e);) continue;
        return;
      }
    }
  });
  require(bad == std::numeric_limits<Index>::max(), "element geometry: the map of ", name(block.cell), ' ', bad.load(),
          " has a Jacobian that is not positive at a quadrature point; mend the mesh or turn the element");
  return stored;
}

template Array<float> store_factors<float>(const Mesh&, const CellBlock&, const ElementMap&, const PointKernel<float>&,
                                           int);
template Array<double> store_factors<double>(const Mesh&, const CellBlock&, const ElementMap&,
                                             const PointKernel<double>&, int);

}  // namespace millrace
