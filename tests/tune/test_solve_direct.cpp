// solve() by factors: accuracy, singular and badly scaled systems, limits, several right-hand sides, skipped tries.
#include <cmath>

#include "millrace/sparse/gallery.hpp"
#include "millrace/tune/local_system.hpp"
#include "millrace/tune/solve.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

bool has_direct() { return direct_packages()[1].built(); }  // UMFPACK takes all that is here

/// n unknowns in a chain, with rows and columns of very different sizes and a solution of ones.
template <class T>
Csr<T> stiff_chain(Index n, int decades) {
  std::vector<std::int32_t> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < n; ++r) {
    const double size = std::pow(10.0, -(r * 5 % (decades + 1)));
    for (const Index c : {r - 1, r, r + 1}) {
      if (c < 0 || c >= n) continue;
      cols.push_back(c);
      vals.push_back(static_cast<T>(static_cast<RealOf<T>>(size * (c == r ? 1.0 : c < r ? 0.9 : -0.7))));
    }
    row_ptr.push_back(static_cast<std::int32_t>(cols.size()));
  }
  return Csr<T>(n, n, Array<std::int32_t>(std::span<const std::int32_t>(row_ptr)),
                Array<Index>(std::span<const Index>(cols)), Array<T>(std::span<const T>(vals)));
}

template <class T>
std::vector<T> times_ones(const Csr<T>& a) {
  std::vector<T> b(static_cast<std::size_t>(a.num_rows));
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) b[static_cast<std::size_t>(r)] += a.vals.data()[k];
  return b;
}

template <class T>
double error_from_ones(const std::vector<T>& x) {
  double largest = 0;
  for (const T& value : x) largest = std::max(largest, static_cast<double>(std::abs(value - T{1})));
  return largest;
}

}  // namespace

template <class T>
class SolveDirect : public ::testing::Test {};
TYPED_TEST_SUITE(SolveDirect, Scalars);

TYPED_TEST(SolveDirect, IsExactAndSaysHowGoodXIs) {
  using T = TypeParam;
  if (!has_direct()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  const Csr<T> a = stiff_chain<T>(300, 6);
  const std::vector<T> b = times_ones(a);
  for (const char* method : {"auto", "direct", "direct-lu"}) {
    std::vector<T> x(b.size());
    const AutoReport report = solve(queue, a, b, x, {.method = method});
    ASSERT_TRUE(report.ok()) << report.text();
    ASSERT_EQ(report.attempts.size(), 1u);
    EXPECT_LE(error_from_ones(x), 100 * epsilon<T>);
    EXPECT_TRUE(report.rcond && *report.rcond > 1e-3);  // of the scaled matrix
    EXPECT_FALSE(report.singular());
    EXPECT_TRUE(report.forward && *report.forward < 1e-4);
    EXPECT_LE(report.backward.rows, 10 * epsilon<T>);
    EXPECT_EQ(report.doubt(), "");
    EXPECT_NE(report.attempts[0].note.find("rows scaled by"), std::string::npos) << report.attempts[0].note;
    EXPECT_EQ(report.format.format, "csr");
  }
}

// Without factors the residual of the largest rows hides all others, and x is useless; scaled, it is good.
TEST(SolveDirect, BadlyScaledSystemsAreScaledForIterations) {
  Queue queue;
  const Csr<double> a = stiff_chain<double>(300, 12);
  const std::vector<double> b = times_ones(a);
  std::vector<double> x(b.size()), plain(b.size());
  const AutoReport scaled = solve(queue, a, b, x, {.without = {"direct"}});
  ASSERT_TRUE(scaled.ok()) << scaled.text();
  EXPECT_EQ(scaled.best().plan.order, "scale");
  EXPECT_LE(error_from_ones(x), 1e-5);
  EXPECT_LE(scaled.backward.rows, 1e-6);
  EXPECT_EQ(scaled.doubt(), "");
  const AutoReport unscaled = solve(queue, a, b, plain, {.method = "gmres", .precond = "none", .restart = 100});
  ASSERT_TRUE(unscaled.ok()) << unscaled.text();
  EXPECT_GT(error_from_ones(plain), 0.1);
  EXPECT_NE(unscaled.doubt().find("may be of no use"), std::string::npos);
}

TEST(SolveDirect, AScaledTryReachesTheAimOfTheGivenSystem) {
  Queue queue;
  const Csr<double> a = stiff_chain<double>(300, 3);
  std::vector<double> b(300, 0.0), x(300);
  b[3] = 1;  // in a small row: scaled, its part of the norm is larger
  const AutoReport report = solve(queue, a, b, x, {.method = "gmres", .order = "scale", .tolerance = 1e-10});
  ASSERT_TRUE(report.ok()) << report.text();
  SolveReport measured;
  measure_residual(a, b, x, measured);
  EXPECT_LE(measured.relative, 1e-10);
  EXPECT_NEAR(report.relative, measured.relative, 1e-14);
}

TEST(SolveDirect, SingularMatricesAreCalledSo) {
  if (!has_direct()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  // A ring of differences: constants are in the null space; b is in the range, so iterations solve it.
  const Csr<double> ring(3, 3, Array<std::int32_t>{0, 2, 4, 6}, {0, 1, 1, 2, 0, 2}, {1, -1, 1, -1, -1, 1});
  std::vector<double> x(3);
  const AutoReport consistent = solve(queue, ring, std::vector<double>{1, 2, -3}, x);
  EXPECT_TRUE(consistent.singular()) << consistent.text();
  EXPECT_NE(consistent.doubt().find("singular to working precision"), std::string::npos);
  EXPECT_TRUE(consistent.ok()) << consistent.text();
  x.assign(3, 0.0);
  const AutoReport inconsistent = solve(queue, ring, std::vector<double>{1, 2, 3}, x);
  EXPECT_FALSE(inconsistent.ok());
  EXPECT_NE(inconsistent.reason.find("singular to working precision"), std::string::npos) << inconsistent.reason;
  const AutoReport named = solve(queue, ring, std::vector<double>{1, 2, 3}, x, {.method = "direct"});
  EXPECT_FALSE(named.ok());
  EXPECT_NE(named.reason.find("came no further than"), std::string::npos) << named.reason;
}

TEST(SolveDirect, StartVectorsAndLimits) {
  if (!has_direct()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue;
  const Csr<double> a = stiff_chain<double>(300, 2);
  const std::vector<double> b = times_ones(a);
  std::vector<double> x(b.size(), 1.0);  // the solution already
  EXPECT_EQ(solve(queue, a, b, x, {.method = "direct"}).iterations, 0);
  std::fill(x.begin(), x.end(), 0.0);
  const std::string refused = error_of([&] { solve(queue, a, b, x, {.method = "direct", .max_factor_bytes = 1000}); });
  EXPECT_NE(refused.find("the limit is 1"), std::string::npos) << refused;
  const AutoReport other = solve(queue, a, b, x, {.max_factor_bytes = 1000});  // then something else solves it
  EXPECT_TRUE(other.ok()) << other.text();
  EXPECT_EQ(other.attempts.front().report.end, SolveEnd::breakdown);
  EXPECT_NE(other.attempts.front().report.reason.find("the limit is"), std::string::npos);
  for (const AutoOptions& wrong :
       {AutoOptions{.method = "direct", .precond = "ilu0"}, AutoOptions{.method = "direct", .order = "rcm"},
        AutoOptions{.method = "direct-lu", .mixed = true}})
    EXPECT_NE(error_of([&] { solve(queue, a, b, x, wrong); }).find("orders and scales by itself"), std::string::npos);
}

TEST(GpuSolveDirect, TheHostFactorisesAndSaysSo) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  if (!has_direct()) GTEST_SKIP() << "this build has no UMFPACK";
  Queue queue(Device::gpu());
  const Csr<double> a = stiff_chain<double>(300, 6);
  const std::vector<double> b = times_ones(a);
  const Array<double> b_there = Array<double>(std::span<const double>(b)).to(Device::gpu());
  Array<double> x_there = Array<double>(a.num_rows, 0.0).to(Device::gpu());
  const AutoReport report = solve(queue, a.to(Device::gpu()), b_there, x_there, {.method = "direct"});
  ASSERT_TRUE(report.ok()) << report.text();
  EXPECT_LE(error_from_ones(x_there.to_vector()), 1e-13);
  EXPECT_NE(report.attempts[0].note.find("on the host, not on gpu:0"), std::string::npos) << report.attempts[0].note;
}

TEST(SolveDirect, SeveralRightHandSides) {
  Queue queue;
  const Csr<double> a = gallery::make("poisson2d5:n=20");
  constexpr int num = 3;
  const std::int64_t n = a.num_rows, stride = n + 5;
  const std::vector<double> b = random_vector<double>(num * stride, 3);
  for (const char* method : {"auto", "gmres", "direct"}) {
    if (std::string(method) == "direct" && !has_direct()) continue;
    std::vector<double> x(b.size(), 0.0);
    const AutoReport report = solve(queue, a, {Device::host(), b.data(), n, num, stride},
                                    {Device::host(), x.data(), n, num, stride}, {.method = method});
    ASSERT_TRUE(report.ok()) << report.text();
    ASSERT_EQ(report.columns.size(), 3u);
    ASSERT_EQ(report.attempts.size(), 3u);
    double worst = 0;
    for (int v = 0; v < num; ++v) {
      const auto first = static_cast<std::ptrdiff_t>(v * stride);
      const std::vector<double> b_v(b.begin() + first, b.begin() + first + n),
          x_v(x.begin() + first, x.begin() + first + n);
      SolveReport measured;
      measure_residual(a, b_v, x_v, measured);
      EXPECT_LE(measured.relative, 2e-8) << method;
      EXPECT_TRUE(report.columns[static_cast<std::size_t>(v)].ok());
      EXPECT_EQ(report.attempts[static_cast<std::size_t>(v)].column, v);
      worst = std::max(worst, report.columns[static_cast<std::size_t>(v)].relative);
      EXPECT_EQ(x[static_cast<std::size_t>(first + n)], 0.0);  // between the vectors nothing is touched
    }
    EXPECT_EQ(report.relative, worst);
    EXPECT_EQ(report.best().column, report.worst_column);
    EXPECT_LE(report.attempts[2].setup_seconds, report.attempts[0].setup_seconds);  // made once
  }
}

TEST(SolveDirect, WhatAColumnNeedsIsTriedForTheNextOnesFirst) {
  Queue queue;
  const Csr<double> indefinite(2, 2, Array<std::int32_t>{0, 2, 4}, {0, 1, 0, 1}, {1, 3, 3, 1});
  const std::vector<double> b{2, 1, 1, -1};  // the first along eigenvectors of both signs
  std::vector<double> x(4);
  const AutoReport report = solve(queue, indefinite, {Device::host(), b.data(), 2, 2}, {Device::host(), x.data(), 2, 2},
                                  {.without = {"direct"}});
  ASSERT_TRUE(report.ok()) << report.text();
  ASSERT_EQ(report.attempts.size(), 3u);  // cg fails once
  EXPECT_EQ(report.attempts[2].plan.method, report.attempts[1].plan.method);
  EXPECT_NEAR(x[2] + 3 * x[3], 1, 1e-7);
}

TEST(SolveDirect, MissingPartsAreSkippedWithOneLine) {
  Queue queue;
  const Csr<double> singular(2, 2, Array<std::int32_t>{0, 2, 4}, {0, 1, 0, 1}, {1, 1, 1, 1});
  std::vector<double> x(2);
  std::vector<std::string> told;
  AutoOptions options{.without = {"direct", "amd"}};
  options.on.skipped = [&](const AutoReport& report) { told.push_back(report.skipped.back()); };
  const AutoReport report = solve(queue, singular, std::vector<double>{1, -1}, x, options);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.skipped, told);
  ASSERT_EQ(report.skipped.size(), 2u) << report.text();
  EXPECT_EQ(report.skipped[0], "direct: left out, as asked");
  EXPECT_NE(report.skipped[1].find("ilu20, order match+amd: left out"), std::string::npos) << report.skipped[1];
  EXPECT_EQ(error_of([&] { solve(queue, singular, x, x, {.without = {"lu"}}); }),
            "unknown part 'lu'; there are: direct amg amd");
}

}  // namespace millrace::testing
