// solve(queue, a, b, x): it reaches its aim whatever the matrix is like, says what it did, and fails with a reason.
#include "millrace/tune/solve.hpp"

#include <cmath>

#include "millrace/sparse/gallery.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

template <class T>
Csr<T> dense_two(T a, T b, T c, T d) {
  return Csr<T>(2, 2, Array<std::int32_t>{0, 2, 4}, {0, 1, 0, 1}, {a, b, c, d});
}

template <class T>
double residual_of(const Csr<T>& a, const std::vector<T>& b, const std::vector<T>& x) {
  double residual = 0, rhs = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    T sum = b[static_cast<std::size_t>(r)];
    rhs += std::norm(sum);
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      sum -= a.vals.data()[k] * x[static_cast<std::size_t>(a.cols.data()[k])];
    residual += std::norm(sum);
  }
  return std::sqrt(residual / rhs);
}

}  // namespace

template <class T>
class TuneSolve : public ::testing::Test {};
TYPED_TEST_SUITE(TuneSolve, Scalars);

TYPED_TEST(TuneSolve, ReachesTheAimAndSaysHow) {
  using T = TypeParam;
  Queue queue;
  const Csr<T> a = convert_values<T>(gallery::make("poisson2d5:n=20"));
  const std::vector<T> b = random_vector<T>(a.num_rows, 3);
  std::vector<T> x(b.size());
  const AutoReport report = solve(queue, a, b, x);
  ASSERT_TRUE(report.ok()) << report.text();
  EXPECT_LE(residual_of(a, b, x), 2 * report.tolerance);
  EXPECT_EQ(report.tolerance, sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-8);
  EXPECT_EQ(report.attempts.size(), 1u);
  EXPECT_EQ(report.best().plan.name(), "cg + ic0");
  EXPECT_EQ(report.format.format, "dia");
  EXPECT_TRUE(report.symmetric && report.positive_diagonal);
  EXPECT_NE(
      report.text().find(join("cg + ic0, ", is_complex<T> ? "Hermitian" : "symmetric", " with a positive diagonal")),
      std::string::npos)
      << report.text();
  EXPECT_EQ(report.total_history().size(), static_cast<std::size_t>(report.total_iterations()) + 1);
}

TYPED_TEST(TuneSolve, TakesArraysAndAStartVectorAndUnsortedRows) {
  using T = TypeParam;
  Queue queue;
  const Csr<T> a(2, 2, Array<std::int32_t>{0, 3, 5}, {1, 0, 0, 1, 0}, {T{1}, T{1}, T{2}, T{4}, T{1}});  // {3 1; 1 4}
  const Array<T> b{T{5}, T{9}};
  Array<T> x{T{1}, T{2}};  // the solution already
  const SolveReport report = solve(queue, a, b, x);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x.data()[0], T{1});
  EXPECT_EQ(x.data()[1], T{2});
  x.data()[0] = T{-7};
  EXPECT_TRUE(solve(queue, a, b, x, {.method = "gmres", .precond = "none"}).ok());
  EXPECT_LE(std::abs(x.data()[0] - T{1}), 1e-4);
}

TEST(TuneSolve, TriesInTurnUntilOneReachesTheAim) {
  Queue queue;
  std::vector<double> x(2);
  const AutoReport indefinite =
      solve(queue, dense_two<double>(1, 3, 3, 1), std::vector<double>{1, 0}, x, {.without = {"direct"}});
  ASSERT_TRUE(indefinite.ok()) << indefinite.text();
  ASSERT_GE(indefinite.attempts.size(), 2u);
  EXPECT_EQ(indefinite.attempts[0].plan.method, "cg");
  EXPECT_EQ(indefinite.attempts[1].plan.method, "minres");
  EXPECT_NEAR(x[0], -0.125, 1e-7);
  EXPECT_NEAR(x[1], 0.375, 1e-7);

  x = {0, 0};
  const AutoReport negative = solve(queue, dense_two<double>(-2, 1, 1, -2), std::vector<double>{-1, -1}, x);
  ASSERT_TRUE(negative.ok()) << negative.text();
  EXPECT_EQ(negative.best().plan.order, "negate");
  EXPECT_NEAR(x[0], 1, 1e-7);
}

TEST(TuneSolve, GalleryAndFormatsAndOrders) {
  Queue queue;
  for (const char* spec : {"poisson2d5:n=20", "poisson2d5:n=20,permute=1", "cfd:n=4,block=5"}) {
    const Csr<double> a = gallery::make(spec);
    const std::vector<double> b = random_vector<double>(a.num_rows, 11);
    for (const char* format : {"auto", "csr", "sell-8-64", "pjds"})
      for (const char* order : {"", "rcm", "match", "match+rcm", "rcm+match"}) {
        std::vector<double> x(b.size());
        const AutoReport report =
            solve(queue, a, b, x, {.method = "gmres", .format = format, .order = order, .tolerance = 1e-9});
        EXPECT_TRUE(report.ok()) << spec << " " << format << " " << order << ": " << report.text();
        EXPECT_LE(residual_of(a, b, x), 2e-9) << spec << " " << format << " " << order;
      }
  }
}

TEST(TuneSolve, MixedPrecisionReachesTheAccuracyOfDouble) {
  Queue queue;
  const Csr<double> a = gallery::make("poisson2d5:n=20");
  const std::vector<double> b = random_vector<double>(a.num_rows, 5);
  std::vector<double> x(b.size());
  const AutoReport report = solve(queue, a, b, x, {.tolerance = 1e-12, .mixed = true});
  ASSERT_TRUE(report.ok()) << report.text();
  EXPECT_LE(residual_of(a, b, x), 2e-12);
  EXPECT_LT(report.best().narrow_bytes, report.best().product_bytes);
  const Csr<float> single = convert_values<float>(a);
  const std::vector<float> b_single(b.size(), 1);
  std::vector<float> x_single(b.size());
  EXPECT_THROW(solve(queue, single, b_single, x_single, {.mixed = true}), Unsupported);
}

TEST(TuneSolve, EventsTellTheWayAndMayEndIt) {
  Queue queue;
  const Csr<double> a = gallery::make("poisson2d5:n=30");
  const std::vector<double> b = random_vector<double>(a.num_rows, 5);
  std::vector<double> x(b.size());
  std::string told;
  AutoOptions options{.tolerance = 1e-12};
  options.on.planned = [&](const AutoReport& report) { told += "planned " + report.format.format; };
  options.on.started = [&](const SolvePlan& plan, const SolveOptions&) { told += ", started " + plan.method; };
  options.on.monitor = [](int iteration, double) { return iteration < 3; };
  options.on.finished = [&](const AutoReport& report) {
    told += ", finished " + std::string(to_string(report.attempts.back().report.end));
  };
  const AutoReport report = solve(queue, a, b, x, options);
  EXPECT_EQ(told, "planned dia, started cg, finished stopped");
  EXPECT_EQ(report.end, SolveEnd::stopped);
  EXPECT_EQ(report.attempts.size(), 1u);  // who stops it stops it all
  EXPECT_EQ(report.reason.find("given up"), std::string::npos);
}

TEST(TuneSolve, WhatHasNoSolutionEndsWithAReason) {
  Queue queue;
  const std::vector<double> b{1, 2, 3};
  const Csr<double> no_entries(3, 3, Array<std::int32_t>{0, 0, 0, 0}, {}, {});
  const Csr<double> zeros(3, 3, Array<std::int32_t>{0, 1, 2, 3}, {0, 1, 2}, {0, 0, 0});
  const Csr<double> empty_row(3, 3, Array<std::int32_t>{0, 1, 1, 2}, {0, 2}, {1, 2});
  const Csr<double> rank_one(3, 3, Array<std::int32_t>{0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2},
                             {1, 1, 1, 1, 1, 1, 1, 1, 1});
  for (const Csr<double>* a : {&no_entries, &zeros, &empty_row, &rank_one}) {
    std::vector<double> x(3);
    AutoReport report;
    ASSERT_NO_THROW(report = solve(queue, *a, b, x));
    EXPECT_FALSE(report.ok()) << report.text();
    EXPECT_FALSE(report.reason.empty());
    EXPECT_FALSE(report.attempts.empty());
    for (const double value : x) EXPECT_TRUE(std::isfinite(value)) << report.text();
  }
  std::vector<double> x{4, 5, 6};
  EXPECT_TRUE(solve(queue, empty_row, std::vector<double>{0, 0, 0}, x).ok());  // b = 0 has a solution
}

TEST(TuneSolve, NoUnknownsAreSolved) {
  Queue queue;
  std::vector<double> x;
  const AutoReport report = solve(queue, Csr<double>(), x, x);
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(report.attempts.empty());
  EXPECT_EQ(report.reason, "there are no unknowns");
}

TEST(TuneSolve, RefusesWhatIsNoSystem) {
  Queue queue;
  std::vector<double> two(2), three(3);
  const Csr<double> wide(2, 3, Array<std::int32_t>{0, 1, 1}, {0}, {1});
  EXPECT_EQ(error_of([&] { solve(queue, wide, two, three); }), "solve: the matrix is 2 x 3; it must be square");
  const Csr<double> a = dense_two<double>(2, 1, 1, 2);
  EXPECT_EQ(error_of([&] { solve(queue, a, three, two); }),
            "solve: the matrix has 2 rows, so b and x need as many vectors of 2 each; they have 1 of 3 and 1 of 2");
  EXPECT_THROW(solve(queue, a, two, three), Error);
  EXPECT_NE(error_of([&] { solve(queue, dense_two<double>(NAN, 1, 1, 2), two, two); }).find("NaN"), std::string::npos);
  EXPECT_NE(error_of([&] { solve(queue, a, two, two, {.method = "sor"}); }).find("there are: auto cg"),
            std::string::npos);
  EXPECT_NE(error_of([&] { solve(queue, a, two, two, {.precond = "ssor"}); }).find("there are: auto none"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { solve(queue, a, two, two, {.precond = "amg:block=3"}); }),
            "amg: nodes of 3 unknowns do not divide 2 rows; a block of 1 or more that does is accepted");
  const Csr<std::complex<double>> complex = dense_two<std::complex<double>>(2, 1, 1, 2);
  std::vector<std::complex<double>> pair(2);
  EXPECT_EQ(error_of([&] { solve(queue, complex, pair, pair, {.precond = "amg"}); }),
            "amg: the numbers are complex-double; float and double are accepted");
  EXPECT_THROW(solve(queue, a, two, two, {.format = "sel"}), Error);
  EXPECT_THROW(solve(queue, a, two, two, {.order = "sorted"}), Error);
  EXPECT_THROW(solve(queue, a, two, two, {.max_iterations = -1}), Error);
  EXPECT_THROW(solve(queue, a, two, two, {.restart = -1}), Error);
}

TEST(GpuTuneSolve, SolvesWhereverMatrixAndVectorsLive) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  Queue queue(Device::gpu());
  for (const char* spec : {"poisson2d5:n=20", "poisson2d5:n=20,permute=1", "cfd:n=4,block=5"}) {
    const Csr<double> a = gallery::make(spec), there = a.to(Device::gpu());
    const std::vector<double> b = random_vector<double>(a.num_rows, 3);
    std::vector<double> x(b.size());
    const AutoReport report = solve(queue, a, b, x);
    EXPECT_TRUE(report.ok()) << spec << ": " << report.text();
    EXPECT_LE(residual_of(a, b, x), 2e-8) << spec;
    const Array<double> b_there = Array<double>(std::span<const double>(b)).to(Device::gpu());
    Array<double> x_there = Array<double>(a.num_rows, 0.0).to(Device::gpu());
    EXPECT_TRUE(solve(queue, there, b_there, x_there).ok()) << spec;
    EXPECT_LE(residual_of(a, b, x_there.to_vector()), 2e-8) << spec;
  }
}

}  // namespace millrace::testing
