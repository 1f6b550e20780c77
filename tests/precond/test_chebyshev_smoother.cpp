// The Chebyshev smoother from an operator: the polynomial it is, its bounds, and what it does to an error.
#include "millrace/precond/chebyshev_smoother.hpp"

#include "millrace/solve/cg.hpp"
#include "millrace/sparse/assemble.hpp"
#include "millrace/sparse/matrix.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

/// A matrix that writes its diagonal.
class MatrixWithDiagonal final : public Operator<double> {
 public:
  explicit MatrixWithDiagonal(const Csr<double>& a) : a_(a.clone()) {
    for (Index r = 0; r < a.num_rows; ++r)
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
        if (a.cols.data()[k] == r) diagonal_.push_back(a.vals.data()[k]);
  }
  Shape shape() const override { return a_.shape(); }
  Traffic traffic(int num_vectors, bool reads_y) const override { return a_.traffic(num_vectors, reads_y); }
  void diagonal(Queue&, Vectors<double> y) const { std::copy(diagonal_.begin(), diagonal_.end(), y.data); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& request) const override { a_.apply(queue, request); }
  SparseMatrix<double> a_;
  std::vector<double> diagonal_;
};

TEST(ChebyshevSmoothers, AreThePolynomialWithTheirBounds) {
  const Csr<double> csr = tridiagonal<double>(200, 1, true);
  const MatrixWithDiagonal a(csr);
  Queue queue;
  const ChebyshevSmoother<double> smoother(queue, a, {.degree = 4, .ratio = 10});
  EXPECT_DOUBLE_EQ(smoother.bounds().largest, 10 * smoother.bounds().smallest);
  const Jacobi<double> jacobi(queue, csr);
  EXPECT_EQ(smoother.bounds().largest, estimate_bounds(queue, a, jacobi).largest);
  const ChebyshevPolynomial<double> polynomial(a, jacobi, smoother.bounds(), 4);
  const auto x = random_vector<double>(200, 1);
  EXPECT_EQ(apply_to(smoother, x), apply_to(polynomial, x));
  EXPECT_EQ(smoother.traffic().total(), polynomial.traffic().total());
  const ChebyshevSmoother<double> moved(queue, a, Jacobi<double>(queue, csr), {.degree = 4, .ratio = 10});
  EXPECT_EQ(apply_to(smoother, x), apply_to(moved, x));
}

TEST(ChebyshevSmoothers, MakeFewerIterations) {
  const Index n = 40;  // a Laplacian on n x n points
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < n * n; ++i) {
    entries.push_back({i, i, 4.0});
    if (i % n > 0) entries.push_back({i, i - 1, -1.0}), entries.push_back({i - 1, i, -1.0});
    if (i >= n) entries.push_back({i, i - n, -1.0}), entries.push_back({i - n, i, -1.0});
  }
  const MatrixWithDiagonal a(make_csr(n * n, n * n, entries));
  Queue queue;
  const auto b = random_vector<double>(a.shape().rows, 3);
  const auto iterations = [&](const Operator<double>& m) {
    std::vector<double> x(b.size(), 0.0);
    const SolveReport report = cg(queue, a, m, b, x, {.tolerance = 1e-8});
    EXPECT_TRUE(report.ok()) << report.reason;
    return report.iterations;
  };
  const Jacobi<double> jacobi(queue, a);
  EXPECT_LT(2 * iterations(ChebyshevSmoother<double>(queue, a)), iterations(jacobi));
  EXPECT_LT(2 * iterations(ChebyshevSmoother<double>(queue, a, {.ratio = 0})), iterations(jacobi));
}

TEST(ChebyshevSmoothers, Errors) {
  const MatrixWithDiagonal a(tridiagonal<double>(10, 1, true));
  Queue queue;
  EXPECT_EQ(error_of([&] { ChebyshevSmoother<double>(queue, a, {.ratio = 0.5}); }),
            "chebyshev smoother: a ratio of 0.5 was given; 1 or more, or 0 for the smallest estimated eigenvalue, are "
            "accepted");
  EXPECT_NE(error_of([&] { ChebyshevSmoother<double>(queue, a, {.degree = -1}); }).find("degree -1"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
