// GMRES and flexible GMRES: against exact answers, through restarts, and every way to end.
#include "millrace/solve/gmres.hpp"

#include <array>

#include "solve/problems.hpp"

#ifdef MILLRACE_TEST_EIGEN
#include <Eigen/Dense>
#endif

namespace millrace::testing {
namespace {

template <class T>
class Gmres : public ::testing::Test {};
TYPED_TEST_SUITE(Gmres, Scalars);

template <class T>
Csr<T> windy(Index side) {
  return laplacian<T>(side, RealOf<T>(0.1), RealOf<T>(0.4));
}

#ifdef MILLRACE_TEST_EIGEN
TYPED_TEST(Gmres, FindsTheDenseAnswer) {
  using T = TypeParam;
  const Csr<T> csr = windy<T>(9);
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> b = random_vector<T>(81, 1);
  // One type for all, for Eigen takes long to compile.
  Eigen::MatrixXcd dense = Eigen::MatrixXcd::Zero(81, 81);
  Eigen::VectorXcd right(81);
  for (Index r = 0; r < 81; ++r) {
    right(r) = std::complex<double>(b[static_cast<std::size_t>(r)]);
    for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k)
      dense(r, csr.cols.data()[k]) = std::complex<double>(csr.vals.data()[k]);
  }
  const Eigen::VectorXcd expected = dense.partialPivLu().solve(right);
  Queue queue;
  for (const int restart : {1, 2, 7, 30, 200}) {
    std::vector<T> x(81);
    const SolveReport report =
        gmres(queue, a, b, x, {.tolerance = reachable<T>(), .max_iterations = 5000, .restart = restart});
    EXPECT_TRUE(report.ok()) << restart << ": " << report.reason;
    double error = 0;
    for (Index i = 0; i < 81; ++i)
      error = std::max(error, std::abs(std::complex<double>(x[static_cast<std::size_t>(i)]) - expected[i]));
    EXPECT_LE(error, 1e3 * reachable<T>()) << restart;
  }
}
#endif

TYPED_TEST(Gmres, ReportsWhatItDid) {
  using T = TypeParam;
  const Csr<T> csr = windy<T>(30);
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> b = random_vector<T>(900, 1);
  std::vector<T> x = random_vector<T>(900, 2);
  Queue queue;
  int calls = 0;
  const SolveReport report =
      gmres(queue, a, b, x, {.tolerance = reachable<T>(), .restart = 20, .monitor = [&](int i, double) {
                               EXPECT_EQ(i, ++calls);
                               return true;
                             }});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_GT(report.iterations, 20);  // it was restarted
  EXPECT_EQ(calls, report.iterations);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_NEAR(report.relative, relative_residual<T>(csr, b, x), 0.05 * report.relative);
  EXPECT_LE(report.relative, reachable<T>());
  for (std::size_t i = 1; i < report.history.size(); ++i)  // GMRES never grows, up to rounding at a restart
    EXPECT_LE(report.history[i], 1.001 * report.history[i - 1]) << i;
}

TYPED_TEST(Gmres, BothSidesFlexibleAndFloatBasis) {
  using T = TypeParam;
  Csr<T> csr = windy<T>(20);
  for (Index r = 0; r < 400; ++r)
    for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k)
      csr.vals.data()[k] *= RealOf<T>((1 + r % 7) * (1 + csr.cols.data()[k] % 5));
  const SparseMatrix<T> a(csr, "csr");
  const SparseMatrix<T> m = inverse_diagonal(csr);
  const std::vector<T> b = random_vector<T>(400, 1);
  Queue queue;
  std::array<int, 6> iterations{};
  for (int variant = 0; variant < 6; ++variant) {
    SolveOptions options{.tolerance = reachable<T>(), .max_iterations = 2000};
    options.side = variant % 3 == 1 ? Side::left : Side::right;
    options.krylov_precision = variant >= 3 ? Precision::single : Precision::full;
    std::vector<T> x(400);
    const SolveReport report =
        variant % 3 == 2 ? fgmres(queue, a, m, b, x, options) : gmres(queue, a, m, b, x, options);
    EXPECT_TRUE(report.ok()) << variant << ": " << report.reason;
    EXPECT_LE(relative_residual<T>(csr, b, x), 2 * reachable<T>()) << variant;
    iterations[static_cast<std::size_t>(variant)] = report.iterations;
  }
  EXPECT_EQ(iterations[0], iterations[2]);  // right and flexible are the same when M does not change
  std::vector<T> x(400);
  EXPECT_GT(gmres(queue, a, b, x, {.tolerance = reachable<T>(), .max_iterations = 2000}).iterations, iterations[0]);
}

TYPED_TEST(Gmres, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const SparseMatrix<T> a(windy<T>(120), "csr");
  const std::vector<T> b = random_vector<T>(14400, 1);
  std::vector<T> x(14400), y(14400);
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const SolveOptions options{.tolerance = 1e-3, .max_iterations = 45, .restart = 20};
  const SolveReport p = gmres(one, a, b, x, options);
  const SolveReport q = gmres(two, a, b, y, options);
  EXPECT_TRUE(same_bits<T>(x, y));
  EXPECT_EQ(p.history, q.history);
}

TYPED_TEST(Gmres, WorksInTheBasisOfASortedFormat) {
  using T = TypeParam;
  const Csr<T> csr = windy<T>(20);
  const SparseMatrix<T> a(Pjds<T>::make_reordered(csr));
  ASSERT_NE(a.permutation(), nullptr);
  const std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x(400);
  Queue queue;
  const SolveReport report = gmres(queue, a, b, x, {.tolerance = reachable<T>()});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(relative_residual<T>(csr, b, x), 2 * reachable<T>());
}

TYPED_TEST(Gmres, EndsEarlyWhereTheSpaceHoldsTheAnswer) {
  using T = TypeParam;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 90; ++i) entries.push_back({i, i, T(RealOf<T>(1 + i % 3))});
  const Csr<T> csr = make_csr(90, 90, entries);
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> b = random_vector<T>(90, 1);
  Queue queue;
  for (const double tolerance : {reachable<T>(), 0.}) {  // 0 cannot be reached, and that is not endless
    std::vector<T> x(90);
    const SolveReport report = gmres(queue, a, b, x, {.tolerance = tolerance});
    EXPECT_LE(relative_residual<T>(csr, b, x), reachable<T>()) << report.reason;
    EXPECT_LT(report.iterations, 100);
    if (tolerance == 0) continue;
    EXPECT_LE(report.iterations, 4) << report.reason;
    EXPECT_TRUE(report.ok()) << report.reason;
  }
}

// Random matrices, most of them singular and badly scaled: it ends, and x is never worse than the zero it began with.
TYPED_TEST(Gmres, IsNeverWorseThanTheStart) {
  using T = TypeParam;
  Queue queue;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed + 1);
    const Index n = 2 + random.below(80), mean = 1 + random.below(6);
    Csr<T> csr = random_csr<T>(n, n, mean, seed, random.below(3) == 0 ? random.below(n) : -1);
    for (T& value : csr.vals.span()) value *= RealOf<T>(std::pow(10., random.uniform() * double(seed % 3) * 4));
    const SparseMatrix<T> a(csr, "csr");
    const std::vector<T> b = random_vector<T>(n, seed);
    for (const bool narrow : {false, true}) {
      std::vector<T> x(b.size());
      const SolveReport report = gmres(queue, a, b, x,
                                       {.tolerance = reachable<T>(),
                                        .max_iterations = 400,
                                        .restart = 1 + random.below(40),
                                        .krylov_precision = narrow ? Precision::single : Precision::full});
      EXPECT_LE(relative_residual<T>(csr, b, x), report.ok() ? 11 * reachable<T>() : 1.01)
          << seed << ": " << report.reason;
      EXPECT_FALSE(report.reason.empty());
    }
  }
}

TEST(GmresEnds, ZeroRightHandSide) {
  const SparseMatrix<double> a(windy<double>(5), "csr");
  const std::vector<double> b(25);
  std::vector<double> x = random_vector<double>(25, 1);
  Queue queue;
  const SolveReport report = gmres(queue, a, b, x);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, b);
}

TEST(GmresEnds, SizesZeroAndOne) {
  Queue queue;
  for (const Index n : {0, 1}) {
    const SparseMatrix<double> a(tridiagonal<double>(n, -1, 4, -1), "csr");
    const std::vector<double> b(static_cast<std::size_t>(n), 8.);
    std::vector<double> x(static_cast<std::size_t>(n));
    EXPECT_TRUE(gmres(queue, a, b, x).ok());
    for (const double value : x) EXPECT_DOUBLE_EQ(value, 2);
  }
}

TEST(GmresEnds, SingularMatrixIsABreakdown) {
  Queue queue;
  std::vector<Triplet<double>> half, shift;
  for (Index i = 0; i < 20; ++i) half.push_back({i, i, i < 10 ? 1. : 0.});
  for (Index i = 0; i < 19; ++i) shift.push_back({i, i + 1, 1.});
  for (const auto& entries : {half, shift}) {  // the second maps b = e_0 to zero at once
    const SparseMatrix<double> a(make_csr(20, 20, entries), "csr");
    std::vector<double> b(20, entries.size() == 20 ? 1. : 0.), x(20);
    b[0] = 1;
    const SolveReport report = gmres(queue, a, b, x);
    EXPECT_EQ(report.end, SolveEnd::breakdown) << report.reason;
    EXPECT_NE(report.reason.find("singular"), std::string::npos) << report.reason;
    EXPECT_LT(report.iterations, 30);
    for (const double value : x) EXPECT_TRUE(std::isfinite(value));
  }
}

// A cyclic shift: no progress at all before iteration n, so short cycles stand still.
TEST(GmresEnds, StandsStillOnACyclicShift) {
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < 40; ++i) entries.push_back({i, (i + 1) % 40, 1.});
  const Csr<double> csr = make_csr(40, 40, entries);
  const SparseMatrix<double> a(csr, "csr");
  std::vector<double> b(40), x(40);
  b[0] = 1;
  Queue queue;
  const SolveReport report = gmres(queue, a, b, x, {.restart = 10});
  EXPECT_EQ(report.end, SolveEnd::stagnation) << report.reason;
  EXPECT_NE(report.reason.find("restart"), std::string::npos) << report.reason;
  EXPECT_EQ(report.iterations, 40);
  std::fill(x.begin(), x.end(), 0.);
  const SolveReport full = gmres(queue, a, b, x, {.restart = 40});
  EXPECT_TRUE(full.ok()) << full.reason;
  EXPECT_LE(full.iterations, 41);
}

TEST(GmresEnds, ToleranceBelowPrecision) {
  const SparseMatrix<float> a(windy<float>(15), "csr");
  const std::vector<float> b = random_vector<float>(225, 1);
  std::vector<float> x(225);
  Queue queue;
  const SolveReport report = gmres(queue, a, b, x, {.tolerance = 1e-12});
  EXPECT_EQ(report.end, SolveEnd::stagnation) << report.reason;
  EXPECT_LT(report.relative, 1e-5);
  EXPECT_LT(report.iterations, 500);
}

TEST(GmresEnds, NotANumber) {
  Queue queue;
  Csr<double> csr = windy<double>(10);
  const std::vector<double> b = random_vector<double>(100, 1);
  std::vector<double> x(100), bad = b;
  bad[3] = std::numeric_limits<double>::quiet_NaN();
  {
    const SparseMatrix<double> a(csr, "csr");
    EXPECT_EQ(gmres(queue, a, bad, x).end, SolveEnd::not_a_number);
  }
  csr.vals.data()[17] = std::numeric_limits<double>::infinity();
  const SparseMatrix<double> a(csr, "csr");
  const SolveReport report = gmres(queue, a, b, x);
  EXPECT_EQ(report.end, SolveEnd::not_a_number) << report.reason;
}

TEST(GmresEnds, LimitAndMonitor) {
  const Csr<double> csr = windy<double>(30);
  const SparseMatrix<double> a(csr, "csr");
  const std::vector<double> b = random_vector<double>(900, 1);
  Queue queue;
  for (const int limit : {0, 1, 7, 33}) {
    std::vector<double> x(900);
    const SolveReport report = gmres(queue, a, b, x, {.tolerance = 1e-14, .max_iterations = limit, .restart = 10});
    EXPECT_EQ(report.end, SolveEnd::max_iterations) << report.reason;
    EXPECT_EQ(report.iterations, limit);
    EXPECT_NEAR(report.relative, relative_residual<double>(csr, b, x), 1e-10);
    EXPECT_NEAR(report.relative, report.history.back(), 1e-10);
  }
  std::vector<double> x(900);
  const SolveReport report = gmres(queue, a, b, x, {.restart = 20, .monitor = [](int i, double) { return i < 14; }});
  EXPECT_EQ(report.end, SolveEnd::stopped);
  EXPECT_EQ(report.iterations, 14);
  EXPECT_NEAR(report.relative, report.history.back(), 1e-10);
}

// Iteration j of a cycle: project j + 2 vectors, then j + 2 again and two written, unless it is the last. So five
// iterations of a cycle of 400 count five, not four hundred.
TEST(GmresTraffic, CountsTheIterationsThatWereMade) {
  const Csr<double> csr = windy<double>(20);
  const SparseMatrix<double> a(csr, "csr");
  const SparseMatrix<double> d = inverse_diagonal(csr);
  const std::vector<double> b = random_vector<double>(400, 1);
  const double vector = 400 * 8, product = a.traffic().total(), applied = d.traffic().total();
  Queue queue;
  for (const int m : {1, 5, 30, 400})
    for (const int made : {1, 5, 12})
      for (const double stored : {vector, vector / 2}) {
        SolveOptions options{.tolerance = 1e-14, .max_iterations = made, .restart = m};
        options.krylov_precision = stored < vector ? Precision::single : Precision::full;
        double building = 0, plain_end = 0, right_end = 0, flexible_end = 0;
        for (int left = made; left > 0; left -= m) {
          const int cycle = std::min(left, m);
          for (int j = 0; j < cycle; ++j) {
            building += j * stored + 2 * vector;
            if (j + 1 < cycle) building += j * stored + 2 * vector + stored + vector;
          }
          plain_end += (cycle - 1) * stored + 3 * vector + product + 3 * vector;
          right_end += (cycle - 1) * stored + 2 * vector + d.traffic(1, true).total() + product + 3 * vector;
          flexible_end += (cycle + 2) * vector + product + 3 * vector;
        }
        std::vector<double> x(400), y(400), z(400);
        const double plain = gmres(queue, a, b, x, options).iteration_bytes;
        EXPECT_DOUBLE_EQ(plain * made, building + made * product + plain_end) << m << " " << made;
        const double right = gmres(queue, a, d, b, y, options).iteration_bytes;
        EXPECT_DOUBLE_EQ(right * made, building + made * (product + applied) + right_end);
        const double flexible = fgmres(queue, a, d, b, z, options).iteration_bytes;
        EXPECT_DOUBLE_EQ(flexible * made, building + made * (product + applied) + flexible_end);
      }
}

TEST(GmresEdge, SaysWhatIsWrong) {
  const SparseMatrix<double> a(windy<double>(5), "csr");
  const std::vector<double> b(25, 1.);
  std::vector<double> x(25);
  Queue queue;
  const std::string bfloat = error_of([&] { gmres(queue, a, b, x, {.krylov_precision = Precision::bfloat16}); });
  EXPECT_NE(bfloat.find("full and single are accepted"), std::string::npos) << bfloat;
  const std::string text = error_of([&] { gmres(queue, a, b, x, {.restart = 0}); });
  EXPECT_NE(text.find("cycles of 0 iterations were asked for; 1 or more are accepted"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
