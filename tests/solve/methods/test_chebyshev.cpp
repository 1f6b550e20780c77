// The Chebyshev iteration: bounds of the spectrum, the solver, and the polynomial as a preconditioner.
#include <numbers>

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Chebyshev : public ::testing::Test {
 protected:
  Queue queue;
  std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x = std::vector<T>(400);
  SolveOptions options{.tolerance = reachable<T>()};
};
TYPED_TEST_SUITE(Chebyshev, Scalars);

TYPED_TEST(Chebyshev, EstimatedBoundsHoldTheSpectrum) {
  using T = TypeParam;
  // The phases of the complex couplings can be taken out by a diagonal change of basis, so all T have these.
  const double step = std::cos(std::numbers::pi / 21), largest = 4 + 4 * step, smallest = 4 - 4 * step;
  const Csr<T> csr = laplacian<T>(20);
  const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
  const SpectralBounds bounds = estimate_bounds(this->queue, a);
  EXPECT_GE(bounds.largest, largest);
  EXPECT_LE(bounds.largest, 1.15 * largest);
  EXPECT_GE(bounds.smallest, 0.99 * smallest);
  EXPECT_LE(bounds.smallest, 1);
  const SpectralBounds scaled_bounds = estimate_bounds(this->queue, a, m);
  EXPECT_NEAR(scaled_bounds.largest, bounds.largest / 4, 1e-3 * bounds.largest);
  const SpectralBounds more = estimate_bounds(this->queue, a, 60);
  EXPECT_NEAR(more.largest, 1.1 * largest, 1e-2 * largest);
  EXPECT_NEAR(more.smallest, smallest, 0.1 * smallest);
  const SparseMatrix<T> one(tridiagonal<T>(400, T(0), T(3), T(0)), "csr");  // Lanczos ends after one step
  const SpectralBounds exact = estimate_bounds(this->queue, one);
  EXPECT_NEAR(exact.smallest, 3, 1e-4);
  EXPECT_NEAR(exact.largest, 3.3, 1e-4);
}

TYPED_TEST(Chebyshev, SolvesWithBounds) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20, RealOf<T>(0.5));
  const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
  const double vector = 400 * sizeof(T);
  const SolveReport plain = chebyshev(this->queue, a, this->b, this->x, {0.5, 8.5}, this->options);
  EXPECT_TRUE(plain.ok()) << plain.reason;
  EXPECT_EQ(plain.iteration_bytes, a.traffic().total() + 7 * vector);
  std::vector<T> y(400);
  const SolveReport with = chebyshev(this->queue, a, m, this->b, y, {0.5 / 4.5, 8.5 / 4.5}, this->options);
  EXPECT_TRUE(with.ok()) << with.reason;
  EXPECT_EQ(with.iteration_bytes, a.traffic().total() + m.traffic().total() + 9 * vector);
  EXPECT_NEAR(with.iterations, plain.iterations, 1);  // the diagonal is constant: the same method
}

TYPED_TEST(Chebyshev, WrongBoundsAreSeen) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(20), "csr");
  const SolveReport report = chebyshev(this->queue, a, this->b, this->x, {0.1, 3}, this->options);
  EXPECT_EQ(report.end, SolveEnd::breakdown) << report.reason;
  EXPECT_NE(report.reason.find("outside 0.1 .. 3"), std::string::npos) << report.reason;
  EXPECT_NE(error_of([&] {
              chebyshev(this->queue, a, this->b, this->x, {2, 1});
            }).find("between 2 and 1"),
            std::string::npos);
}

// degree steps of the solver from zero, whatever M, alpha and beta.
TYPED_TEST(Chebyshev, PolynomialIsTheIteration) {
  using T = TypeParam;
  using R = RealOf<T>;
  const Csr<T> csr = scaled(laplacian<T>(20, R(0.5)));
  const SparseMatrix<T> a(csr, "csr"), diagonal = inverse_diagonal(csr);
  const Identity<T> none(a);
  const std::vector<T> start = random_vector<T>(400, 9);
  for (const Operator<T>* m : {static_cast<const Operator<T>*>(&none), static_cast<const Operator<T>*>(&diagonal)})
    for (const int degree : {0, 1, 2, 3, 6}) {
      const SpectralBounds bounds = m == &none ? SpectralBounds{10, 420} : SpectralBounds{0.1, 2};
      const ChebyshevPolynomial<T> p(a, *m, bounds, degree);
      std::vector<T> x(400), y(400, std::numeric_limits<R>::quiet_NaN()), z = start;
      chebyshev(this->queue, a, *m, this->b, x, bounds, {.max_iterations = degree + 1});
      p.apply(this->queue, {.x = this->b, .y = y});
      p.apply(this->queue, {.alpha = T(2), .x = this->b, .beta = T(-1), .y = z});
      double size = 0;
      for (const T& value : x) size = std::max(size, static_cast<double>(std::abs(value)));
      for (std::size_t i = 0; i < 400; ++i) {
        ASSERT_NEAR(std::abs(x[i] - y[i]), 0, 1e-5 * size) << "degree " << degree << ", entry " << i;
        ASSERT_NEAR(std::abs(T(2) * y[i] - start[i] - z[i]), 0, 1e-5) << "degree " << degree << ", entry " << i;
      }
      const double vector = 400 * sizeof(T);
      const double moved = m == &none ? std::vector<double>{2, 6, 13, 20, 0, 0, 41}[std::size_t(degree)]
                                      : std::vector<double>{0, 6, 14, 22, 0, 0, 46}[std::size_t(degree)];
      const double inverses = m == &none ? 0 : (degree + 1) * m->traffic().total();
      EXPECT_DOUBLE_EQ(p.traffic().total(), degree * a.traffic().total() + inverses + moved * vector);
    }
}

TYPED_TEST(Chebyshev, PolynomialHelpsCg) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20);
  const SparseMatrix<T> a(csr, "csr");
  const Identity<T> none(a);
  const SpectralBounds bounds = estimate_bounds(this->queue, a, none);
  const ChebyshevPolynomial<T> p(a, none, {bounds.largest / 30, bounds.largest}, 4);
  const SolveReport plain = cg(this->queue, a, none, this->b, this->x, this->options);
  std::vector<T> y(400);
  const SolveReport with = cg(this->queue, a, p, this->b, y, this->options);
  EXPECT_TRUE(with.ok()) << with.reason;
  EXPECT_LT(3 * with.iterations, plain.iterations);
}

}  // namespace
}  // namespace millrace::testing
