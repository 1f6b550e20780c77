// The map of straight and curved elements at points, and the factors that a physics keeps of it.
#include "fem/fem_tools.hpp"
#include "millrace/fem/element/factors.hpp"

namespace millrace::testing {
namespace {

Quadrature rule_of(Cell cell, int order) {
  return is_tensor(cell) ? tensor(gauss(2 * order + 1), dim(cell)) : simplex_rule(dim(cell), 3 * order);
}

TEST(Geometry, VolumesOfCurvedElementsAddUp) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 4; ++order) {
      const Mesh mesh = warped_box(cell, 3, order, 0.1);
      const ElementMap map(cell, order, rule_of(cell, order));
      const auto sum = [&](const auto& mass) {
        const Array<double> stored =
            store_factors<double>(mesh, mesh.only_block(), map, make_point_kernel<double>(mass), 1);
        double volume = 0;  // without the elements that fill up the last batch
        constexpr int L = num_lanes<double>;
        const Index num = mesh.only_block().num_cells(), points = map.num_points();
        for (Index e = 0; e < num; ++e)
          for (Index q = 0; q < points; ++q) volume += stored.data()[(e / L * points + q) * L + e % L];
        return volume;
      };
      const double volume = dim(cell) == 2 ? sum(fem::Mass<2>{}) : sum(fem::Mass<3>{});
      EXPECT_NEAR(volume, 1.0, 1e-12) << name(cell) << " of order " << order;
    }
}

TEST(Geometry, JacobiansAreTheSlopesOfPlaces) {  // a parabola through three places has its slope in the middle exactly
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 4; ++order) {
      const Mesh mesh = warped_box(cell, 2, order, 0.1);
      constexpr double h = 1e-4;
      const int d = dim(cell);
      Quadrature rule;
      rule.dim = d;
      for (int j = -1; j < 2 * d; ++j)  // a point, and one on each side of it along each axis
        for (int i = 0; i < d; ++i) rule.points.push_back(0.3 + (j >= 0 && j / 2 == i ? (j % 2 == 0 ? -h : h) : 0));
      rule.weights.assign(static_cast<std::size_t>(1 + 2 * d), 1);
      const ElementMap map(cell, order, rule);
      std::vector<double> work(static_cast<std::size_t>(map.work_size()));
      for (Index e = 0; e < mesh.only_block().num_cells(); ++e) {
        const ElementPoints at = map.evaluate(mesh.points.data(), mesh.only_block().nodes_of(e), work.data());
        for (int i = 0; i < d; ++i)
          for (int j = 0; j < d; ++j) {
            const double* x = at.places + i * at.num_points;
            EXPECT_NEAR(at.jacobians[(i * d + j) * at.num_points], (x[2 + 2 * j] - x[1 + 2 * j]) / (2 * h), 1e-7);
          }
      }
    }
}

TEST(Geometry, FactorsLieBatchAfterBatch) {
  constexpr int L = num_lanes<float>, cells = L + 2;
  const Mesh mesh = make_box(Cell::quad, {cells, 1, 1});  // J = diag(1 / cells, 1)
  const Quadrature rule = tensor(gauss(3), 2);
  const ElementMap map(Cell::quad, 1, rule);
  const Array<float> stored =
      store_factors<float>(mesh, mesh.only_block(), map, make_point_kernel<float>(fem::Diffusion<2>{}), 2);
  ASSERT_EQ(stored.size(), 2 * L * 3 * 9);
  for (int e = 0; e < 2 * L; ++e)  // the elements that fill up the last batch are like the last one
    for (int q = 0; q < 9; ++q) {
      const float* first = stored.data() + (e / L * 9 + q) * 3 * L + e % L;
      const auto weight = static_cast<float>(rule.weights[static_cast<std::size_t>(q)]);
      EXPECT_NEAR(first[0], weight * cells, 1e-5);      // w det (cells, 0) . (cells, 0)
      EXPECT_NEAR(first[L], 0, 1e-6);                   // w det (cells, 0) . (0, 1)
      EXPECT_NEAR(first[2 * L], weight / cells, 1e-7);  // w det (0, 1) . (0, 1)
    }
}

}  // namespace
}  // namespace millrace::testing
