// BiCGStab: both sides of a preconditioner, breakdowns, and what an iteration costs.
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Bicgstab : public ::testing::Test {
 protected:
  Queue queue;
  std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x = std::vector<T>(400);
  SolveOptions options{.tolerance = reachable<T>()};
};
TYPED_TEST_SUITE(Bicgstab, Scalars);

// The recurrence of a left preconditioner sees another norm; the true residual is what counts.
TYPED_TEST(Bicgstab, BothSides) {
  using T = TypeParam;
  const Csr<T> csr = scaled(laplacian<T>(20, RealOf<T>(0.5), RealOf<T>(0.4)));
  const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
  for (const Side side : {Side::left, Side::right}) {
    this->options.side = side;
    std::vector<T> x(400);
    const SolveReport report = bicgstab(this->queue, a, m, this->b, x, this->options);
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_LE(relative_residual<T>(csr, this->b, x), 10 * reachable<T>());
    const double vector = 400 * sizeof(T);
    EXPECT_EQ(report.iteration_bytes,
              2 * a.traffic().total() + 2 * m.traffic().total() + (side == Side::right ? 19 : 18) * vector);
  }
  const SolveReport plain = bicgstab(this->queue, a, this->b, this->x, {.max_iterations = 1});
  EXPECT_EQ(plain.iteration_bytes, 2 * a.traffic().total() + 18 * 400 * sizeof(T));
}

// Restarts with random shadow residuals save some of these, never all.
TYPED_TEST(Bicgstab, SkewMatrixBreaksDown) {
  using T = TypeParam;
  const SparseMatrix<T> a(tridiagonal<T>(400, T(-1), T(0), T(1)), "csr");  // <r, A r> is only rounding
  const std::vector<T> b(400, T(1));
  const SolveReport report = bicgstab(this->queue, a, b, this->x, this->options);
  if (!is_complex<T>) {
    EXPECT_EQ(report.end, SolveEnd::breakdown) << report.reason;
    EXPECT_NE(report.reason.find("gmres"), std::string::npos) << report.reason;
  }
  EXPECT_LE(report.residual, report.rhs_norm);
}

// <r, A r> is zero at once where A swaps pairs of unknowns and b is in every other one: another shadow residual helps.
TYPED_TEST(Bicgstab, AnEarlyBreakdownRestarts) {
  using T = TypeParam;
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 400; i += 2) {
    entries.push_back({i, i + 1, T(RealOf<T>(1 + i % 4))});
    entries.push_back({i + 1, i, T(RealOf<T>(1 + i % 4))});
  }
  const Csr<T> csr = make_csr(400, 400, entries);
  const SparseMatrix<T> a(csr, "csr"), m = SparseMatrix<T>(tridiagonal<T>(400, T(0), T(2), T(0)), "csr");
  for (std::size_t i = 1; i < 400; i += 2) this->b[i] = T(0);
  for (const Side side : {Side::left, Side::right})
    for (const bool preconditioned : {false, true}) {
      this->options.side = side;
      std::vector<T> x(400);
      const Identity<T> none(a);
      const SolveReport report = bicgstab(this->queue, a, preconditioned ? static_cast<const Operator<T>&>(m) : none,
                                          this->b, x, this->options);
      EXPECT_TRUE(report.ok()) << report.reason;
      EXPECT_LE(relative_residual<T>(csr, this->b, x), reachable<T>() * 1.01);
    }
}

TYPED_TEST(Bicgstab, SingularMatrixEnds) {
  using T = TypeParam;
  Csr<T> csr = tridiagonal<T>(400, T(0), T(1), T(0));
  for (Offset k = csr.row_begin(7); k < csr.row_begin(8); ++k) csr.vals.data()[k] = T(0);
  const SparseMatrix<T> a(csr, "csr");
  const SolveReport report = bicgstab(this->queue, a, this->b, this->x, this->options);
  EXPECT_FALSE(report.ok());
  EXPECT_FALSE(report.reason.empty());
}

}  // namespace
}  // namespace millrace::testing
