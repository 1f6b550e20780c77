// Eigenvalues at both ends: against known spectra, dense diagonalisation, and on a GPU against the host.
#include "millrace/solve/lanczos.hpp"

#include <numbers>
#include <tuple>

#include "millrace/sparse/gallery.hpp"
#include "solve/problems.hpp"

#ifdef MILLRACE_TEST_EIGEN
#include <Eigen/Eigenvalues>
#endif

namespace millrace::testing {
namespace {

using namespace detail;

/// The 5-point Laplacian's eigenvalues on side x side points, rising.
std::vector<double> laplacian_spectrum(Index side) {
  std::vector<double> values;
  const auto one = [&](Index k) { return 2 - 2 * std::cos(std::numbers::pi * (k + 1) / (side + 1)); };
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) values.push_back(one(i) + one(j));
  std::sort(values.begin(), values.end());
  return values;
}

template <class T>
class Lanczos : public ::testing::Test {};
TYPED_TEST_SUITE(Lanczos, Scalars);

TYPED_TEST(Lanczos, FindsTheLaplaciansLowestEigenvalues) {
  using T = TypeParam;
  const Index side = 22;  // phases of complex couplings do not change the spectrum of a grid
  const Csr<T> csr = laplacian<T>(side);
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<double> exact = laplacian_spectrum(side);
  const bool is_float = sizeof(RealOf<T>) == 4;
  Queue queue;
  std::vector<T> vectors(static_cast<std::size_t>(side * side));
  const EigenReport report = lanczos(queue, a, 1, {.tolerance = is_float ? 1e-5 : 1e-11}, Vectors<T>(vectors));
  ASSERT_TRUE(report.ok()) << report.reason;
  EXPECT_NEAR(report.values[0], exact[0], is_float ? 1e-4 : 1e-12);
  EXPECT_LE(report.residuals[0], is_float ? 1e-3 : 1e-9);
  std::vector<T> product(vectors.size());
  a.apply(queue, {.x = vectors, .y = product});
  double residual = 0, norm = 0;
  for (std::size_t i = 0; i < product.size(); ++i) {
    residual += std::norm(product[i] - T(RealOf<T>(report.values[0])) * vectors[i]);
    norm += std::norm(vectors[i]);
  }
  EXPECT_NEAR(norm, 1, is_float ? 1e-5 : 1e-13);
  EXPECT_NEAR(std::sqrt(residual), report.residuals[0], 0.5 * report.residuals[0] + 1e-13);
}

TYPED_TEST(Lanczos, SeveralEigenvaluesThroughManyRestarts) {
  using T = TypeParam;
  const Index n = 400;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, T(RealOf<T>(std::sqrt(double(i))))});
  const SparseMatrix<T> a(make_csr(n, n, entries), "csr");
  const bool is_float = sizeof(RealOf<T>) == 4;
  Queue queue;
  for (const int basis : {0, 12, 60}) {
    const EigenReport report = lanczos(queue, a, 6, {.tolerance = is_float ? 1e-5 : 1e-10, .krylov_vectors = basis});
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_GT(report.restarts, 0);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(report.values[static_cast<std::size_t>(k)], std::sqrt(double(k)), is_float ? 2e-4 : 1e-9) << basis;
  }
}

/// A diagonal matrix of these values.
template <class T>
SparseMatrix<T> diagonal_matrix(const std::vector<double>& values) {
  std::vector<Triplet<T>> entries;
  for (const double value : values)
    entries.push_back({static_cast<Index>(entries.size()), static_cast<Index>(entries.size()), T(RealOf<T>(value))});
  const auto n = static_cast<Index>(values.size());
  return SparseMatrix<T>(make_csr(n, n, entries), "csr");
}

/// Every eigenvalue as often as it repeats, from both ends, verified; the bound is that of the residuals.
template <class T>
void expect_ends(std::vector<double> values, int num, const EigenOptions& given = {}) {
  const SparseMatrix<T> a = diagonal_matrix<T>(values);
  const bool is_float = sizeof(RealOf<T>) == 4;
  double norm = 0;
  for (const double value : values) norm = std::max(norm, std::abs(value));
  std::sort(values.begin(), values.end());
  Queue queue;
  for (const bool highest : {false, true}) {
    EigenOptions options = given;
    options.tolerance = is_float ? 1e-5 : 1e-11;
    options.end = highest ? SpectrumEnd::highest : SpectrumEnd::lowest;
    const EigenReport report = lanczos(queue, a, num, options);
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_TRUE(report.verified) << report.check;
    ASSERT_EQ(std::ssize(report.values), num);
    for (std::size_t k = 0; k < report.values.size(); ++k) {
      const double exact = highest ? values[values.size() - 1 - k] : values[k];
      EXPECT_NEAR(report.values[k], exact, 2 * report.residuals[k] + 100 * double{epsilon<T>} * norm)
          << "value " << k << " of " << num << " among " << values.size() << ": " << report.reason;
    }
  }
}

TYPED_TEST(Lanczos, RepeatedEigenvaluesComeAsOftenAsTheyRepeat) {
  using T = TypeParam;
  for (const int num : {1, 2, 3, 4, 5, 6}) expect_ends<T>({1, 1, 2, 2, 3, 3}, num);
  for (const int n : {1, 2, 3, 5, 31, 60}) {
    std::vector<double> fours, zeros(static_cast<std::size_t>(n)), ones(static_cast<std::size_t>(n), 1.0);
    for (int i = 0; i < n; ++i) fours.push_back(i / 4 - 3);
    for (const int num : {1, 6, n})
      if (num <= n) {
        expect_ends<T>(fours, num);
        expect_ends<T>(zeros, num);
        expect_ends<T>(ones, num);
      }
  }
}

TYPED_TEST(Lanczos, MoreCopiesThanABlockHolds) {
  using T = TypeParam;
  std::vector<double> values;  // 12 times each of -2 to 27, more than the basis holds
  for (int i = 0; i < 360; ++i) values.push_back(i / 12 - 2);
  for (const int block : {1, 2, 4, 8}) expect_ends<T>(values, 14, {.block = block});
  expect_ends<T>(values, 14, {.krylov_vectors = 15});
}

TYPED_TEST(Lanczos, NegativeDefiniteZeroRowsAndClusters) {
  using T = TypeParam;
  std::vector<double> negative, zeros, clusters;
  for (int i = 0; i < 300; ++i) {
    negative.push_back(-1 - 0.01 * i);
    zeros.push_back(i < 7 ? 0 : std::sqrt(double(i)));
    clusters.push_back(std::floor(i / 5.0) + (sizeof(RealOf<T>) == 4 ? 1e-3 : 1e-6) * (i % 5));
  }
  expect_ends<T>(negative, 5);
  expect_ends<T>(zeros, 9);
  expect_ends<T>(clusters, 8);
}

// Numbers whose squares overflow or vanish.
TYPED_TEST(Lanczos, VeryLargeAndVerySmallMatrices) {
  using T = TypeParam;
  const bool is_float = sizeof(RealOf<T>) == 4;
  Queue queue;
  for (const double unit : {is_float ? 1e-25 : 1e-200, is_float ? 1e25 : 1e200}) {
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) values.push_back(unit * (1 + std::floor(i / 2.0)));
    const SparseMatrix<T> a = diagonal_matrix<T>(values);
    const EigenReport report = lanczos(queue, a, 3, {.tolerance = is_float ? 1e-5 : 1e-11});
    ASSERT_TRUE(report.ok() && report.verified) << report.reason;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(report.values[k] / values[k], 1, is_float ? 1e-2 : 1e-8);
  }
}

/// The first run sees only what its start vector contains: the even eigenvalues. The check finds the others.
TEST(LanczosCheck, FindsWhatTheStartVectorHides) {
  std::vector<double> values, start(500);
  for (int i = 0; i < 500; ++i) values.push_back(i);
  for (std::size_t i = 0; i < start.size(); i += 2) start[i] = 1;
  const SparseMatrix<double> a = diagonal_matrix<double>(values);
  Queue queue;
  const EigenOptions options{.tolerance = 1e-9, .krylov_vectors = 40, .block = 1, .verify = false};
  const EigenReport blind = lanczos(queue, a, 4, options, {}, Vectors<const double>(start));
  ASSERT_TRUE(blind.ok()) << blind.reason;
  EXPECT_FALSE(blind.verified);
  EXPECT_NEAR(blind.values[1], 2, 1e-6);
  EigenOptions checked = options;
  checked.verify = true;
  std::vector<double> asked;
  for (const bool inertia : {false, true}) {
    if (inertia)
      checked.count_below = [&](double x) {
        asked.push_back(x);
        return static_cast<std::int64_t>(std::clamp(std::ceil(x), 0.0, 500.0));
      };
    const EigenReport report = lanczos(queue, a, 4, checked, {}, Vectors<const double>(start));
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_TRUE(report.verified) << report.check;
    EXPECT_GT(report.check_iterations, 0);
    EXPECT_NE(report.check.find(inertia ? "inertia" : "a run against"), std::string::npos) << report.check;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(report.values[k], static_cast<double>(k), 1e-6);
  }
  EXPECT_GE(asked.size(), 2u);
}

TEST(LanczosCheck, SaysWhatItCouldNotVerify) {
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) values.push_back(i);
  const SparseMatrix<double> a = diagonal_matrix<double>(values);
  Queue queue;
  const EigenReport wrong = lanczos(queue, a, 3, {.count_below = [](double) { return std::int64_t{17}; }});
  EXPECT_TRUE(wrong.ok());
  EXPECT_FALSE(wrong.verified);
  EXPECT_NE(wrong.check.find("not verified"), std::string::npos) << wrong.check;
  EXPECT_NE(wrong.reason.find("not verified"), std::string::npos) << wrong.reason;
  const EigenReport unknown = lanczos(queue, a, 3, {.count_below = [](double) { return std::int64_t{-1}; }});
  EXPECT_TRUE(unknown.verified) << unknown.check;
  const EigenReport free = lanczos(queue, a, 3, {.verify = false});
  const EigenReport hurried = lanczos(queue, a, 3, {.max_iterations = free.iterations + 4});
  EXPECT_TRUE(hurried.ok()) << hurried.reason;
  EXPECT_FALSE(hurried.verified);
  EXPECT_NE(hurried.check.find("had not ended"), std::string::npos) << hurried.check;
}

TEST(LanczosStart, AGoodOneNeedsFewProducts) {
  const SparseMatrix<double> a(laplacian<double>(30), "csr");
  Queue queue;
  std::vector<double> vectors(3 * 900);
  const EigenReport cold =
      lanczos(queue, a, 3, {.verify = false}, Vectors<double>(Device::host(), vectors.data(), 900, 3));
  ASSERT_TRUE(cold.ok());
  const EigenReport warm = lanczos(queue, a, 3, {.tolerance = 1e-9, .verify = false}, {},
                                   Vectors<const double>(Device::host(), vectors.data(), 900, 3));
  EXPECT_TRUE(warm.ok());
  EXPECT_LT(warm.iterations, cold.iterations / 2);
  const std::string text =
      error_of([&] { lanczos(queue, a, 3, {}, {}, Vectors<const double>(Device::host(), vectors.data(), 17)); });
  EXPECT_NE(text.find("start vectors of 900 entries are needed; there are 1 of 17"), std::string::npos) << text;
}

/// Second differences along each of `dim` directions of `side` points, closed to a ring or with zeros at both ends.
Csr<double> grid_matrix(Index side, int dim, bool ring) {
  Index n = 1;
  for (int d = 0; d < dim; ++d) n *= side;
  std::vector<Triplet<double>> entries;
  for (Index r = 0; r < n; ++r) {
    entries.push_back({r, r, 2.0 * dim});
    for (Index d = 0, step = 1; d < dim; ++d, step *= side) {
      const Index place = r / step % side;
      if (place + 1 < side || ring) entries.push_back({r, place + 1 < side ? r + step : r - (side - 1) * step, -1.0});
      if (place > 0 || ring) entries.push_back({r, place > 0 ? r - step : r + (side - 1) * step, -1.0});
    }
  }
  return make_csr(n, n, entries);
}

TEST(LanczosRepeats, CubesAndRings) {
  Queue queue;
  for (const auto& [side, dim, ring] : {std::tuple(101, 1, true), std::tuple(9, 3, false), std::tuple(8, 3, true)}) {
    std::vector<double> exact{0};
    for (int d = 0; d < dim; ++d) {
      std::vector<double> sums;
      for (const double before : exact)
        for (int k = 0; k < side; ++k)
          sums.push_back(before + 2 - 2 * std::cos(std::numbers::pi * (ring ? 2. * k / side : (k + 1.) / (side + 1))));
      exact = std::move(sums);
    }
    std::sort(exact.begin(), exact.end());
    const SparseMatrix<double> a(grid_matrix(side, dim, ring), "csr");
    const EigenReport report = lanczos(queue, a, 12);
    ASSERT_TRUE(report.ok() && report.verified) << report.reason;
    for (std::size_t k = 0; k < 12; ++k)
      EXPECT_NEAR(report.values[k], exact[k], 1e-9) << side << ' ' << dim << ' ' << k;
  }
}

#ifdef MILLRACE_TEST_EIGEN
TEST(LanczosPhysics, HolsteinHubbardAgainstDenseDiagonalisation) {
  Queue queue;
  for (const char* spec : {"hmep:0", "hmep:1,sites=4,up=2,down=2", "hmep:2,sites=4,up=2,down=2,U=6,g=1.2"}) {
    const Csr<double> csr = gallery::make(spec);
    const Index n = csr.num_rows;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
    for (Index r = 0; r < n; ++r)
      for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k)
        dense(r, csr.cols.data()[k]) += csr.vals.data()[k];
    const Eigen::VectorXd exact = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
    for (const bool narrow : {false, true}) {
      for (const bool sorted : {false, true}) {
        const SparseMatrix<double> a =
            sorted ? SparseMatrix<double>(Pjds<double>::make_reordered(csr)) : SparseMatrix<double>(csr, "csr");
        std::vector<double> vectors(static_cast<std::size_t>(n));
        const EigenReport report = lanczos(
            queue, a, 1,
            {.tolerance = narrow ? 1e-5 : 1e-12, .krylov_precision = narrow ? Precision::single : Precision::full},
            Vectors<double>(vectors));
        ASSERT_TRUE(report.ok()) << spec << ": " << report.reason;
        EXPECT_NEAR(report.values[0], exact[0], narrow ? 1e-5 : 1e-11) << spec << ' ' << report.reason;
        std::vector<double> product(vectors.size());
        SparseMatrix<double>(csr, "csr").apply(queue, {.x = vectors, .y = product});  // in the user's basis
        for (std::size_t i = 0; i < product.size(); ++i)
          EXPECT_NEAR(product[i], report.values[0] * vectors[i], narrow ? 1e-3 : 1e-9);
      }
    }
    const int num = std::min<int>(n, 10);  // levels repeat
    const EigenReport ten = lanczos(queue, SparseMatrix<double>(csr, "csr"), num);
    ASSERT_TRUE(ten.ok() && ten.verified) << spec << ": " << ten.reason;
    for (int k = 0; k < num; ++k)
      EXPECT_NEAR(ten.values[static_cast<std::size_t>(k)], exact[k], 1e-8) << spec << ' ' << k;
    const auto [low, high] = spectral_bounds(queue, SparseMatrix<double>(csr, "csr"));
    EXPECT_LE(low, exact[0] + 1e-12);
    EXPECT_GE(high, exact[n - 1] - 1e-12);
  }
}
#endif

TEST(LanczosEnds, LimitMonitorAndNotANumber) {
  Csr<double> csr = laplacian<double>(30);
  const SparseMatrix<double> a(csr, "csr");
  Queue queue;
  const EigenReport few = lanczos(queue, a, 3, {.tolerance = 1e-14, .max_iterations = 31});
  EXPECT_EQ(few.end, SolveEnd::max_iterations) << few.reason;
  EXPECT_EQ(few.values.size(), 3u);
  EXPECT_FALSE(few.verified);
  EXPECT_NE(few.check.find("not verified"), std::string::npos) << few.check;
  const EigenReport unchecked = lanczos(queue, a, 3, {.verify = false});
  EXPECT_TRUE(unchecked.ok()) << unchecked.reason;
  EXPECT_FALSE(unchecked.verified);
  EXPECT_EQ(unchecked.check_iterations, 0);
  const EigenReport stopped = lanczos(queue, a, 3, {.monitor = [](int, double) { return false; }});
  EXPECT_EQ(stopped.end, SolveEnd::stopped);
  EXPECT_EQ(stopped.restarts, 0);
  csr.vals.data()[5] = std::numeric_limits<double>::quiet_NaN();
  const SparseMatrix<double> bad(csr, "csr");
  EXPECT_EQ(lanczos(queue, bad, 3).end, SolveEnd::not_a_number);
  const std::string loose = error_of([&] { lanczos(queue, a, 3, {.tolerance = NAN}); });
  EXPECT_NE(loose.find("the tolerance is nan"), std::string::npos) << loose;
  const std::string text = error_of([&] { lanczos(queue, a, 0); });
  EXPECT_NE(text.find("0 eigenvalues were asked for; A has 900"), std::string::npos) << text;
}

TEST(LanczosBits, AreTheSameForAnyNumberOfThreads) {
  const SparseMatrix<double> a(laplacian<double>(150), "csr");
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const EigenOptions options{.tolerance = 1e-3, .max_iterations = 90};
  EXPECT_EQ(lanczos(one, a, 2, options).values, lanczos(two, a, 2, options).values);
}

// What lanczos.hpp says a block moves, over one cycle that fills a basis of 10 with blocks of 2.
TEST(Lanczos, TrafficOfAnIteration) {
  Queue queue;
  const SparseMatrix<double> a(laplacian<double>(20), "csr");
  const double vector = 400 * 8;
  constexpr int basis = 10, block = 2, num = 2;
  for (const bool narrow : {false, true}) {
    const double stored = narrow ? vector / 2 : vector;
    double cycle = 2 * 3 * block * vector;  // the random block at the start
    for (int k = block; k <= basis; k += block) cycle += a.traffic(block).total() + 4 * k * stored + 6 * block * vector;
    cycle += (basis + num) * stored;  // the vectors that were found
    const EigenOptions options{.tolerance = 1e-3,
                               .max_iterations = basis,
                               .krylov_vectors = basis,
                               .block = block,
                               .krylov_precision = narrow ? Precision::single : Precision::full};
    const EigenReport report = lanczos(queue, a, num, options);
    EXPECT_EQ(report.iterations, basis);
    EXPECT_DOUBLE_EQ(report.iteration_bytes, cycle / basis);
  }
}

template <class T>
class GpuLanczos : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(GpuLanczos, Scalars);

TYPED_TEST(GpuLanczos, FindsWhatTheHostFinds) {
  using T = TypeParam;
  const bool is_float = sizeof(RealOf<T>) == 4;
  Csr<T> csr = laplacian<T>(35);
  for (Index r = 0; r < csr.num_rows; ++r)  // no eigenvalue twice
    for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k)
      if (csr.cols.data()[k] == r) csr.vals.data()[k] += RealOf<T>(0.01 * std::sin(r));
  const SparseMatrix<T> host(csr, "csr"), a = host.to(Device::gpu());
  Queue host_queue, queue(Device::gpu());
  for (const int block : {1, 4})
    for (const bool narrow : {false, true}) {
      const EigenOptions options{.tolerance = is_float ? 1e-5
                                              : narrow ? 1e-6
                                                       : 1e-11,
                                 .block = block,
                                 .krylov_precision = narrow ? Precision::single : Precision::full};
      const EigenReport expected = lanczos(host_queue, host, 4, options);
      Array<T> vectors(queue, 4 * 35 * 35);
      const EigenReport found = lanczos(queue, a, 4, options, Vectors<T>(Device::gpu(), vectors.data(), 35 * 35, 4));
      ASSERT_TRUE(found.ok()) << found.reason;
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(found.values[k], expected.values[k], is_float ? 2e-4 : narrow ? 1e-5 : 1e-10);
      const EigenReport again = lanczos(queue, a, 4, options);
      EXPECT_EQ(found.values, again.values);
      EXPECT_EQ(found.residuals, again.residuals);
    }
}

}  // namespace
}  // namespace millrace::testing
