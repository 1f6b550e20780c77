// Multigrid for several unknowns a node: block Jacobi as a smoother, and levels that keep blocks dense.
#include <numeric>

#include "millrace/precond/amg.hpp"
#include "millrace/solve/cg.hpp"
#include "multigrid/multigrid_tools.hpp"

namespace millrace::testing {
namespace {

int cg_iterations(const Csr<double>& csr, const Amg<double>& m) {
  const SparseMatrix<double> a(csr, "csr");
  Queue queue;
  const auto b = random_vector<double>(csr.num_rows, 3);
  std::vector<double> x(b.size(), 0.0);
  const SolveReport report = cg(queue, a, m, b, x, {.tolerance = 1e-8, .max_iterations = 300});
  EXPECT_TRUE(report.ok()) << report.reason;
  return report.iterations;
}
int cg_iterations(const Csr<double>& csr, const AmgOptions& options) {
  Queue queue;
  return cg_iterations(csr, Amg<double>(queue, csr, options));
}

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// Of a body with rigid-body modes, smoothed by its blocks.
AmgOptions by_blocks(const Lattice& body, int dim) {
  AmgOptions options{.block = dim, .coarsest_rows = 60};
  options.near_null = rigid_body_modes(body.points, dim);
  options.smoother = AmgSmoother::block_jacobi;
  return options;
}

TEST(AmgBlocks, TakeTheCouplingInsideNodesAway) {
  const Csr<double> grid = gallery::make("laplace2d5:60");
  const Csr<double> a = kron(grid, {1, 0.95, 0.9, 0.95, 1, 0.95, 0.9, 0.95, 1}, 3);  // eigenvalues 0.017 to 2.9
  AmgOptions options{.block = 3};
  const int pointwise = cg_iterations(a, options);
  options.smoother = AmgSmoother::block_jacobi;
  const int blocks = cg_iterations(a, options), alone = cg_iterations(grid, AmgOptions{});
  EXPECT_LE(blocks, 3 * alone);  // prolongators are smoothed with the diagonal
  EXPECT_GE(pointwise, 2 * blocks);
}

TEST(AmgBlocks, NeedNoMoreIterationsForElasticity) {
  for (const Index n : {24, 48}) {
    const Lattice plane = spring_lattice(n, true);
    AmgOptions options = by_blocks(plane, 2);
    const int blocks = cg_iterations(plane.matrix, options);
    options.smoother = AmgSmoother::chebyshev;
    EXPECT_LE(blocks, cg_iterations(plane.matrix, options) + 1);
    EXPECT_LE(blocks, 30);
  }
}

TEST(AmgBlocks, StayDenseOnEveryLevel) {
  Queue queue;
  const Lattice cube = spring_cube(10);
  const Amg<double> m(queue, cube.matrix, by_blocks(cube, 3));
  const AmgReport& report = m.report();
  ASSERT_GE(report.levels.size(), 3U);
  EXPECT_EQ(report.levels[0].format, "bsr-3");
  EXPECT_EQ(report.levels[1].format, "bsr-6");
  EXPECT_EQ(report.levels.back().format, "dense inverse");
  EXPECT_NE(report.text().find("bsr-6"), std::string::npos);
  std::int64_t bytes = 0;
  for (const AmgLevelReport& level : report.levels) bytes += level.bytes;
  EXPECT_EQ(report.cycle_bytes, bytes);
  AmgOptions plain = by_blocks(cube, 3);
  plain.smoother = AmgSmoother::chebyshev;
  const Amg<double> points(queue, cube.matrix, plain);
  EXPECT_EQ(report.levels[0].bytes, points.report().levels[0].bytes + 3000 * 3 * 8);
  EXPECT_GT(m.traffic().matrix, points.traffic().matrix + 4 * 3000 * 3 * 8);
  EXPECT_LE(report.levels[0].largest_eigenvalue, points.report().levels[0].largest_eigenvalue);
  EXPECT_LE(cg_iterations(cube.matrix, m), 20);
}

TEST(AmgBlocks, LeaveTheCycleSymmetricAndPositive) {
  Queue queue;
  const Lattice plane = spring_lattice(30, true);
  const auto x = random_vector<double>(1800, 1), y = random_vector<double>(1800, 2);
  for (const AmgCycle cycle : {AmgCycle::v, AmgCycle::w})
    for (const int degree : {1, 2, 3}) {
      AmgOptions options = by_blocks(plane, 2);
      options.cycle = cycle, options.cycle_from = 0, options.degree = degree;
      const Amg<double> m(queue, plane.matrix, options);
      const auto mx = apply_to<double>(m, x), my = apply_to<double>(m, y);
      EXPECT_NEAR(inner(mx, y), inner(my, x), 1e-11 * std::sqrt(inner(mx, mx) * inner(y, y)));
      EXPECT_GT(inner(mx, x), 0);
      expect_scaled_application(m, 1e-12);
    }
}

TEST(AmgBlocks, HaveTheSameBitsForAnyThreads) {
  const Lattice cube = spring_cube(9);
  const auto x = random_vector<double>(cube.matrix.num_rows, 5);
  for (const Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
    AmgOptions options = by_blocks(cube, 3);
    options.precision = precision;
    std::vector<std::vector<double>> results;
    for (const int num_threads : {1, 2, 5, 2}) {
      Queue queue(Device::host(), num_threads);
      results.push_back(apply_to<double>(Amg<double>(queue, cube.matrix, options), x, num_threads));
    }
    for (const auto& result : results) EXPECT_EQ(result, results[0]);
    Queue queue;
    EXPECT_LE(cg_iterations(cube.matrix, options), precision == Precision::bfloat16 ? 25 : 20);
  }
}

TEST(AmgBlocks, TakeNewValues) {
  Queue queue(Device::host(), 2);
  const Lattice plane = spring_lattice(26, true);
  AmgOptions options = by_blocks(plane, 2);
  options.theta = 0;  // the same aggregates for both
  Csr<double> after = plane.matrix.clone();
  for (Index r = 0; r < after.num_rows; ++r)  // scaled from both sides, node by node
    for (Offset s = after.row_begin(r); s < after.row_begin(r + 1); ++s)
      after.vals.data()[s] *= (1 + 0.2 * std::sin(r / 2)) * (1 + 0.2 * std::sin(after.cols.data()[s] / 2));
  const auto x = random_vector<double>(after.num_rows, 6);
  Amg<double> m(queue, plane.matrix, options);
  const Amg<double> fresh(queue, after, options);
  const auto first = apply_to<double>(m, x), expected = apply_to<double>(fresh, x);
  ASSERT_EQ(m.aggregates(0), fresh.aggregates(0));
  m.update_values(queue, after);
  const auto found = apply_to<double>(m, x);
  for (std::size_t l = 0; l + 1 < m.report().levels.size(); ++l)  // bounds of eigenvalues are found in fewer steps
    EXPECT_NEAR(m.report().levels[l].largest_eigenvalue / fresh.report().levels[l].largest_eigenvalue, 1, 0.05) << l;
  EXPECT_NEAR(inner(found, x) / inner(expected, x), 1, 0.05);
  EXPECT_LE(std::abs(cg_iterations(after, m) - cg_iterations(after, fresh)), 1);
  m.update_values(queue, plane.matrix);
  EXPECT_EQ(apply_to<double>(m, x), first);
  Csr<double> larger = plane.matrix.clone();
  for (double& value : larger.vals.span()) value *= 4;  // a power of two: the same bits but for the scale
  m.update_values(queue, larger);
  const auto quarter = apply_to<double>(m, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(4 * quarter[i], first[i], 1e-12 * (1 + std::abs(first[i])));
}

TEST(AmgBlocks, OfOneUnknownAreTheDiagonal) {
  Queue queue;
  const Csr<double> a = gallery::make("laplace2d5:50,contrast=50");
  const auto x = random_vector<double>(2500, 5);
  EXPECT_EQ(apply_to<double>(Amg<double>(queue, a, {.smoother = AmgSmoother::block_jacobi}), x),
            apply_to<double>(Amg<double>(queue, a), x));
}

TEST(AmgBlocks, ThatAreSingularHaveTheirDiagonals) {
  Queue queue;
  // Points on a line, which springs along it do not hold across.
  std::vector<Triplet<double>> entries;
  const Index n = 300;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({2 * i, 2 * i, i == 0 || i + 1 == n ? 1.5 : 2.0});
    if (i > 0) entries.push_back({2 * i, 2 * i - 2, -1.0}), entries.push_back({2 * i - 2, 2 * i, -1.0});
    entries.push_back({2 * i + 1, 2 * i + 1, 0.0});
  }
  const Csr<double> a = make_csr(2 * n, 2 * n, entries);
  const Amg<double> m(queue, a,
                      {.theta = 0.25, .block = 2, .coarsest_rows = 20, .smoother = AmgSmoother::block_jacobi});
  EXPECT_EQ(m.report().levels[0].singular_blocks, n);
  EXPECT_NE(m.report().text().find("300 blocks are singular and smoothed by their diagonals"), std::string::npos)
      << m.report().text();
  const SparseMatrix<double> op(a, "csr");
  const auto b = apply_to<double>(op, random_vector<double>(2 * n, 3));
  std::vector<double> x(b.size(), 0.0);
  const SolveReport report = cg(queue, op, m, b, x, {.tolerance = 1e-8, .max_iterations = 60});
  EXPECT_TRUE(report.ok()) << report.reason;
}

}  // namespace
}  // namespace millrace::testing
