// The kernel polynomial method: moments against exact traces, and a density whose integral is one.
#include "millrace/solve/kpm.hpp"

#include <numbers>
#include <numeric>

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

double integral(const KpmReport& report) {  // by the points' own quadrature, exact for the polynomial
  const double half = (report.high - report.low) / 2, middle = (report.high + report.low) / 2;
  double sum = 0;
  for (std::size_t k = 0; k < report.density.size(); ++k) {
    const double x = (report.energies[k] - middle) / half;
    sum += report.density[k] * half * std::sqrt(1 - x * x) * std::numbers::pi / double(report.density.size());
  }
  return sum;
}

template <class T>
class Kpm : public ::testing::Test {};
TYPED_TEST_SUITE(Kpm, Scalars);

// For a diagonal matrix every vector of signs gives the exact trace.
TYPED_TEST(Kpm, MomentsOfADiagonalMatrixAreExact) {
  using T = TypeParam;
  const Index n = 300;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, T(RealOf<T>(3 + 2 * std::sin(i)))});
  const SparseMatrix<T> a(make_csr(n, n, entries), "csr");
  Queue queue;
  for (const int num : {2, 3, 64, 129})
    for (const int random : {1, 5}) {
      const KpmReport report =
          kpm(queue, a, {.num_moments = num, .random_vectors = random, .block = 2, .low = 0.9, .high = 5.1});
      ASSERT_TRUE(report.ok()) << report.reason;
      ASSERT_EQ(std::ssize(report.moments), num);
      const double half = (report.high - report.low) / 2;
      for (int k = 0; k < num; ++k) {
        double trace = 0;
        for (Index i = 0; i < n; ++i) trace += std::cos(k * std::acos(2 * std::sin(i) / half)) / n;
        EXPECT_NEAR(report.moments[static_cast<std::size_t>(k)], trace, sizeof(RealOf<T>) == 4 ? 1e-3 : 1e-12) << k;
      }
      EXPECT_NEAR(integral(report), 1, 1e-12);
      EXPECT_EQ(report.iterations, num / 2 * random);
    }
}

TYPED_TEST(Kpm, DensityOfAGrid) {
  using T = TypeParam;
  const Index side = 60;
  const SparseMatrix<T> a(laplacian<T>(side), "sell");
  Queue queue;
  const KpmReport report = kpm(queue, a, {.num_moments = 100, .random_vectors = 16});
  ASSERT_TRUE(report.ok()) << report.reason;
  EXPECT_LT(report.low, 0.01);
  EXPECT_GT(report.high, 7.99);
  EXPECT_NEAR(integral(report), 1, 1e-12);
  EXPECT_TRUE(std::is_sorted(report.energies.begin(), report.energies.end()));
  const double half = (report.high - report.low) / 2, middle = (report.high + report.low) / 2;
  for (std::size_t k = 0; k < 20; ++k) {  // the trace is stochastic: 1 / sqrt(n R) = 0.004
    double trace = 0;
    for (Index i = 0; i < side; ++i)
      for (Index j = 0; j < side; ++j) {
        const double energy = 4 - 2 * std::cos(std::numbers::pi * (i + 1) / (side + 1)) -
                              2 * std::cos(std::numbers::pi * (j + 1) / (side + 1));
        trace += std::cos(double(k) * std::acos((energy - middle) / half)) / side / side;
      }
    EXPECT_NEAR(report.moments[k], trace, 0.02) << k;
  }
  for (const double value : report.density) EXPECT_GT(value, -1e-6);  // Jackson's kernel is positive
}

TEST(KpmEnds, SaysThatTheIntervalIsTooSmall) {
  const SparseMatrix<double> a(laplacian<double>(20), "csr");
  Queue queue;
  const KpmReport report = kpm(queue, a, {.low = 2, .high = 5});
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.reason.find("outside of the interval"), std::string::npos) << report.reason;
  const std::string text = error_of([&] { kpm(queue, a, {.low = 2, .high = 1}); });
  EXPECT_NE(text.find("the interval from 2 to 1 is empty"), std::string::npos) << text;
}

TEST(KpmBits, AreTheSameForAnyNumberOfThreads) {
  const SparseMatrix<double> a(laplacian<double>(150), "csr");
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const KpmOptions options{.num_moments = 40, .random_vectors = 3, .low = 0, .high = 8};
  EXPECT_EQ(kpm(one, a, options).moments, kpm(two, a, options).moments);
}

TEST(KpmTraffic, CountsAProductAndThreeVectors) {
  const SparseMatrix<double> a(laplacian<double>(20), "csr");
  Queue queue;
  for (const int block : {1, 4})
    EXPECT_DOUBLE_EQ(kpm(queue, a, {.num_moments = 4, .block = block}).iteration_bytes,
                     a.traffic(block, true).total() + 3. * block * 400 * 8);
}

template <class T>
class GpuKpm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(GpuKpm, Scalars);

TYPED_TEST(GpuKpm, HasTheMomentsOfTheHost) {
  using T = TypeParam;
  const SparseMatrix<T> host(laplacian<T>(70), "csr"), a = host.to(Device::gpu());
  Queue host_queue, queue(Device::gpu());
  for (const bool graph : {true, false}) {
    const KpmOptions options{.num_moments = 200, .random_vectors = 6, .low = 0, .high = 8, .graph = graph};
    const KpmReport expected = kpm(host_queue, host, options), found = kpm(queue, a, options);
    ASSERT_TRUE(found.ok()) << found.reason;
    ASSERT_EQ(found.moments.size(), expected.moments.size());
    for (std::size_t k = 0; k < found.moments.size(); ++k)
      EXPECT_NEAR(found.moments[k], expected.moments[k], sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-11) << k;
    EXPECT_EQ(found.moments, kpm(queue, a, options).moments);
  }
}

}  // namespace
}  // namespace millrace::testing
