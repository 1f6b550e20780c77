// Operators in a basis of their own: b and x go there once, x comes back once, and the user sees nothing of it.
#include "millrace/solve/refine.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

/// Rows of many lengths, so that sorting changes their order; symmetric, or Hermitian, and positive definite.
template <class T>
Csr<T> uneven() {
  std::vector<Triplet<T>> entries;
  for (Index i = 0; i < 300; ++i) {
    entries.push_back({i, i, T(9)});
    if (i + 1 < 300 && i % 3 != 0) {
      entries.push_back({i, i + 1, T(-1)});
      entries.push_back({i + 1, i, T(-1)});
    }
    if (i % 7 == 0 && i + 50 < 300) {
      entries.push_back({i, i + 50, T(2)});
      entries.push_back({i + 50, i, T(2)});
    }
  }
  return make_csr(300, 300, entries);
}

template <class T>
class PermutedBasis : public ::testing::Test {};
TYPED_TEST_SUITE(PermutedBasis, Scalars);

TYPED_TEST(PermutedBasis, SameSolutionAsInTheUsersBasis) {
  using T = TypeParam;
  const Csr<T> csr = uneven<T>();
  const SparseMatrix<T> a(Pjds<T>::make_reordered(csr));
  ASSERT_NE(a.permutation(), nullptr);
  const std::vector<Index> order = a.permutation()->to_vector();
  ASSERT_FALSE(std::is_sorted(order.begin(), order.end()));
  const std::vector<T> b = random_vector<T>(300, 1);
  Queue queue;
  for (const Case<T>& c : cases<T>()) {
    SCOPED_TRACE(c.name);
    if (c.name == "chebyshev") continue;  // its bounds are for the Laplacian
    std::vector<T> x = random_vector<T>(300, 2);
    const SolveReport report = c.solver(queue, a, Identity<T>(a), b, x, {.tolerance = reachable<T>()});
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_LE(relative_residual<T>(csr, b, x), 10 * reachable<T>());
  }
}

TYPED_TEST(PermutedBasis, ThePreconditionerMustBeInTheSame) {
  using T = TypeParam;
  const Csr<T> csr = uneven<T>();
  const SparseMatrix<T> a(Pjds<T>::make_reordered(csr)), same(Pjds<T>::make_reordered(csr)), user(csr, "csr");
  const std::vector<T> b = random_vector<T>(300, 1);
  std::vector<T> x(300);
  Queue queue;
  EXPECT_NE(error_of([&] { cg(queue, a, user, b, x); }).find("basis of its own"), std::string::npos);
  EXPECT_NE(error_of([&] { cg(queue, user, a, b, x); }).find("basis of its own"), std::string::npos);
  const ChebyshevPolynomial<T> p(same, {4, 16}, 3);
  const SolveReport report = cg(queue, a, p, b, x, {.tolerance = reachable<T>()});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(relative_residual<T>(csr, b, x), 10 * reachable<T>());
}

TEST(PermutedRefine, OuterAndInnerMayDiffer) {
  const Csr<double> csr = uneven<double>();
  const Csr<float> low = uneven<float>();
  const SparseMatrix<double> sorted(Pjds<double>::make_reordered(csr)), plain(csr, "csr");
  const SparseMatrix<float> low_sorted(Pjds<float>::make_reordered(low)), low_plain(low, "csr");
  const std::vector<double> b = random_vector<double>(300, 1);
  Queue queue;
  for (const Operator<double>* a : {&sorted, &plain})
    for (const Operator<float>* inner : {&low_sorted, &low_plain}) {
      std::vector<double> x(300);
      const SolveReport report = refine(queue, *a, *inner, cg<float>, b, x, {.tolerance = 1e-13});
      EXPECT_TRUE(report.ok()) << report.reason;
      EXPECT_LE(relative_residual<double>(csr, b, x), 1e-13);
      EXPECT_LE(report.iterations, 5);
    }
}

}  // namespace
}  // namespace millrace::testing
