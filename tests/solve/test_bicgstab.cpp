// BiCGStab: it converges where it should and says why where it does not.
#include "millrace/solve/bicgstab.hpp"

#include "problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Bicgstab : public ::testing::Test {};
TYPED_TEST_SUITE(Bicgstab, Scalars);

TYPED_TEST(Bicgstab, SolvesTheLaplacian) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(30, RealOf<T>(0.1), RealOf<T>(0.3));
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> b = random_vector<T>(900, 1);
  std::vector<T> x = random_vector<T>(900, 2);
  Queue queue;
  const SolveReport report = bicgstab<T>(queue, a, Identity<T>(a), b, x, {.tolerance = reachable<T>()});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_GT(report.iterations, 5);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_LE(relative_residual<T>(csr, b, x), 10 * reachable<T>());
  EXPECT_NEAR(report.relative, relative_residual<T>(csr, b, x), 0.05 * report.relative);
}

TYPED_TEST(Bicgstab, Preconditioned) {
  using T = TypeParam;
  Csr<T> csr = laplacian<T>(20, RealOf<T>(0.5));
  for (Index r = 0; r < 400; ++r)  // D A D with an awkward D
    for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k)
      csr.vals.data()[k] *= RealOf<T>((1 + r % 7) * (1 + csr.cols.data()[k] % 7));
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x(400), y(400);
  Queue queue;
  const SolveOptions options{.tolerance = reachable<T>()};
  const SolveReport plain = bicgstab<T>(queue, a, Identity<T>(a), b, x, options);
  const SolveReport report = bicgstab<T>(queue, a, DiagonalInverse<T>(csr), b, y, options);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(relative_residual<T>(csr, b, y), 10 * reachable<T>());
  EXPECT_LT(report.iterations, plain.iterations);
}

}  // namespace
}  // namespace millrace::testing
