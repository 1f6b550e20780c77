// Conjugate gradients of small systems in one kernel of a GPU: the same answers as the sweeps give, and the same ends.
#include "millrace/sparse/gallery.hpp"
#include "solve/problems.hpp"

#include "millrace/solve/cg.hpp"

namespace millrace::testing {
namespace {

class GpuSmallCg : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  }
};

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

/// "csr" takes the kernel of small systems on a GPU, other formats the sweeps.
Solved solve(Device device, const Csr<double>& csr, const char* format, const std::vector<double>& b,
             const SolveOptions& options) {
  Queue queue(device);
  const SparseMatrix<double> a = SparseMatrix<double>(csr, format).to(device);
  const Array<double> rhs = Array<double>(std::span<const double>(b)).to(device);
  Array<double> x = Array<double>(csr.num_rows, 0.0).to(device);
  const SolveReport report = cg(queue, a, rhs, x, options);
  return {report, x.to_vector()};
}

TEST_F(GpuSmallCg, AgreesWithTheHost) {
  for (const char* spec : {"poisson2d5:n=1", "poisson2d5:n=2", "poisson2d5:n=16", "poisson2d5:n=17", "poisson2d5:n=50",
                           "poisson2d5:n=100", "poisson2d5:n=128", "poisson2d5:n=129", "poisson3d27:n=20"}) {
    const Csr<double> csr = gallery::make(spec);
    const std::vector<double> b = random_vector<double>(csr.num_rows, 3);
    const SolveOptions options{.tolerance = 1e-9, .max_iterations = 5000};
    const Solved host = solve(Device::host(), csr, "csr", b, options);
    const Solved small = solve(Device::gpu(), csr, "csr", b, options);
    EXPECT_TRUE(small.report.ok()) << spec << ": " << small.report.reason;
    EXPECT_LE(relative_residual<double>(csr, b, small.x), 1e-8) << spec;
    EXPECT_NEAR(small.report.iterations, host.report.iterations, 2 + host.report.iterations / 20) << spec;
    ASSERT_EQ(small.report.history.size(), static_cast<std::size_t>(small.report.iterations) + 1) << spec;
    for (std::size_t i = 0; i < std::min<std::size_t>(10, small.report.history.size()); ++i)
      EXPECT_NEAR(small.report.history[i], host.report.history[i], 1e-10) << spec << ", iteration " << i;
  }
}

TEST_F(GpuSmallCg, GoesOnOverSeveralLaunches) {
  const Csr<double> csr = gallery::make("poisson2d5:n=120");
  std::vector<double> b(static_cast<std::size_t>(csr.num_rows));
  b[77] = 1;
  const SolveOptions options{.tolerance = 1e-300, .max_iterations = 1300};
  const Solved once = solve(Device::gpu(), csr, "csr", b, options),
               twice = solve(Device::gpu(), csr, "csr", b, options);
  EXPECT_GT(once.report.iterations, 600) << once.report.reason;
  EXPECT_LE(once.report.relative, 1e-12);
  EXPECT_EQ(once.report.history, twice.report.history);
  EXPECT_EQ(once.x, twice.x);
}

TEST_F(GpuSmallCg, SaysWhyItEnds) {
  Csr<double> csr = gallery::make("poisson2d5:n=30");
  const std::vector<double> b = random_vector<double>(csr.num_rows, 4);
  EXPECT_EQ(solve(Device::gpu(), csr, "csr", b, {.tolerance = 1e-9, .max_iterations = 7}).report.end,
            SolveEnd::max_iterations);
  for (double& value : csr.vals.span()) value = -value;
  EXPECT_EQ(solve(Device::gpu(), csr, "csr", b, {.tolerance = 1e-9}).report.end, SolveEnd::converged);
  const Csr<double> indefinite = tridiagonal<double>(400, -1, 0.1, -1);
  EXPECT_EQ(solve(Device::gpu(), indefinite, "csr", random_vector<double>(400, 1), {}).report.end,
            SolveEnd::indefinite);
  csr.vals.data()[200] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solve(Device::gpu(), csr, "csr", b, {}).report.end, SolveEnd::not_a_number);
}

}  // namespace
}  // namespace millrace::testing
