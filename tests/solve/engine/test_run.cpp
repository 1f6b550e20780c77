// What every solver promises of its report: the word for the end, the scale of the numbers, the x that is handed back.
#include <limits>

#include "millrace/solve/by_name.hpp"
#include "millrace/solve/refine.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
constexpr double precision = std::numeric_limits<RealOf<T>>::epsilon();

template <class T>
class HonestReports : public ::testing::Test {
 protected:
  static constexpr Index m = 16, n = m * m;
  Queue queue{Device::host(), 2};
  std::vector<T> b = random_vector<T>(n, 1);
};
TYPED_TEST_SUITE(HonestReports, Scalars);

template <class T>
std::vector<T> times(std::vector<T> v, double factor) {
  for (T& value : v) value *= static_cast<RealOf<T>>(factor);
  return v;
}

TYPED_TEST(HonestReports, ConvergedIsWhatTheRecomputedResidualSays) {
  using T = TypeParam;
  int near = 0;
  for (const Case<T>& c : cases<T>()) {
    const SparseMatrix<T> a(c.matrix(this->m), "csr");
    for (double tolerance = 300 * precision<T>; tolerance > precision<T> / 10; tolerance /= 4) {
      SCOPED_TRACE(c.name + ", " + std::to_string(tolerance));
      std::vector<T> x(this->b.size());
      const SolveReport report =
          c.solver(this->queue, a, Identity<T>(a), this->b, x, {.tolerance = tolerance, .restart = 100});
      EXPECT_EQ(report.ok(), report.relative <= tolerance * (1 + 1e-12)) << report.reason;
      EXPECT_EQ(report.ok(), report.end == SolveEnd::converged);
      if (report.ok() || report.end == SolveEnd::nearly_converged) {
        EXPECT_NE(report.reason.find("|b - A x|, recomputed, is "), std::string::npos) << report.reason;
      }
      if (report.end != SolveEnd::nearly_converged) continue;
      ++near;
      EXPECT_LE(report.relative, 10.001 * tolerance);
      EXPECT_NE(report.reason.find(" times the aim"), std::string::npos) << report.reason;
    }
  }
  EXPECT_GT(near, 0);  // it happens, and has a name of its own
}

TYPED_TEST(HonestReports, ToleranceZeroGoesAsFarAsThePrecision) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>())
    for (const bool preconditioned : {false, true}) {
      SCOPED_TRACE(c.name + (preconditioned ? ", diagonal" : ""));
      const Csr<T> csr = c.matrix(this->m);
      const SparseMatrix<T> a(csr, "csr"), diagonal = inverse_diagonal(csr);
      const Identity<T> none(a);
      const Operator<T>& m = preconditioned ? static_cast<const Operator<T>&>(diagonal) : none;
      std::vector<T> x(this->b.size());
      const SolveReport report =
          c.solver(this->queue, a, m, this->b, x, {.tolerance = 0, .max_iterations = 3000, .restart = 100});
      EXPECT_EQ(report.end, SolveEnd::stagnation) << report.reason;
      EXPECT_LT(report.relative, 1e3 * precision<T>);
      EXPECT_NE(report.reason.find("what this precision can reach"), std::string::npos) << report.reason;

      const SparseMatrix<T> twice(tridiagonal<T>(this->n, T(0), T(2), T(0)), "csr");
      std::vector<T> y(this->b.size());
      const SolveReport exact = cg(this->queue, twice, this->b, y, {.tolerance = 0});
      EXPECT_TRUE(exact.ok()) << exact.reason;
      EXPECT_EQ(exact.residual, 0);
    }
}

// Powers of two are exact: the same bits, whatever the scale of the right-hand side.
TYPED_TEST(HonestReports, VastAndTinyRightHandSides) {
  using T = TypeParam;
  const bool single = sizeof(RealOf<T>) == 4;
  const std::vector<T> start = random_vector<T>(this->n, 2);
  for (const Case<T>& c : cases<T>())
    for (const int exponent : {single ? -100 : -664, single ? 100 : 664}) {
      SCOPED_TRACE(c.name + ", " + std::to_string(exponent));
      const SparseMatrix<T> a(c.matrix(this->m), "csr");
      const SolveOptions options{.tolerance = reachable<T>()};
      const double scale = std::ldexp(1.0, exponent);
      for (const std::vector<T>& from : {std::vector<T>(this->b.size()), start}) {
        std::vector<T> x = from, y = times(from, scale);
        const SolveReport usual = c.solver(this->queue, a, Identity<T>(a), this->b, x, options);
        const SolveReport scaled = c.solver(this->queue, a, Identity<T>(a), times(this->b, scale), y, options);
        EXPECT_TRUE(scaled.ok()) << scaled.reason;
        EXPECT_EQ(scaled.iterations, usual.iterations);
        EXPECT_EQ(scaled.rhs_norm, usual.rhs_norm * scale);
        EXPECT_EQ(scaled.residual, usual.residual * scale);
        EXPECT_EQ(scaled.relative, usual.relative);
        EXPECT_TRUE(same_bits<T>(y, times(x, scale)));
      }
    }
}

// The same for the matrix, with and without a preconditioner; Chebyshev's bounds go along.
TYPED_TEST(HonestReports, VastAndTinyMatrices) {
  using T = TypeParam;
  const bool single = sizeof(RealOf<T>) == 4;
  for (const char* name : {"cg", "minres", "bicgstab", "gmres", "fgmres", "chebyshev"})
    for (const int exponent : {single ? -80 : -664, single ? 80 : 664})
      for (const bool preconditioned : {false, true})
        for (const Side side : {Side::left, Side::right}) {
          SCOPED_TRACE(join(name, ", ", exponent, preconditioned ? ", diagonal" : ""));
          Csr<T> csr = laplacian<T>(12, RealOf<T>(0.5));
          for (T& value : csr.vals.span()) value *= static_cast<RealOf<T>>(std::ldexp(1.0, exponent));
          const SparseMatrix<T> a(csr, "csr"), diagonal = inverse_diagonal(csr);
          const Identity<T> none(a);
          const Operator<T>& m = preconditioned ? static_cast<const Operator<T>&>(diagonal) : none;
          const std::vector<T> b = random_vector<T>(144, 1);
          std::vector<T> x(b.size());
          const SolveReport report =
              run_method<T>(name, this->queue, a, m, b, x, {.tolerance = reachable<T>(), .side = side});
          EXPECT_TRUE(report.ok()) << report.reason;
          EXPECT_LE(relative_residual<T>(csr, b, x), 1.1 * reachable<T>());
        }
}

TYPED_TEST(HonestReports, NeverWorseThanTheStart) {
  using T = TypeParam;
  const std::vector<T> start = random_vector<T>(this->n, 2);
  int kept = 0;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const Csr<T> csr = scaled(c.matrix(this->m));
    const SparseMatrix<T> a(csr, "csr"), diagonal = inverse_diagonal(csr);
    for (const std::vector<T>& from : {std::vector<T>(this->b.size()), start})
      for (const int most : {1, 2, 5}) {
        std::vector<T> x = from;
        const SolveReport report = c.solver(this->queue, a, diagonal, this->b, x, {.max_iterations = most});
        const double before = relative_residual<T>(csr, this->b, from), after = relative_residual<T>(csr, this->b, x);
        EXPECT_LE(after, before * (1 + 10 * precision<T>)) << report.reason;
        EXPECT_NEAR(report.relative, after, 1e-3 * after);
        if (report.reason.find("x is the start vector") == std::string::npos) continue;
        ++kept;
        EXPECT_TRUE(same_bits<T>(x, from));
        std::vector<T> y = from;
        const SolveReport larger =
            c.solver(this->queue, a, diagonal, this->b, y, {.max_iterations = most, .never_worse = false});
        EXPECT_GT(larger.relative, report.relative);
      }
  }
  EXPECT_GT(kept, 0);
}

TYPED_TEST(HonestReports, ZeroRightHandSideAndANanInTheMatrix) {
  using T = TypeParam;
  const std::vector<T> zero(static_cast<std::size_t>(this->n)), start = random_vector<T>(this->n, 2);
  for (const Case<T>& c : cases<T>())
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      SCOPED_TRACE(c.name);
      Csr<T> csr = c.matrix(this->m);
      csr.vals.data()[100] = T(static_cast<RealOf<T>>(bad));
      const SparseMatrix<T> a(csr, "csr");
      std::vector<T> x = start;
      const SolveReport report = c.solver(this->queue, a, Identity<T>(a), zero, x, {});
      EXPECT_EQ(report.end, SolveEnd::not_a_number) << report.reason;
      EXPECT_NE(report.reason.find("matrix holds NaN"), std::string::npos) << report.reason;
      EXPECT_EQ(x, start);
    }
}

// x on entry is where every method begins: it sees that residual, and a start near the solution saves iterations.
TYPED_TEST(HonestReports, XOnEntryIsTheStartVector) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(this->m, RealOf<T>(0.2));
  const SparseMatrix<T> a(csr, "csr");
  const Identity<T> none(a);
  const std::vector<T> solution = random_vector<T>(this->n, 3), noise = random_vector<T>(this->n, 4);
  std::vector<T> b(solution.size()), near = solution;
  a.apply(this->queue, {.x = solution, .y = b});
  for (std::size_t i = 0; i < near.size(); ++i) near[i] += noise[i] * RealOf<T>(1e-3);
  const auto check = [&](const auto& solve) {
    std::vector<T> x(b.size()), y = near;
    const SolveReport far = solve(x), close = solve(y);
    EXPECT_TRUE(far.ok() && close.ok()) << far.reason << "; " << close.reason;
    EXPECT_LT(close.iterations + close.inner_iterations, far.iterations + far.inner_iterations);
    EXPECT_NEAR(close.history[0], relative_residual<T>(csr, b, near), 1e-3 * close.history[0]);
    EXPECT_NEAR(far.history[0], 1, 1e-6);
  };
  for (const MethodFacts& method : methods()) {
    SCOPED_TRACE(std::string(method.name));
    check([&](std::vector<T>& x) {
      return run_method<T>(method.name, this->queue, a, none, b, x, {.tolerance = reachable<T>()});
    });
  }
  if constexpr (sizeof(RealOf<T>) == 8) {
    const SparseMatrix<Single<T>> low(convert_values<Single<T>>(csr), "csr");
    check([&](std::vector<T>& x) {
      return refine<T>(this->queue, a, low, cg<Single<T>>, b, x, {.tolerance = reachable<T>()});
    });
  }
}

TEST(HonestOptions, InfiniteTolerancesAreRefused) {
  const SparseMatrix<double> a(laplacian<double>(3), "csr");
  const std::vector<double> b(9, 1.);
  std::vector<double> x(9);
  Queue queue;
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const std::string relative = error_of([&] { cg(queue, a, b, x, {.tolerance = bad}); });
    EXPECT_NE(relative.find("finite numbers from 0 on are accepted"), std::string::npos) << relative;
    const std::string absolute = error_of([&] { cg(queue, a, b, x, {.absolute = bad}); });
    EXPECT_NE(absolute.find("finite numbers from 0 on are accepted"), std::string::npos) << absolute;
  }
}

}  // namespace
}  // namespace millrace::testing
