// Conjugate gradients: why it ends, and what an iteration costs.
#include "millrace/sparse/gallery.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Cg : public ::testing::Test {
 protected:
  Queue queue;
  std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x = std::vector<T>(400);
  SolveOptions options{.tolerance = reachable<T>()};
};
TYPED_TEST_SUITE(Cg, Scalars);

TYPED_TEST(Cg, APreconditionerHelps) {
  using T = TypeParam;
  const Csr<T> csr = scaled(laplacian<T>(20, RealOf<T>(0.5)));
  const SparseMatrix<T> a(csr, "csr");
  std::vector<T> y(400);
  const SolveReport plain = cg(this->queue, a, this->b, this->x, this->options);
  const SolveReport report = cg(this->queue, a, inverse_diagonal(csr), this->b, y, this->options);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LT(report.iterations, plain.iterations);
}

TYPED_TEST(Cg, IndefiniteMatrix) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(20, RealOf<T>(-2.03)), "csr");
  const SolveReport report = cg(this->queue, a, this->b, this->x, this->options);
  EXPECT_EQ(report.end, SolveEnd::indefinite) << report.reason;
  EXPECT_NE(report.reason.find("the matrix is not positive definite"), std::string::npos) << report.reason;
  EXPECT_NE(report.reason.find("minres"), std::string::npos);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
}

// A negative definite matrix is solved as -A x = -b, whatever the sign of the preconditioner.
TYPED_TEST(Cg, NegativeDefiniteIsNotIndefinite) {
  using T = TypeParam;
  Csr<T> csr = laplacian<T>(20, RealOf<T>(0.5));
  const SparseMatrix<T> positive = inverse_diagonal(csr);
  std::vector<T> expected(400);
  std::vector<T> minus = this->b;
  for (T& value : minus) value = -value;
  const SolveReport usual = cg(this->queue, SparseMatrix<T>(csr, "csr"), minus, expected, this->options);
  for (T& value : csr.vals.span()) value = -value;
  const SparseMatrix<T> a(csr, "csr"), negative = inverse_diagonal(csr);
  const Identity<T> none(a);
  for (const Operator<T>* m : {static_cast<const Operator<T>*>(&none), static_cast<const Operator<T>*>(&positive),
                               static_cast<const Operator<T>*>(&negative)}) {
    std::vector<T> x(400);
    const SolveReport report = cg(this->queue, a, *m, this->b, x, this->options);
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_NE(report.reason.find("-A x = -b"), std::string::npos) << report.reason;
    EXPECT_EQ(report.rhs_norm, usual.rhs_norm);
    if (m == &none) {
      EXPECT_TRUE(same_bits<T>(x, expected));
    }
    EXPECT_LE(relative_residual<T>(csr, this->b, x), 1.01 * reachable<T>());
  }
  // a positive definite matrix with a negative definite preconditioner: the latter is to blame
  for (T& value : csr.vals.span()) value = -value;
  const SolveReport wrong = cg(this->queue, SparseMatrix<T>(csr, "csr"), negative, this->b, this->x, this->options);
  EXPECT_EQ(wrong.end, SolveEnd::indefinite);
  EXPECT_NE(wrong.reason.find("the preconditioner is not positive"), std::string::npos) << wrong.reason;
}

TYPED_TEST(Cg, IndefinitePreconditioner) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(20), "csr");
  Csr<T> signs = tridiagonal<T>(400, T(0), T(1), T(0));
  for (Index r = 0; r < 400; r += 3)
    for (Offset k = signs.row_begin(r); k < signs.row_begin(r + 1); ++k) signs.vals.data()[k] *= RealOf<T>(-2);
  const SolveReport report = cg(this->queue, a, SparseMatrix<T>(signs, "csr"), this->b, this->x, this->options);
  EXPECT_EQ(report.end, SolveEnd::indefinite) << report.reason;
  EXPECT_NE(report.reason.find("the preconditioner is not"), std::string::npos) << report.reason;
}

TYPED_TEST(Cg, SkewMatrixBreaksDown) {
  using T = TypeParam;
  std::vector<Triplet<T>> entries;  // pairs of unknowns, so that <p, A p> is exactly zero
  for (Index i = 0; i < 400; i += 2) {
    entries.push_back({i, i + 1, T(1)});
    entries.push_back({i + 1, i, T(-1)});
  }
  const SparseMatrix<T> a(make_csr(400, 400, entries), "csr");
  const std::vector<T> ones(400, T(1));
  const SolveReport report = cg(this->queue, a, ones, this->x, this->options);
  EXPECT_EQ(report.end, SolveEnd::breakdown) << report.reason;
  EXPECT_NE(report.reason.find("is zero"), std::string::npos) << report.reason;
  EXPECT_EQ(report.iterations, 0);
}

// An unsymmetric matrix: whatever happens, it ends and does not claim to have converged when it has not.
TYPED_TEST(Cg, NeverLies) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20, RealOf<T>(0), RealOf<T>(3));
  const SparseMatrix<T> a(csr, "csr");
  const SolveReport report = cg(this->queue, a, this->b, this->x, this->options);
  EXPECT_FALSE(report.ok());
  EXPECT_FALSE(report.reason.empty());
}

TYPED_TEST(Cg, IterationBytes) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20);
  const SparseMatrix<T> a(csr, "csr"), m = inverse_diagonal(csr);
  const double vector = 400 * sizeof(T), dot = a.fuses_dot() ? 0 : 2 * vector;
  const SolveReport plain = cg(this->queue, a, this->b, this->x, this->options);
  EXPECT_EQ(plain.iteration_bytes, a.traffic().total() + dot + 8 * vector);
  const SolveReport with = cg(this->queue, a, m, this->b, this->x, this->options);
  EXPECT_EQ(with.iteration_bytes, a.traffic().total() + m.traffic().total() + 2 * dot + 8 * vector);
}

// Iterations grow as the number of points along a side, and with the contrast; those of poisson2d5 soon do not.
TEST(CgOnTheGallery, LaplaceGetsHarderWithItsSize) {
  Queue queue;
  const auto iterations = [&](const std::string& spec) {
    const Csr<double> csr = gallery::make(spec);
    const SparseMatrix<double> a(csr, "csr");
    const std::vector<double> b = random_vector<double>(csr.num_rows, 1);
    std::vector<double> x(b.size());
    const SolveReport report = cg(queue, a, b, x, {.max_iterations = 20000});
    EXPECT_TRUE(report.ok()) << spec << ": " << report.reason;
    return report.iterations;
  };
  for (const std::string name : {"laplace2d5", "laplace2d9"})
    EXPECT_GT(iterations(name + ":64"), 3 * iterations(name + ":16"));
  for (const std::string name : {"laplace3d7", "laplace3d27"})
    EXPECT_GT(iterations(name + ":24"), 2 * iterations(name + ":8"));
  EXPECT_GT(iterations("laplace2d5:32,contrast=1e3"), 3 * iterations("laplace2d5:32"));
  EXPECT_LT(iterations("poisson2d5:160"), 1.5 * iterations("poisson2d5:64"));
}

}  // namespace
}  // namespace millrace::testing
