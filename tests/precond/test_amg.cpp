// Algebraic multigrid: iterations that do not grow, symmetry, the same bits, new values, and matrices that are odd.
#include "millrace/precond/amg.hpp"

#include <numeric>

#include "millrace/solve/cg.hpp"
#include "millrace/solve/gmres.hpp"
#include "multigrid/multigrid_tools.hpp"

namespace millrace::testing {
namespace {

int iterations(const Csr<double>& csr, const Amg<double>& m, double tolerance = 1e-8) {
  const SparseMatrix<double> a(csr, "csr");
  Queue queue;
  const auto b = random_vector<double>(csr.num_rows, 3);
  std::vector<double> x(b.size(), 0.0);
  const SolveReport report = cg(queue, a, m, b, x, {.tolerance = tolerance, .max_iterations = 200});
  EXPECT_TRUE(report.ok()) << report.reason;
  return report.iterations;
}
int iterations(const Csr<double>& csr, const AmgOptions& options = {}) {
  Queue queue;
  return iterations(csr, Amg<double>(queue, csr, options));
}

double product(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

TEST(Amg, NeedsFewIterationsOnEverySize) {
  for (const char* name : {"laplace3d7:12", "laplace3d7:28", "laplace3d27:24", "laplace2d5:40", "laplace2d5:120",
                           "laplace2d9:100", "laplace3d7:24,contrast=100"})
    EXPECT_LE(iterations(gallery::make(name)), 20) << name;
  for (const char* name : {"laplace3d7:24,anisotropy=0.001", "laplace3d7:24,anisotropy=1000",
                           "laplace3d7:24,contrast=1e6", "laplace2d5:100,anisotropy=0.001"})
    EXPECT_LE(iterations(gallery::make(name)), 40) << name;
}

TEST(Amg, ReportsItsLevels) {
  Queue queue;
  const Csr<double> a = gallery::make("laplace3d7:30");
  const Amg<double> m(queue, a);
  const AmgReport& report = m.report();
  ASSERT_GE(report.levels.size(), 3U);
  EXPECT_EQ(report.levels[0].rows, 27000);
  EXPECT_EQ(report.levels[0].entries, a.num_entries());
  EXPECT_EQ(report.levels[0].format, "dia");
  EXPECT_EQ(report.levels.back().format, "dense inverse");
  EXPECT_LE(report.levels.back().rows, m.options().coarsest_rows);
  double rows = 0, entries = 0;
  std::int64_t bytes = 0;
  for (const AmgLevelReport& level : report.levels) {
    rows += static_cast<double>(level.rows), entries += static_cast<double>(level.entries), bytes += level.bytes;
  }
  EXPECT_DOUBLE_EQ(report.grid_complexity, rows / 27000);
  EXPECT_DOUBLE_EQ(report.operator_complexity, entries / static_cast<double>(a.num_entries()));
  EXPECT_LE(report.operator_complexity, 1.6);
  EXPECT_EQ(report.cycle_bytes, bytes);
  EXPECT_GT(report.levels[0].largest_eigenvalue, 1.8);
  EXPECT_LE(report.levels[0].largest_eigenvalue, 2.0);
  EXPECT_NE(report.text().find("27000 rows"), std::string::npos) << report.text();
  EXPECT_EQ(std::ssize(m.aggregates(0)), 27000);
  EXPECT_GT(m.traffic().total(), 3 * 27000.0 * 7 * 8);
  expect_words([&] { m.aggregates(9); }, "amg: there is no level 9; there are");
}

TEST(Amg, IsSymmetricAndPositiveWithEverySmootherAndCycle) {
  Queue queue;
  const Csr<double> a = gallery::make("laplace2d5:50,contrast=50");
  const auto x = random_vector<double>(2500, 1), y = random_vector<double>(2500, 2);
  for (const AmgSmoother smoother :
       {AmgSmoother::chebyshev, AmgSmoother::fourth_kind, AmgSmoother::fourth_kind_optimal, AmgSmoother::l1_jacobi})
    for (const AmgCycle cycle : {AmgCycle::v, AmgCycle::w})
      for (const int degree : {1, 3}) {
        const Amg<double> m(
            queue, a, {.coarsest_rows = 30, .cycle = cycle, .cycle_from = 0, .smoother = smoother, .degree = degree});
        const auto mx = apply_to<double>(m, x), my = apply_to<double>(m, y);
        EXPECT_NEAR(product(mx, y), product(my, x), 1e-11 * std::sqrt(product(mx, mx) * product(y, y)));
        EXPECT_GT(product(mx, x), 0);
        EXPECT_LE(iterations(a, m), smoother == AmgSmoother::l1_jacobi ? 45 : 30);
      }
}

TEST(Amg, HasTheSameBitsForAnyThreads) {
  const Csr<double> a = gallery::make("laplace3d7:32,contrast=10");
  const auto x = random_vector<double>(a.num_rows, 5);
  for (const Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
    std::vector<std::vector<double>> results;
    for (const int num_threads : {1, 2, 5}) {
      Queue queue(Device::host(), num_threads);
      const Amg<double> m(queue, a, {.precision = precision});
      results.push_back(apply_to<double>(m, x, num_threads));
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

TEST(Amg, TakesNewValues) {
  Queue queue(Device::host(), 2);
  const Csr<double> before = gallery::make("laplace3d7:20"), after = gallery::make("laplace3d7:20,contrast=3");
  ASSERT_EQ(before.num_entries(), after.num_entries());
  const auto x = random_vector<double>(before.num_rows, 6);
  for (const Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
    const AmgOptions options{.theta = 0, .precision = precision};  // with theta the same graph for both
    Amg<double> m(queue, before, options);
    const auto first = apply_to<double>(m, x);
    m.update_values(queue, after);
    EXPECT_NE(apply_to<double>(m, x), first);
    EXPECT_LE(iterations(after, m), 20);
    m.update_values(queue, before);
    EXPECT_EQ(apply_to<double>(m, x), first);
  }
  Amg<double> kept(queue, before, {.keep_prolongators = true});
  kept.update_values(queue, after);
  EXPECT_LE(iterations(after, kept), 25);
  expect_words([&] { kept.update_values(queue, gallery::make("laplace3d7:19")); },
               "amg: update_values needs the pattern of before, 8000 rows and 53600 entries; this matrix has 6859 and");
  Csr<double> moved = before.clone();
  std::swap(moved.cols.data()[0], moved.cols.data()[1]);
  expect_words([&] { kept.update_values(queue, moved); }, "this matrix has as many entries at other places");
}

TEST(Amg, StoresLevelsInFewerBits) {
  Queue queue;
  const Csr<double> a = gallery::make("laplace3d7:32");
  const int full = iterations(a);
  EXPECT_LE(iterations(a, {.precision = Precision::single}), full + 1);
  EXPECT_LE(iterations(a, {.precision = Precision::bfloat16}), full + 3);
  const Amg<double> wide(queue, a), single(queue, a, {.precision = Precision::single}),
      half(queue, a, {.precision = Precision::bfloat16});
  EXPECT_LT(static_cast<double>(single.report().cycle_bytes), 0.75 * static_cast<double>(wide.report().cycle_bytes));
  EXPECT_EQ(half.report().levels[0].format, "diagonals in bfloat16");
  EXPECT_EQ(half.report().levels[1].format, "rows in bfloat16");
  EXPECT_LT(static_cast<double>(half.report().cycle_bytes), 0.9 * static_cast<double>(single.report().cycle_bytes));
  expect_scaled_application(wide, 10 * eps<double>);
  expect_scaled_application(single, 10 * eps<double>);
  int asked = 0;
  AmgOptions options{.precision = Precision::single};
  options.format_single = [&](Queue& own, const Csr<float>& level) {
    ++asked;
    return SparseMatrix<float>(own, level, "ell");
  };
  const Amg<double> chosen(queue, a, options);
  EXPECT_EQ(asked + 1, std::ssize(chosen.report().levels));
  EXPECT_EQ(chosen.report().levels[1].format, "ell");
}

TEST(Amg, WorksInFloat) {
  const Csr<float> a = convert_values<float>(gallery::make("laplace3d7:20"));
  Queue queue;
  const Amg<float> m(queue, a);
  const auto b = random_vector<float>(a.num_rows, 3);
  std::vector<float> x(b.size(), 0.0F);
  const SolveReport report = cg(queue, SparseMatrix<float>(a, "csr"), m, b, x, {.tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(report.iterations, 15);
}

TEST(Amg, WithoutSmoothedProlongatorsHasAKCycle) {
  Queue queue;
  const Csr<double> a = gallery::make("laplace2d5:90");
  const AmgOptions cheap{.coarsest_rows = 50, .damping = 0, .cycle = AmgCycle::k, .cycle_from = 0};
  const Amg<double> m(queue, a, cheap);
  const SparseMatrix<double> op(a, "csr");
  const auto b = random_vector<double>(a.num_rows, 3);
  std::vector<double> x(b.size(), 0.0);
  const SolveReport report = fgmres(queue, op, m, b, x, {.tolerance = 1e-8});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(report.iterations, 40);
  EXPECT_LT(m.report().operator_complexity, Amg<double>(queue, a).report().operator_complexity);
  const AmgOptions plain{.coarsest_rows = 50, .damping = 0, .cycle = AmgCycle::v},
      over{.coarsest_rows = 50, .damping = 0, .over_correction = 1.6, .cycle = AmgCycle::v};
  EXPECT_LT(iterations(a, over), iterations(a, plain));
}

TEST(Amg, SolvesSingularSystems) {
  Queue queue;
  const Csr<double> csr = neumann_grid(70, 60);
  const Amg<double> m(queue, csr);
  EXPECT_EQ(m.report().null_vectors, 1);
  const SparseMatrix<double> a(csr, "csr");
  std::vector<double> b = random_vector<double>(csr.num_rows, 3);
  const double mean = std::accumulate(b.begin(), b.end(), 0.0) / static_cast<double>(b.size());
  for (double& value : b) value -= mean;
  std::vector<double> x(b.size(), 0.0);
  const SolveReport report = cg(queue, a, m, b, x, {.tolerance = 1e-8});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(report.iterations, 20);
}

TEST(Amg, TakesRigidBodyModes) {
  const Lattice loose = spring_lattice(6, false);
  const std::vector<double> modes = rigid_body_modes(loose.points, 2);
  ASSERT_EQ(modes.size(), 3U * 72);
  const SparseMatrix<double> free(loose.matrix, "csr");
  for (std::size_t k = 0; k < 3; ++k) {
    const auto from = modes.begin() + static_cast<std::ptrdiff_t>(72 * k);
    for (const double force : apply_to<double>(free, std::vector<double>(from, from + 72)))
      EXPECT_NEAR(force, 0, 1e-13);
  }
  int last = 0;
  for (const Index n : {24, 48}) {
    const Lattice held = spring_lattice(n, true);
    AmgOptions options{.block = 2};
    const int constants = iterations(held.matrix, options);
    options.near_null = rigid_body_modes(held.points, 2);
    last = iterations(held.matrix, options);
    EXPECT_LT(last, constants);
  }
  EXPECT_LE(last, 30);
  const std::vector<double> solid = rigid_body_modes(std::vector<double>{0, 0, 0, 1, 2, 4}, 3);
  ASSERT_EQ(solid.size(), 36U);  // about the middle of both points; a rotation about x moves y by -z and z by y
  EXPECT_EQ(std::vector<double>(solid.begin() + 18, solid.begin() + 24), (std::vector<double>{0, 2, -1, 0, -2, 1}));
  expect_words(
      [] {
        rigid_body_modes(std::vector<double>{1, 2, 3}, 2);
      },
      "rigid_body_modes: 3 coordinates in 2 dimensions; whole points in 2 or 3 are accepted");
}

TEST(Amg, PreconditionsWhatIsNotSymmetric) {
  const Index n = 60;  // convection and diffusion, upwind
  std::vector<Triplet<double>> entries;
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) {
      const Index i = y * n + x;
      const double wind = 0.5;
      entries.push_back({i, i, 4 + 2 * wind});
      if (x > 0) entries.push_back({i, i - 1, -1 - wind});
      if (x + 1 < n) entries.push_back({i, i + 1, -1.0});
      if (y > 0) entries.push_back({i, i - n, -1 - wind});
      if (y + 1 < n) entries.push_back({i, i + n, -1.0});
    }
  const Csr<double> csr = make_csr(n * n, n * n, entries);
  Queue queue;
  const Amg<double> m(queue, csr);
  const SparseMatrix<double> a(csr, "csr");
  const auto b = random_vector<double>(csr.num_rows, 3);
  std::vector<double> x(b.size(), 0.0);
  const SolveReport report = gmres(queue, a, m, b, x, {.tolerance = 1e-8});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(report.iterations, 25);
}

TEST(Amg, TakesOddMatrices) {
  Queue queue;
  const auto works = [&](const Csr<double>& a, AmgOptions options = {}) {
    options.coarsest_rows = 10;
    const Amg<double> m(queue, a, options);
    for (const double value : apply_to<double>(m, random_vector<double>(a.num_rows, 9)))
      EXPECT_TRUE(std::isfinite(value));
    return m.report();
  };
  works(csr_of<double>(0, {}));
  works(csr_of<double>(1, {{{0, 2.0}}}));
  EXPECT_EQ(works(csr_of<double>(40, std::vector<std::vector<std::pair<Index, double>>>(40))).replaced_diagonals, 40);
  for (const char* name : {"hugerow:3000", "powerlaw:3000", "random:n=3000,k=4", "poisson2d5:n=30,permute=1"})
    works(gallery::make(name));
  // Rows of a boundary condition, empty rows, and rows without a diagonal entry.
  const Csr<double> grid = gallery::make("laplace2d5:40");
  std::vector<std::vector<std::pair<Index, double>>> rows(1600);
  for (Index r = 0; r < 1600; ++r)
    for (Offset s = grid.row_begin(r); s < grid.row_begin(r + 1); ++s) {
      const Index c = grid.cols.data()[s];
      if (r < 40 ? c == r : c >= 40 && r != 100 && c != 100 && (r != 200 || c != r))
        rows[to_size(r)].push_back({c, grid.vals.data()[s]});
    }
  EXPECT_EQ(works(csr_of<double>(1600, rows)).replaced_diagonals, 2);
  std::vector<std::vector<std::pair<Index, double>>> diagonal;
  for (Index r = 0; r < 600; ++r) diagonal.push_back({{r, 1.0 + r}});
  EXPECT_FALSE(works(csr_of<double>(600, diagonal)).dense_coarsest);
  Queue one(Device::host(), 1);
  const Csr<double> twice = csr_of<double>(2, {{{0, 1.0}, {0, 1.0}}, {{1, 4.0}}});
  EXPECT_EQ(apply_to<double>(Amg<double>(one, twice), {2.0, 2.0}), (std::vector<double>{1.0, 0.5}));
}

TEST(Amg, TakesEntriesThatComeTwice) {
  const Csr<double> once = gallery::make("laplace2d5:30");
  Array<std::int64_t> row_ptr(901);
  Array<Index> cols(2 * once.num_entries());
  Array<double> vals(2 * once.num_entries());
  for (Index r = 0; r <= 900; ++r) row_ptr.data()[r] = 2 * once.row_begin(r);
  for (Offset s = 0; s < 2 * once.num_entries(); ++s)
    cols.data()[s] = once.cols.data()[s / 2], vals.data()[s] = once.vals.data()[s / 2] / 2;
  const Csr<double> twice(900, 900, std::move(row_ptr), std::move(cols), std::move(vals));
  EXPECT_EQ(iterations(twice), iterations(once));
}

TEST(Amg, SaysWhatItRefuses) {
  Queue queue;
  const Csr<double> a = gallery::make("laplace2d5:10");
  const auto refused = [&](const AmgOptions& options, const std::string& text) {
    expect_words([&] { Amg<double>(queue, a, options); }, text);
  };
  refused({.block = 3}, "amg: nodes of 3 unknowns do not divide 100 rows; a block of 1 or more that does is accepted");
  refused({.near_null = std::vector<double>(150)},
          "amg: 150 entries of near-null vectors for 100 rows; up to 64 whole vectors are accepted");
  refused({.smoother = AmgSmoother::fourth_kind_optimal, .degree = 7},
          "amg: a smoother of 7 products; 1 or more, with optimal weights up to 6, are accepted");
  refused({.damping = 2}, "amg: a damping of 2; 0 to less than 2 are accepted");
  refused({.ratio = 1}, "amg: a ratio of 1 and 8 steps");
  expect_words([&] { Amg<double>(queue, random_csr<double>(4, 5, 2, 1)); },
               "amg: the matrix is 4 x 5; it must be square");
  Csr<double> bad = a.clone();
  bad.vals.data()[bad.row_begin(37)] = NAN;
  expect_words([&] { Amg<double>(queue, bad); }, "amg: row 37 of a matrix of 100 has a number that is not finite");
}

}  // namespace
}  // namespace millrace::testing
