// Two levels: what the formula says, a linear map with sweeps, exact where the coarse system is all, and fewer
// iterations where slow errors live in the lowest modes.
#include "millrace/precond/two_level.hpp"

#include "millrace/precond/order_mdf.hpp"
#include "millrace/solve/gmres.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

/// Blocks of m modes on an n x n grid: the first modes are coupled like a Laplacian, higher ones less and less.
SparseMatrix<double> modes_on_a_grid(Index n, Index m, std::uint64_t seed = 5) {
  std::vector<Index> neighbours;
  std::vector<double> blocks;
  Random random(seed);
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x)
      for (const auto& [dx, dy] : {std::pair{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const bool inside = x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n;
        neighbours.push_back(inside ? (y + dy) * n + x + dx : -1);
        for (Index j = 0; j < m; ++j)
          for (Index i = 0; i < m; ++i)
            blocks.push_back(i != j               ? 0.05 * random.value<double>() * (i + j > 1 ? 1 : 0.1)
                             : dx == 0 && dy == 0 ? 4.0 + 0.001
                                                  : -1.0 / (1 + i));
      }
  return SparseMatrix<double>(AnyFormat<double>(Dbf<double>::from_blocks(m, 5, neighbours, blocks)));
}

TwoLevelOptions options_with(Queue& queue, const SparseMatrix<double>& a, std::vector<Index> kept, CoarseSolver solver,
                             int steps) {
  TwoLevelOptions options;
  options.kept = std::move(kept);
  options.solver = solver;
  options.steps = steps;
  options.smoother.order = order_mdf(queue, std::get<Dbf<double>>(a.format()));
  return options;
}

TEST(TwoLevel, CoarseMatrixHasTheKeptRowsAndColumns) {
  Queue queue;
  const SparseMatrix<double> a = modes_on_a_grid(5, 4);
  const TwoLevel<double> m(queue, a, options_with(queue, a, {0, 2}, CoarseSolver::gmres, 5));
  const Csr<double> coarse = m.coarse_matrix().to_csr(), fine = a.to_csr();
  EXPECT_EQ(coarse.num_rows, 50);
  const auto entry = [](const Csr<double>& matrix, Index r, Index c) {
    for (Offset s = matrix.row_begin(r); s < matrix.row_begin(r + 1); ++s)
      if (matrix.cols.data()[s] == c) return matrix.vals.data()[s];
    return 0.0;
  };
  for (Index r = 0; r < 50; ++r)
    for (Index c = 0; c < 50; ++c)
      ASSERT_EQ(entry(coarse, r, c), entry(fine, r / 2 * 4 + r % 2 * 2, c / 2 * 4 + c % 2 * 2));
}

TEST(TwoLevel, IsWhatTheFormulaSays) {
  Queue queue;
  const SparseMatrix<double> a = modes_on_a_grid(6, 3);
  const TwoLevel<double> m(queue, a, options_with(queue, a, {0, 1}, CoarseSolver::stationary, 2));
  EXPECT_TRUE(m.is_constant());
  const std::vector<double> x = random_vector<double>(108, 1);
  std::vector<double> r(72), left(72), z(108, 0.0), rest = x;
  for (std::size_t f = 0; f < 36; ++f)
    for (std::size_t k = 0; k < 2; ++k) r[2 * f + k] = x[3 * f + k];
  std::vector<double> e = apply_to(m.coarse_factors(), r);
  left = r;
  m.coarse_matrix().apply(queue, {.alpha = -1, .x = e, .beta = 1, .y = left});
  m.coarse_factors().apply(queue, {.x = left, .beta = 1, .y = e});
  for (std::size_t f = 0; f < 36; ++f)
    for (std::size_t k = 0; k < 2; ++k) z[3 * f + k] = e[2 * f + k];
  a.apply(queue, {.alpha = -1, .x = z, .beta = 1, .y = rest});
  m.smoother().apply(queue, {.x = rest, .beta = 1, .y = z});
  const std::vector<double> y = apply_to(m, x);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], z[i], 1e-14);
}

TEST(TwoLevel, IsALinearMapWithSweeps) {
  Queue queue;
  const SparseMatrix<double> a = modes_on_a_grid(12, 3);
  const TwoLevel<double> m(queue, a, options_with(queue, a, {0}, CoarseSolver::stationary, 5));
  const std::vector<double> x = random_vector<double>(432, 1), y = random_vector<double>(432, 2);
  std::vector<double> both(432);
  for (std::size_t i = 0; i < 432; ++i) both[i] = 3 * x[i] - 0.5 * y[i];
  const std::vector<double> mx = apply_to(m, x), my = apply_to(m, y), mboth = apply_to(m, both);
  double largest = 0;
  for (const double v : mx) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < 432; ++i) EXPECT_NEAR(mboth[i], 3 * mx[i] - 0.5 * my[i], 1e-13 * largest);
  EXPECT_TRUE(same_bits<double>(mx, apply_to(m, x, 3)));
  expect_scaled_application(m, 1e-14);
}

TEST(TwoLevel, SolvesWhereTheCoarseSystemIsAll) {
  Queue queue;
  const SparseMatrix<double> a = modes_on_a_grid(8, 2);
  const TwoLevel<double> m(queue, a, options_with(queue, a, {0, 1}, CoarseSolver::gmres, 60));
  EXPECT_FALSE(m.is_constant());
  const std::vector<double> x = random_vector<double>(128, 1);
  EXPECT_LE(residual<double>(a.to_csr(), apply_to(m, x), x), 1e-12);
}

TEST(TwoLevel, TakesFewerIterations) {
  Queue queue(Device::host(), 2);
  const SparseMatrix<double> a = modes_on_a_grid(60, 4);
  const std::vector<double> b = random_vector<double>(a.shape().rows, 1);
  const SolveOptions solve{.tolerance = 1e-6, .restart = 200};
  const auto iterations = [&](const Operator<double>& m, bool constant) {
    std::vector<double> x(b.size(), 0.0);
    const SolveReport report = constant ? gmres(queue, a, m, b, std::span<double>(x), solve)
                                        : fgmres(queue, a, m, b, std::span<double>(x), solve);
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_LE(residual<double>(a.to_csr(), x, b), 1.01e-6);
    return report.iterations;
  };
  TwoLevelOptions options = options_with(queue, a, {0}, CoarseSolver::gmres, 5);
  const int one_level = iterations(block_ilu0(queue, std::get<Dbf<double>>(a.format()), options.smoother), true);
  const int inner_gmres = iterations(TwoLevel<double>(queue, a, options), false);
  options.solver = CoarseSolver::stationary;
  const int sweeps = iterations(TwoLevel<double>(queue, a, options), true);
  EXPECT_LE(2 * inner_gmres, one_level);
  EXPECT_LT(sweeps, one_level);
  EXPECT_LE(inner_gmres, sweeps);
  options.smoother.precision = options.coarse.precision = Precision::single;
  EXPECT_LE(std::abs(iterations(TwoLevel<double>(queue, a, options), true) - sweeps), 1);
}

TEST(TwoLevel, NewValues) {
  Queue queue;
  SparseMatrix<double> a = modes_on_a_grid(6, 3);
  const SparseMatrix<double> b = modes_on_a_grid(6, 3, 77);
  TwoLevel<double> m(queue, a, options_with(queue, a, {0, 1}, CoarseSolver::stationary, 3));
  const std::vector<double> x = random_vector<double>(108, 1), before = apply_to(m, x);
  TwoLevelOptions options = m.options();
  const std::vector<double> expected = apply_to(TwoLevel<double>(queue, b, options), x);
  a.update_values(queue, b.to_csr());
  m.update_values(queue);
  const std::vector<double> after = apply_to(m, x);
  EXPECT_TRUE(same_bits<double>(after, expected));
  EXPECT_FALSE(same_bits<double>(after, before));
}

TEST(TwoLevel, Refusals) {
  Queue queue;
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const SparseMatrix<double> a = modes_on_a_grid(4, 3), csr(a.to_csr(), "csr");
  TwoLevelOptions options;
  says(error_of([&] { TwoLevel<double>(queue, a, options); }), "keeps no row of the blocks of 3");
  options.kept = {0, 3};
  says(error_of([&] { TwoLevel<double>(queue, a, options); }), "keeps row 3 of blocks of 3; rows of 0..2");
  options.kept = {1, 0};
  says(error_of([&] { TwoLevel<double>(queue, a, options); }), "keeps row 0");
  options.kept = {0};
  says(error_of([&] { TwoLevel<double>(queue, csr, options); }), "stored as csr; only dense blocks (dbf)");
  options.steps = 0;
  says(error_of([&] { TwoLevel<double>(queue, a, options); }), "0 steps for the coarse system");
}

}  // namespace
}  // namespace millrace::testing
