// What every solver promises, walked over all of them and all scalars.
#include <limits>

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Solvers : public ::testing::Test {
 protected:
  static constexpr Index m = 24, n = m * m;
  Queue queue{Device::host(), 2};
  std::vector<T> b = random_vector<T>(n, 1);
  std::vector<T> x = random_vector<T>(n, 2);
  SolveOptions options{.tolerance = reachable<T>()};
};
TYPED_TEST_SUITE(Solvers, Scalars);

TYPED_TEST(Solvers, ConvergeToTheTrueResidual) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const Csr<T> csr = c.matrix(this->m);
    const SparseMatrix<T> a(csr, "csr");
    for (const bool preconditioned : {false, true}) {
      SCOPED_TRACE(preconditioned ? "diagonal" : "plain");
      const SparseMatrix<T> diagonal = inverse_diagonal(csr);
      const Identity<T> none(a);
      std::vector<T> x = this->x;
      const Operator<T>& m = preconditioned ? static_cast<const Operator<T>&>(diagonal) : none;
      const SolveReport report = c.solver(this->queue, a, m, this->b, x, this->options);
      EXPECT_TRUE(report.ok()) << report.reason;
      const double truth = relative_residual<T>(csr, this->b, x);
      EXPECT_LE(truth, 10 * reachable<T>());
      EXPECT_NEAR(report.relative, truth, 0.1 * truth);
      EXPECT_NEAR(report.residual, report.relative * report.rhs_norm, 1e-6 * report.residual);
      EXPECT_GT(report.iterations, 5);
      EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
      EXPECT_LE(report.history.back(), reachable<T>() * (1 + 1e-6));
      EXPECT_GT(report.history.front(), 1);
      EXPECT_GT(report.seconds, 0);
      EXPECT_NE(report.reason.find(" iterations"), std::string::npos) << report.reason;
    }
  }
}

TYPED_TEST(Solvers, ZeroRightHandSide) {
  using T = TypeParam;
  const std::vector<T> zero(static_cast<std::size_t>(this->n));
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(this->m), "csr");
    std::vector<T> x = this->x;
    const SolveReport report = c.solver(this->queue, a, Identity<T>(a), zero, x, this->options);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.residual, 0);
    EXPECT_EQ(x, zero);
    EXPECT_NE(report.reason.find("zero"), std::string::npos) << report.reason;
  }
}

TYPED_TEST(Solvers, StartAtTheSolution) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(this->m), "csr");
    std::vector<T> b(this->b.size()), x = this->x;
    a.apply(this->queue, {.x = x, .y = b});
    const SolveReport report = c.solver(this->queue, a, Identity<T>(a), b, x, this->options);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(x, this->x);
    EXPECT_EQ(report.history.size(), 1u);
  }
}

TYPED_TEST(Solvers, NotANumber) {
  using T = TypeParam;
  const T nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    Csr<T> csr = c.matrix(this->m);
    {
      const SparseMatrix<T> a(csr, "csr");
      std::vector<T> bad = this->b, x = this->x;
      bad[17] = nan;
      const SolveReport report = c.solver(this->queue, a, Identity<T>(a), bad, x, this->options);
      EXPECT_EQ(report.end, SolveEnd::not_a_number);
      EXPECT_NE(report.reason.find("right-hand side"), std::string::npos) << report.reason;
      EXPECT_EQ(report.iterations, 0);
    }
    {
      const SparseMatrix<T> a(csr, "csr");
      Csr<T> diagonal = tridiagonal<T>(this->n, T(0), T(1), T(0));
      diagonal.vals.data()[100] = nan;
      std::vector<T> x = this->x;
      const SparseMatrix<T> m(diagonal, "csr");
      const SolveReport report = c.solver(this->queue, a, m, this->b, x, this->options);
      EXPECT_EQ(report.end, SolveEnd::not_a_number) << report.reason;
    }
    csr.vals.data()[100] = nan;
    const SparseMatrix<T> a(csr, "csr");
    std::vector<T> x = this->x;
    const SolveReport report = c.solver(this->queue, a, Identity<T>(a), this->b, x, this->options);
    EXPECT_EQ(report.end, SolveEnd::not_a_number);
    EXPECT_NE(report.reason.find("matrix"), std::string::npos) << report.reason;
  }
}

TYPED_TEST(Solvers, MaxIterationsAndHistory) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(this->m), "csr");
    for (const int most : {0, 1, 3, 4}) {
      this->options.max_iterations = most;
      std::vector<T> x(this->b.size());
      const SolveReport report = c.solver(this->queue, a, Identity<T>(a), this->b, x, this->options);
      EXPECT_EQ(report.end, SolveEnd::max_iterations);
      EXPECT_EQ(report.iterations, most);
      EXPECT_EQ(report.history.size(), static_cast<std::size_t>(most) + 1);
      EXPECT_NEAR(report.history[0], 1, 1e-6);
      EXPECT_NEAR(report.relative, report.history.back(), 1e-3 * report.relative);
    }
  }
}

TYPED_TEST(Solvers, MonitorHearsAndStops) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(this->m), "csr");
    std::vector<double> heard;
    this->options.monitor = [&](int iteration, double relative) {
      EXPECT_EQ(iteration, static_cast<int>(heard.size()) + 1);
      heard.push_back(relative);
      return iteration < 6;
    };
    std::vector<T> x(this->b.size());
    const SolveReport report = c.solver(this->queue, a, Identity<T>(a), this->b, x, this->options);
    EXPECT_EQ(report.end, SolveEnd::stopped);
    EXPECT_EQ(heard.size(), 6u);
    EXPECT_GE(report.iterations, 6);
    EXPECT_LE(report.iterations, 7);  // the body of minres is two iterations
    EXPECT_EQ(heard, std::vector<double>(report.history.begin() + 1, report.history.begin() + 7));
    EXPECT_NE(report.reason.find("monitor"), std::string::npos);
  }
}

// Conjugate gradients with M end an iteration before x has it.
TYPED_TEST(Solvers, TheLastIterationIsInXAndHeardWithAPreconditioner) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>()) {
    const Csr<T> csr = c.matrix(this->m);
    const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
    for (const int last : {1, 2, 5})
      for (const bool stopped : {false, true}) {
        SCOPED_TRACE(join(c.name, ", ", last, stopped ? " stopped" : ""));
        SolveOptions options = this->options;
        int heard = 0;
        options.max_iterations = stopped ? 100 : last;
        options.monitor = [&](int iteration, double) {
          heard = iteration;
          return !stopped || iteration < last;
        };
        std::vector<T> x(this->b.size());
        const SolveReport report = c.solver(this->queue, a, m, this->b, x, options);
        EXPECT_EQ(report.end, stopped ? SolveEnd::stopped : SolveEnd::max_iterations);
        EXPECT_EQ(heard, last);
        EXPECT_GE(report.iterations, last);
        EXPECT_LE(report.iterations, last + stopped);  // the body of minres is two iterations
        const double found = relative_residual<T>(csr, this->b, x);
        EXPECT_NEAR(found, report.relative, 1e-3 * found);
        if (c.name == "cg") {
          EXPECT_NEAR(found, report.history.back(), 1e-3 * found);
        }
      }
  }
}

TYPED_TEST(Solvers, SameBitsForAnyThreadsAndAgain) {
  using T = TypeParam;
  const Index m = 192;  // more than 4 parts a thread
  const std::vector<T> b = random_vector<T>(m * m, 5);
  this->options.max_iterations = 12;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(m), "csr");
    std::vector<std::vector<T>> found;
    for (const int threads : {1, 2, 2, 3}) {
      Queue queue(Device::host(), threads);
      std::vector<T> x(b.size());
      c.solver(queue, a, Identity<T>(a), b, x, this->options);
      found.push_back(std::move(x));
      EXPECT_TRUE(same_bits<T>(found.front(), found.back())) << threads << " threads";
    }
  }
}

TYPED_TEST(Solvers, StagnationBelowThePrecision) {
  using T = TypeParam;
  this->options.tolerance = 1e-3 * std::numeric_limits<RealOf<T>>::epsilon();
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const SparseMatrix<T> a(c.matrix(this->m), "csr");
    std::vector<T> x(this->b.size());
    const SolveReport report = c.solver(this->queue, a, Identity<T>(a), this->b, x, this->options);
    EXPECT_FALSE(report.ok());
    EXPECT_TRUE(report.end == SolveEnd::stagnation || report.end == SolveEnd::max_iterations ||
                report.end == SolveEnd::breakdown)
        << report.reason;
    EXPECT_LT(report.relative, 1e3 * std::numeric_limits<RealOf<T>>::epsilon());
    EXPECT_FALSE(report.reason.empty());
  }
}

TYPED_TEST(Solvers, EmptyAndTiny) {
  using T = TypeParam;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    for (const Index m : {0, 1}) {
      const SparseMatrix<T> a(laplacian<T>(m), "csr");
      const std::vector<T> b(static_cast<std::size_t>(m), T(2));
      std::vector<T> x(b.size());
      const SolveReport report = c.solver(this->queue, a, Identity<T>(a), b, x, this->options);
      EXPECT_TRUE(report.ok()) << report.reason;
      for (const T& value : x) EXPECT_NEAR(std::abs(value - T(0.5)), 0, 1e-4);
    }
  }
}

TYPED_TEST(Solvers, WrongArgumentsAreNamed) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(3), "csr"), wide(random_csr<T>(9, 8, 2, 1), "csr");
  const Identity<T> none(a), other(8);
  std::vector<T> b(9), x(9), longer(10);
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    const auto text = [&](const Operator<T>& op, const Operator<T>& m, Vectors<const T> rhs, Vectors<T> start,
                          const SolveOptions& options = {}) {
      return error_of([&] { c.solver(this->queue, op, m, rhs, start, options); });
    };
    EXPECT_NE(text(wide, none, b, x).find("must be square; it is 9 x 8"), std::string::npos);
    EXPECT_NE(text(a, other, b, x).find("preconditioner is 8 x 8"), std::string::npos);
    EXPECT_NE(text(a, none, longer, x).find("need 9 entries; they have 10 and 9"), std::string::npos);
    EXPECT_NE(text(a, none, b, Vectors<T>(Device::host(), nullptr, 9)).find("null"), std::string::npos);
    EXPECT_NE(text(a, none, b, b).find("same memory"), std::string::npos);
    EXPECT_NE(text(a, none, b, x, {.tolerance = -1}).find("tolerances of -1"), std::string::npos);
    EXPECT_NE(text(a, none, b, x, {.max_iterations = -1}).find("-1 iterations"), std::string::npos);
    const Vectors<T> two(Device::host(), longer.data(), 9, 2, 9);
    EXPECT_NE(text(a, none, b, two).find("one right-hand side"), std::string::npos);
  }
}

TEST(SolveEnds, HaveNames) {
  EXPECT_EQ(to_string(SolveEnd::converged), "converged");
  EXPECT_EQ(to_string(SolveEnd::not_a_number), "not_a_number");
}

}  // namespace
}  // namespace millrace::testing
