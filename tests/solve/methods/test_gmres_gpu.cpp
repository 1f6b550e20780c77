// GMRES on a GPU: the same decisions as the host's, with graphs and without, and the same bits every time.
#include "millrace/solve/gmres.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuGmres : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(GpuGmres, Scalars);

TYPED_TEST(GpuGmres, FollowsTheHost) {
  using T = TypeParam;
  for (const Index side : {1, 4, 25, 90}) {
    Csr<T> csr = laplacian<T>(side, RealOf<T>(0.1), RealOf<T>(0.4));
    for (Index r = 0; r < csr.num_rows; ++r)
      for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k) csr.vals.data()[k] *= RealOf<T>(1 + r % 5);
    const SparseMatrix<T> host(csr, "csr"), near = inverse_diagonal(csr);
    const SparseMatrix<T> a = host.to(Device::gpu()), m = near.to(Device::gpu());
    const std::vector<T> b = random_vector<T>(csr.num_rows, 1);
    const Array<T> on_gpu = Array<T>(std::span<const T>(b)).to(Device::gpu());
    Queue host_queue, queue(Device::gpu());
    for (int variant = 0; variant < 10; ++variant) {
      SolveOptions options{.tolerance = reachable<T>(), .max_iterations = 400, .restart = 23};
      options.side = variant % 5 == 1 ? Side::left : Side::right;
      options.krylov_precision = variant % 5 == 3 ? Precision::single : Precision::full;
      options.graph = variant < 5;
      const bool flexible = variant % 5 == 2, plain = variant % 5 == 4;
      std::vector<T> x(b.size());
      Array<T> y = Array<T>(std::span<const T>(x)).to(Device::gpu()), again = y.clone();
      const auto solve = [&](Queue& q, const Operator<T>& matrix, const Operator<T>& near_inverse, Vectors<const T> rhs,
                             Vectors<T> to) {
        if (plain) return gmres(q, matrix, rhs, to, options);
        return flexible ? fgmres(q, matrix, near_inverse, rhs, to, options)
                        : gmres(q, matrix, near_inverse, rhs, to, options);
      };
      const SolveReport expected = solve(host_queue, host, near, b, x);
      const SolveReport found = solve(queue, a, m, on_gpu, y), repeated = solve(queue, a, m, on_gpu, again);
      const std::string what = join("side ", side, ", variant ", variant, ": ", found.reason);
      EXPECT_TRUE(found.ok()) << what;
      EXPECT_NEAR(found.iterations, expected.iterations, 2 + expected.iterations / 20) << what;
      EXPECT_LE(relative_residual<T>(csr, b, y.to_vector()), 2 * reachable<T>()) << what;
      EXPECT_EQ(found.history, repeated.history) << what;
      EXPECT_TRUE(same_bits<T>(y.to_vector(), again.to_vector())) << what;
    }
  }
}

TYPED_TEST(GpuGmres, EndsAsTheHost) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  const auto end_of = [&](const Csr<T>& csr, std::vector<T> b, SolveOptions options) {
    const SparseMatrix<T> a = SparseMatrix<T>(csr, "csr").to(Device::gpu());
    const Array<T> rhs = Array<T>(std::span<const T>(b)).to(Device::gpu());
    Array<T> x = Array<T>(csr.num_rows, T(0)).to(Device::gpu());
    return gmres(queue, a, rhs, x, options);
  };
  std::vector<Triplet<T>> shift, half, three;
  for (Index i = 0; i < 40; ++i) shift.push_back({i, (i + 1) % 40, T(1)});
  for (Index i = 0; i < 40; ++i) half.push_back({i, i, i < 20 ? T(1) : T(0)});
  for (Index i = 0; i < 40; ++i) three.push_back({i, i, T(RealOf<T>(1 + i % 3))});
  std::vector<T> unit(40), ones(40, T(1)), bad = ones;
  unit[0] = T(1);
  bad[7] = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  EXPECT_EQ(end_of(make_csr(40, 40, shift), unit, {.restart = 10}).end, SolveEnd::stagnation);
  EXPECT_EQ(end_of(make_csr(40, 40, half), ones, {}).end, SolveEnd::breakdown);
  EXPECT_EQ(end_of(make_csr(40, 40, three), bad, {}).end, SolveEnd::not_a_number);
  const SolveReport early = end_of(make_csr(40, 40, three), ones, {.tolerance = reachable<T>()});
  EXPECT_TRUE(early.ok()) << early.reason;
  EXPECT_LE(early.iterations, 4);
  const SolveReport zero = end_of(make_csr(40, 40, three), std::vector<T>(40), {});
  EXPECT_TRUE(zero.ok()) << zero.reason;
  EXPECT_EQ(zero.iterations, 0);
}

TYPED_TEST(GpuGmres, TheMonitorHearsEveryIterationOnce) {
  using T = TypeParam;
  Queue queue(Device::gpu());
  const SparseMatrix<T> a = SparseMatrix<T>(laplacian<T>(40, RealOf<T>(0.1), RealOf<T>(0.4)), "csr").to(Device::gpu());
  const Array<T> b = Array<T>(std::span<const T>(random_vector<T>(1600, 1))).to(Device::gpu());
  for (const int stop : {1000, 25}) {
    Array<T> x = Array<T>(1600, T(0)).to(Device::gpu());
    int calls = 0;
    std::vector<double> heard;
    const SolveReport report =
        gmres(queue, a, b, x, {.tolerance = reachable<T>(), .restart = 15, .monitor = [&](int i, double r) {
                                 EXPECT_EQ(i, ++calls);
                                 heard.push_back(r);
                                 return i < stop;
                               }});
    EXPECT_EQ(report.end, stop == 25 ? SolveEnd::stopped : SolveEnd::converged) << report.reason;
    EXPECT_EQ(calls, stop == 25 ? 25 : report.iterations);
    for (std::size_t i = 0; i < heard.size(); ++i)  // at a restart the history holds the true residual
      EXPECT_NEAR(heard[i], report.history[i + 1], 0.01 * report.history[i + 1] + 1e-9);
  }
}

}  // namespace
}  // namespace millrace::testing
