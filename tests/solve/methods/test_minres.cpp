// MINRES: indefinite and singular matrices, preconditioners, and what an iteration costs.
#include <numbers>

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Minres : public ::testing::Test {
 protected:
  Queue queue;
  std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x = std::vector<T>(400);
  SolveOptions options{.tolerance = reachable<T>()};
};
TYPED_TEST_SUITE(Minres, Scalars);

// The residual never grows; without and with a preconditioner history is |b - A x|.
TYPED_TEST(Minres, IndefiniteWithPreconditioner) {
  using T = TypeParam;
  const Csr<T> csr = scaled(laplacian<T>(20, RealOf<T>(-1.05)));
  const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
  const SolveReport plain = minres(this->queue, a, this->b, this->x, this->options);
  for (std::size_t k = 1; k < plain.history.size(); ++k) EXPECT_LE(plain.history[k], plain.history[k - 1]);
  std::vector<T> x(400);
  const SolveReport report = minres(this->queue, a, m, this->b, x, this->options);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LT(report.iterations, plain.iterations);
  EXPECT_LE(relative_residual<T>(csr, this->b, x), 10 * reachable<T>());
  for (const int most : {1, 2, 7}) {  // the residual of the recurrence is the true one; it may grow in this norm
    std::vector<T> y(400);
    const SolveReport early = minres(this->queue, a, m, this->b, y, {.max_iterations = most, .never_worse = false});
    EXPECT_NEAR(early.history.back(), relative_residual<T>(csr, this->b, y), 1e-3 * early.history.back());
  }
}

TYPED_TEST(Minres, SameAsCgOnThePositiveDefinite) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20, RealOf<T>(0.3));
  const SparseMatrix<T> a(csr, "csr");
  std::vector<T> y(400);
  const SolveReport one = minres(this->queue, a, this->b, this->x, this->options);
  const SolveReport two = cg(this->queue, a, this->b, y, this->options);
  EXPECT_LE(one.iterations, two.iterations);
  EXPECT_GE(one.iterations, two.iterations - 5);
}

TYPED_TEST(Minres, SingularMatrix) {
  using T = TypeParam;
  using R = RealOf<T>;
  Csr<T> csr = tridiagonal<T>(400, T(-1), T(2), T(-1));  // a string with free ends: constants are its null space
  csr.vals.data()[0] = csr.vals.data()[csr.vals.size() - 1] = T(1);
  const SparseMatrix<T> a(csr, "csr");
  std::vector<T> b(400), y(400);
  for (std::size_t i = 0; i < 400; ++i) b[i] = T(R(std::cos(std::numbers::pi * (double(i) + 0.5) * 3 / 400)));
  const SolveReport inside = minres(this->queue, a, b, this->x, this->options);
  EXPECT_LE(inside.relative, 2 * reachable<T>()) << inside.reason;
  for (T& value : b) value += T(R(0.25));  // that part is not in the range: least squares leave it over
  const SolveReport outside = minres(this->queue, a, b, y, this->options);
  EXPECT_EQ(outside.end, SolveEnd::stagnation) << outside.reason;
  EXPECT_NE(outside.reason.find("least-squares"), std::string::npos) << outside.reason;
  EXPECT_NEAR(outside.residual, 0.25 * 20, 0.05 * outside.residual);
}

// A random right-hand side sees all of the spectrum: the least-squares solution is found as well as it can be.
TYPED_TEST(Minres, SingularMatrixAndRandomRightHandSide) {
  using T = TypeParam;
  Csr<T> csr = tridiagonal<T>(60, T(-1), T(2), T(-1));
  csr.vals.data()[0] = csr.vals.data()[csr.vals.size() - 1] = T(1);
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> b = random_vector<T>(60, 4);
  T mean{};
  for (const T& value : b) mean += value / T(60);
  std::vector<T> x(60);
  const SolveReport report = minres(this->queue, a, b, x, this->options);
  EXPECT_EQ(report.end, SolveEnd::stagnation) << report.reason;
  EXPECT_NEAR(report.residual, static_cast<double>(std::abs(mean)) * std::sqrt(60.0), 0.1 * report.residual);
}

TYPED_TEST(Minres, ZeroMatrix) {
  using T = TypeParam;
  const SparseMatrix<T> a(tridiagonal<T>(400, T(0), T(0), T(0)), "csr");
  const SolveReport report = minres(this->queue, a, this->b, this->x, this->options);
  EXPECT_EQ(report.end, SolveEnd::stagnation) << report.reason;
  EXPECT_EQ(report.iterations, 0);
}

TYPED_TEST(Minres, IndefinitePreconditioner) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(20), "csr"), m(tridiagonal<T>(400, T(0), T(-1), T(0)), "csr");
  const SolveReport report = minres(this->queue, a, m, this->b, this->x, this->options);
  EXPECT_EQ(report.end, SolveEnd::indefinite) << report.reason;
  EXPECT_NE(report.reason.find("preconditioner"), std::string::npos) << report.reason;
}

TYPED_TEST(Minres, IterationBytes) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20);
  const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
  const double vector = 400 * sizeof(T), dot = a.fuses_dot() ? 0 : 2 * vector;
  const SolveReport plain = minres(this->queue, a, this->b, this->x, this->options);
  EXPECT_EQ(plain.iteration_bytes, a.traffic().total() + dot + 10 * vector);
  const SolveReport with = minres(this->queue, a, m, this->b, this->x, this->options);
  EXPECT_EQ(with.iteration_bytes, a.traffic().total() + m.traffic().total() + 2 * dot + 13 * vector);
}

}  // namespace
}  // namespace millrace::testing
