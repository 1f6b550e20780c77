// Every solver on a GPU against the host: the same iterations, the same ends, with a graph and without.
#include <limits>

#include "millrace/solve/refine.hpp"
#include "on_gpu.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuSolvers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  struct Outcome {
    SolveReport report;
    std::vector<T> x;
  };
  Outcome on_gpu(const Case<T>& c, const SparseMatrix<T>& a, const Operator<T>* m, const std::vector<T>& b,
                 const SolveOptions& options) {
    Queue queue(Device::gpu());
    const SparseMatrix<T> there_a = a.to(Device::gpu());
    const Identity<T> none(there_a);
    const Array<T> there_b = testing::on_gpu(b);
    Array<T> x = testing::on_gpu(std::vector<T>(b.size()));
    Outcome outcome;
    outcome.report = c.solver(queue, there_a, m ? *m : none, there_b, x, options);
    outcome.x = x.to_vector();
    return outcome;
  }
};
TYPED_TEST_SUITE(GpuSolvers, Scalars);

TYPED_TEST(GpuSolvers, SameAsTheHost) {
  using T = TypeParam;
  Queue host;
  for (const Index m : {1, 24, 65, 300})  // 300^2: several entries per thread, all blocks
    for (const Case<T>& c : cases<T>()) {
      if (m > 24 && c.shift < 0) continue;  // an indefinite matrix of that size takes too many iterations
      const Csr<T> csr = c.matrix(m);
      const SparseMatrix<T> a(csr, "csr"), diagonal = inverse_diagonal(csr);
      const SparseMatrix<T> there_diagonal = diagonal.to(Device::gpu());
      const std::vector<T> b = random_vector<T>(m * m, 1);
      for (const bool preconditioned : {false, true}) {
        SolveOptions options{.tolerance = reachable<T>()};
        const Identity<T> none(a);
        std::vector<T> x(b.size());
        const SolveReport expected =
            c.solver(host, a, preconditioned ? static_cast<const Operator<T>&>(diagonal) : none, b, x, options);
        for (const bool graph : {false, true}) {
          SCOPED_TRACE(c.name + ", " + std::to_string(m) + (preconditioned ? ", diagonal" : "") +
                       (graph ? ", graph" : ""));
          options.graph = graph;
          const auto found = this->on_gpu(c, a, preconditioned ? &there_diagonal : nullptr, b, options);
          EXPECT_TRUE(found.report.ok()) << found.report.reason;
          // rounding differs, and the residuals of BiCGStab jump
          const int slack = std::max(1, expected.iterations / (c.name.starts_with("bicgstab") ? 4 : 10));
          EXPECT_NEAR(found.report.iterations, expected.iterations, slack);
          EXPECT_LE(relative_residual<T>(csr, b, found.x), 10 * reachable<T>());
          EXPECT_EQ(found.report.history.size(), static_cast<std::size_t>(found.report.iterations) + 1);
          // what a cycle of a single column keeps is up to rounding, and a GPU's cycles are not followed step by step
          if (found.report.iterations == expected.iterations && m > 1) {
            EXPECT_EQ(found.report.iteration_bytes, expected.iteration_bytes);
          }
          const std::size_t early = std::min<std::size_t>(5, expected.history.size() - 1);
          const double noise = 16 * double{std::numeric_limits<RealOf<T>>::epsilon()};  // where it has converged
          EXPECT_NEAR(found.report.history[early], expected.history[early], 1e-2 * expected.history[early] + noise);
        }
      }
    }
}

// The end is the host's, not that of a batch: the same bits with a graph, without one, and again.
TYPED_TEST(GpuSolvers, SameBitsWithAndWithoutGraph) {
  using T = TypeParam;
  const std::vector<T> b = random_vector<T>(100 * 100, 1);
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(100), "csr");
    for (const int most : {0, 1, 2, 7, 41}) {
      const SolveOptions plain{.tolerance = 0, .max_iterations = most, .graph = false};
      const SolveOptions graph{.tolerance = 0, .max_iterations = most, .graph = true};
      const auto first = this->on_gpu(c, a, nullptr, b, plain);
      const auto second = this->on_gpu(c, a, nullptr, b, graph);
      const auto third = this->on_gpu(c, a, nullptr, b, graph);
      EXPECT_EQ(first.report.iterations, most) << first.report.reason;
      EXPECT_EQ(second.report.iterations, most);
      EXPECT_TRUE(same_bits<T>(first.x, second.x)) << most;
      EXPECT_TRUE(same_bits<T>(second.x, third.x)) << most;
      EXPECT_TRUE(same_bits<double>(first.report.history, second.report.history)) << most;
    }
  }
}

TYPED_TEST(GpuSolvers, EndsOfTheHost) {
  using T = TypeParam;
  const T nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  const std::vector<T> b = random_vector<T>(400, 1), zero(400);
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    Csr<T> csr = c.matrix(20);
    const auto none = this->on_gpu(c, SparseMatrix<T>(csr, "csr"), nullptr, zero, {});
    EXPECT_TRUE(none.report.ok());
    EXPECT_EQ(none.x, zero);
    EXPECT_EQ(none.report.iterations, 0);
    const SparseMatrix<T> wrong_signs(tridiagonal<T>(400, T(-1), T(0.1f), T(-1)), "csr");
    const auto indefinite = this->on_gpu(c, wrong_signs, nullptr, b, {.tolerance = 1e-12, .max_iterations = 50});
    EXPECT_FALSE(indefinite.report.ok());
    EXPECT_FALSE(indefinite.report.reason.empty());
    EXPECT_TRUE(c.name != "cg" || indefinite.report.end == SolveEnd::indefinite) << indefinite.report.reason;
    csr.vals.data()[100] = nan;
    const auto bad = this->on_gpu(c, SparseMatrix<T>(csr, "csr"), nullptr, b, {});
    EXPECT_EQ(bad.report.end, SolveEnd::not_a_number) << bad.report.reason;
  }
}

// Another scale of b, of A, another sign, another shadow: what was captured before is not used again.
TYPED_TEST(GpuSolvers, ScalesSignsAndRestartsOfTheHost) {
  using T = TypeParam;
  using R = RealOf<T>;
  const bool single = sizeof(R) == 4;
  const auto times = [](std::vector<T> v, double factor) {
    for (T& value : v) value *= static_cast<R>(factor);
    return v;
  };
  for (const Index m : {20, 150})  // cg in one kernel, and not
    for (const Case<T>& c : cases<T>())
      for (const bool graph : {false, true}) {
        SCOPED_TRACE(c.name + ", " + std::to_string(m) + (graph ? ", graph" : ""));
        if (m > 20 && c.shift < 0) continue;  // an indefinite matrix of that size takes too many iterations
        const SolveOptions options{.tolerance = reachable<T>(), .graph = graph};
        const std::vector<T> b = random_vector<T>(m * m, 1);
        Csr<T> csr = c.matrix(m);
        const double scale = std::ldexp(1.0, single ? -100 : -664);
        const auto usual = this->on_gpu(c, SparseMatrix<T>(csr, "csr"), nullptr, b, options);
        const auto tiny = this->on_gpu(c, SparseMatrix<T>(csr, "csr"), nullptr, times(b, scale), options);
        EXPECT_TRUE(tiny.report.ok()) << tiny.report.reason;
        EXPECT_TRUE(same_bits<T>(tiny.x, times(usual.x, scale)));
        for (T& value : csr.vals.span()) value = -value;
        const auto negative = this->on_gpu(c, SparseMatrix<T>(csr, "csr"), nullptr, b, options);
        if (c.name != "chebyshev") {
          EXPECT_TRUE(negative.report.ok()) << negative.report.reason;
        }
        for (T& value : csr.vals.span()) value *= static_cast<R>(std::ldexp(1.0, single ? -80 : -664));
        const auto small = this->on_gpu(c, SparseMatrix<T>(csr, "csr"), nullptr, b, options);
        if (c.name != "chebyshev") {
          EXPECT_TRUE(small.report.ok()) << small.report.reason;
          EXPECT_LE(relative_residual<T>(csr, b, small.x), 1.1 * reachable<T>());
        }
      }
  std::vector<Triplet<T>> pairs;
  std::vector<T> b = random_vector<T>(400, 1);
  for (Index i = 0; i < 400; i += 2) {
    pairs.push_back({i, i + 1, T(1)});
    pairs.push_back({i + 1, i, T(1)});
    b[static_cast<std::size_t>(i) + 1] = T(0);
  }
  const Case<T> restarts{"bicgstab", bicgstab<T>, R(0), R(0)};
  const auto swapped = this->on_gpu(restarts, SparseMatrix<T>(make_csr(400, 400, pairs), "csr"), nullptr, b,
                                    {.tolerance = reachable<T>()});
  EXPECT_TRUE(swapped.report.ok()) << swapped.report.reason;
}

TYPED_TEST(GpuSolvers, MonitorHearsEveryIteration) {
  using T = TypeParam;
  const std::vector<T> b = random_vector<T>(100 * 100, 1);
  for (const Case<T>& c : cases<T>())
    for (const bool graph : {false, true}) {
      SCOPED_TRACE(c.name);
      const SparseMatrix<T> a(c.matrix(100), "csr");
      std::vector<double> heard;
      SolveOptions options{.tolerance = 0, .max_iterations = 500, .graph = graph};
      options.monitor = [&](int iteration, double relative) {
        EXPECT_EQ(iteration, static_cast<int>(heard.size()) + 1);
        heard.push_back(relative);
        return iteration < 70;
      };
      const auto found = this->on_gpu(c, a, nullptr, b, options);
      if (found.report.end != SolveEnd::stopped) continue;  // it ended by itself before
      ASSERT_EQ(heard.size(), 70u);
      EXPECT_GE(found.report.iterations, 70);
      for (std::size_t k = 0; k < heard.size(); ++k) ASSERT_EQ(heard[k], found.report.history[k + 1]) << k;
    }
}

TYPED_TEST(GpuSolvers, BoundsPolynomialInverseAndBasis) {
  using T = TypeParam;
  Queue queue(Device::gpu()), host;
  const Csr<T> csr = laplacian<T>(40, RealOf<T>(0.2));
  const SparseMatrix<T> here(csr, "csr"), a = here.to(Device::gpu());
  const Identity<T> none(a), here_none(here);
  const SpectralBounds bounds = estimate_bounds(queue, a, none), expected = estimate_bounds(host, here, here_none);
  EXPECT_NEAR(bounds.largest, expected.largest, 1e-3 * expected.largest);
  EXPECT_NEAR(bounds.smallest, expected.smallest, 1e-2 * expected.smallest);

  const std::vector<T> b = random_vector<T>(1600, 1);
  const Array<T> there_b = testing::on_gpu(b);
  const SolveOptions options{.tolerance = reachable<T>()};
  const ChebyshevPolynomial<T> p(a, none, {bounds.largest / 30, bounds.largest}, 4);
  Array<T> x = testing::on_gpu(std::vector<T>(1600));
  const SolveReport with = cg(queue, a, p, there_b, x, options);
  EXPECT_TRUE(with.ok()) << with.reason;
  EXPECT_LE(relative_residual<T>(csr, b, x.to_vector()), 10 * reachable<T>());

  const Inverse<T> inner = inverse(a, none, {.tolerance = 1e-3});  // cannot be captured: the loop goes one by one
  Array<T> y = testing::on_gpu(std::vector<T>(1600));
  const SolveReport nested = bicgstab(queue, a, inner, there_b, y, options);
  EXPECT_TRUE(nested.ok()) << nested.reason;
  EXPECT_LE(nested.iterations, 5);

  const SparseMatrix<T> sorted = SparseMatrix<T>(Pjds<T>::make_reordered(csr)).to(Device::gpu());
  Array<T> z = testing::on_gpu(std::vector<T>(1600));
  const SolveReport permuted = cg(queue, sorted, there_b, z, options);
  EXPECT_TRUE(permuted.ok()) << permuted.reason;
  EXPECT_LE(relative_residual<T>(csr, b, z.to_vector()), 10 * reachable<T>());
}

TEST(GpuRefine, ReachesTheAccuracyOfDouble) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  Queue queue(Device::gpu());
  const Csr<double> csr = laplacian<double>(50);
  const SparseMatrix<double> a = SparseMatrix<double>(csr, "sell").to(Device::gpu());
  const SparseMatrix<float> low = SparseMatrix<float>(laplacian<float>(50), "sell").to(Device::gpu());
  const std::vector<double> b = random_vector<double>(2500, 1);
  const Array<double> there_b = Array<double>(std::span<const double>(b)).to(Device::gpu());
  Array<double> x = Array<double>(2500, 0.0).to(Device::gpu());
  const SolveReport report = refine(queue, a, low, cg<float>, there_b, x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(relative_residual<double>(csr, b, x.to_vector()), 1e-12);
  EXPECT_GT(report.inner_iterations, report.iterations);
}

}  // namespace
}  // namespace millrace::testing
