// The lowest eigenvalues: against known spectra, dense diagonalisation, and on a GPU against the host.
#include "millrace/solve/lanczos.hpp"

#include <numbers>

#include "millrace/solve/basis/small_eigen.hpp"
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

TEST(SmallEigen, DiagonalisesRealAndComplexMatrices) {
  Random random(5);
  for (const int n : {0, 1, 2, 3, 17, 40}) {
    std::vector<Complex<double>> matrix(static_cast<std::size_t>(n * n));
    const auto at = [&](auto& m, int row, int column) -> auto& {
      return m[static_cast<std::size_t>(column * n + row)];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        at(matrix, i, j) = {random.uniform(), i == j ? 0 : random.uniform()};
        at(matrix, j, i) = conjugate(at(matrix, i, j));
      }
    std::vector<double> real;
    for (const auto& value : matrix) real.push_back(value.re);
    const auto check = [&](const auto& m, const auto& eigen) {
      EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
      for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
          auto sum = -eigen.values[static_cast<std::size_t>(k)] * at(eigen.vectors, i, k);
          auto dot = 0. * at(eigen.vectors, 0, 0);
          for (int j = 0; j < n; ++j) {
            sum += at(m, i, j) * at(eigen.vectors, j, k);
            dot += conjugate(at(eigen.vectors, j, i)) * at(eigen.vectors, j, k);
          }
          EXPECT_LE(magnitude(sum), 1e-13 * n);
          EXPECT_NEAR(magnitude(dot), i == k ? 1 : 0, 1e-14 * n);
        }
      }
    };
    check(matrix, small_eigen(n, matrix));
    check(real, small_eigen(n, real));
  }
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

TYPED_TEST(Lanczos, SmallAndDegenerateMatrices) {
  using T = TypeParam;
  Queue queue;
  for (const Index n : {1, 2, 5, 31}) {
    std::vector<Triplet<T>> entries;
    for (Index i = 0; i < n; ++i) entries.push_back({i, i, T(RealOf<T>(i / 4))});  // every value four times
    const SparseMatrix<T> a(make_csr(n, n, entries), "csr");
    const int num = std::min<int>(n, 6);
    const EigenReport report = lanczos(queue, a, num, {.tolerance = 1e-5});
    ASSERT_TRUE(report.ok()) << n << ": " << report.reason;
    ASSERT_EQ(std::ssize(report.values), num);
    EXPECT_NEAR(report.values[0], 0, 1e-5) << n;
    for (const double residual : report.residuals) EXPECT_LE(residual, 1e-4) << n << ' ' << report.reason;
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
  const EigenReport stopped = lanczos(queue, a, 3, {.monitor = [](int, double) { return false; }});
  EXPECT_EQ(stopped.end, SolveEnd::stopped);
  EXPECT_EQ(stopped.restarts, 0);
  csr.vals.data()[5] = std::numeric_limits<double>::quiet_NaN();
  const SparseMatrix<double> bad(csr, "csr");
  EXPECT_EQ(lanczos(queue, bad, 3).end, SolveEnd::not_a_number);
  const std::string text = error_of([&] { lanczos(queue, a, 0); });
  EXPECT_NE(text.find("0 eigenvalues were asked for; A has 900"), std::string::npos) << text;
}

TEST(LanczosBits, AreTheSameForAnyNumberOfThreads) {
  const SparseMatrix<double> a(laplacian<double>(150), "csr");
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const EigenOptions options{.tolerance = 1e-3, .max_iterations = 90};
  EXPECT_EQ(lanczos(one, a, 2, options).values, lanczos(two, a, 2, options).values);
}

// What lanczos.hpp says an iteration moves: the mean over a cycle that keeps 4 of 10 vectors.
TEST(Lanczos, TrafficOfAnIteration) {
  Queue queue;
  const SparseMatrix<double> a(laplacian<double>(20), "csr");
  const double vector = 400 * 8, product = a.traffic().total();
  constexpr int basis = 10, keep = 4;
  for (const bool narrow : {false, true}) {
    const double stored = narrow ? vector / 2 : vector;
    double cycle = 0;
    for (int k = keep; k < basis; ++k) cycle += product + 2 * k * stored + 4 * vector + stored + vector;
    cycle += 2 * basis * stored + 2 * vector + stored;   // the candidate that ends the cycle joins the basis
    cycle += (basis + keep) * stored + stored + vector;  // the basis once, the part that is kept, and the last vector
    const EigenOptions options{.tolerance = 1e-3,
                               .max_iterations = 20,
                               .krylov_vectors = basis,
                               .krylov_precision = narrow ? Precision::single : Precision::full};
    EXPECT_DOUBLE_EQ(lanczos(queue, a, 2, options).iteration_bytes, cycle / (basis - keep));
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
  for (const bool graph : {true, false})
    for (const bool narrow : {false, true}) {
      const EigenOptions options{.tolerance = is_float ? 1e-5
                                              : narrow ? 1e-6
                                                       : 1e-11,
                                 .krylov_precision = narrow ? Precision::single : Precision::full,
                                 .graph = graph};
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
