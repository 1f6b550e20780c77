// Refinement reaches the accuracy of double with a solver in float; a solver as an operator.
#include "millrace/solve/refine.hpp"

#include <optional>

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

template <class T>
Csr<Single<T>> narrow(const Csr<T>& a) {
  std::vector<Triplet<Single<T>>> entries;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      entries.push_back({r, a.cols.data()[k], Single<T>(a.vals.data()[k])});
  return make_csr(a.num_rows, a.num_rows, entries);
}

template <class T>
class Refine : public ::testing::Test {
 protected:
  Queue queue;
  Csr<T> csr = scaled(laplacian<T>(20, RealOf<T>(0.1)));
  SparseMatrix<T> a{csr, "csr"};
  SparseMatrix<Single<T>> low{narrow(csr), "csr"}, low_m = inverse_diagonal(narrow(csr));
  std::vector<T> b = random_vector<T>(400, 1);
  std::vector<T> x = std::vector<T>(400);
};
using Wide = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(Refine, Wide);

TYPED_TEST(Refine, ReachesTheAccuracyOfDouble) {
  using T = TypeParam;
  for (T& value : this->b) value *= 1e-30;  // below the range of float: residuals are scaled on their way
  const SolveReport report =
      refine(this->queue, this->a, this->low, this->low_m, cg<Single<T>>, this->b, this->x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(relative_residual<T>(this->csr, this->b, this->x), 1e-12);
  EXPECT_GE(report.iterations, 2);
  EXPECT_LE(report.iterations, 5);
  EXPECT_GT(report.inner_iterations, 10 * report.iterations);
  EXPECT_NE(report.reason.find("inner iterations"), std::string::npos);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_DOUBLE_EQ(report.iteration_bytes, this->a.traffic().total() + 6.5 * 400 * sizeof(T));
}

TYPED_TEST(Refine, AnInnerSolverThatDoesNotHelp) {
  using T = TypeParam;
  const SparseMatrix<Single<T>> other(tridiagonal<Single<T>>(400, -1, -4, -1), "csr");
  const SolveReport report = refine(this->queue, this->a, other, Identity<Single<T>>(400), minres<Single<T>>, this->b,
                                    this->x, {.tolerance = 1e-12});
  EXPECT_EQ(report.end, SolveEnd::stagnation) << report.reason;
  EXPECT_NE(report.reason.find("inner solver says"), std::string::npos) << report.reason;
  const SolveReport zero =
      refine(this->queue, this->a, this->low, this->low_m, cg<Single<T>>, std::vector<T>(400), this->x);
  EXPECT_TRUE(zero.ok());
  EXPECT_EQ(zero.inner_iterations, 0);
}

template <class T>
class InverseOperator : public ::testing::Test {};
TYPED_TEST_SUITE(InverseOperator, Scalars);

TYPED_TEST(InverseOperator, UndoesTheProduct) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(20, RealOf<T>(0.5)), "csr");
  const Identity<T> none(a);
  Queue queue;
  const Inverse<T> undo = inverse(a, none, {.tolerance = reachable<T>() / 10}, minres<T>);
  const std::vector<T> x = random_vector<T>(400, 3);
  std::vector<T> y(400), z(400), w = x;
  a.apply(queue, {.x = x, .y = y});
  undo.apply(queue, {.x = y, .y = z});
  undo.apply(queue, {.alpha = T(2), .x = y, .beta = T(3), .y = w});
  for (std::size_t i = 0; i < 400; ++i) {
    ASSERT_NEAR(std::abs(x[i] - z[i]), 0, 100 * reachable<T>());
    ASSERT_NEAR(std::abs(T(5) * x[i] - w[i]), 0, 300 * reachable<T>());
  }
  EXPECT_EQ(undo.shape(), a.shape());
  EXPECT_GT(undo.traffic().total(), a.traffic().total());
}

// Without a preconditioner it needs nothing that lives beside it, and copies are as good as it.
TYPED_TEST(InverseOperator, WithoutAPreconditionerIsTheSame) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(9, RealOf<T>(0.5)), "csr");
  const Identity<T> none(a);
  Queue queue;
  const SolveOptions options{.tolerance = reachable<T>()};
  const Inverse<T> with = inverse(a, none, options);
  std::optional<Inverse<T>> first(inverse(a, options));
  const Inverse<T> copy = *first;
  first.reset();
  const std::vector<T> x = random_vector<T>(81, 3);
  std::vector<T> y(81), z(81);
  with.apply(queue, {.x = x, .y = y});
  copy.apply(queue, {.x = x, .y = z});
  EXPECT_EQ(y, z);
}

TYPED_TEST(InverseOperator, SolversAreValues) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(9, RealOf<T>(0.5)), "csr");
  Queue queue;
  const std::vector<T> b = random_vector<T>(81, 3);
  std::vector<T> x(81), y(81), z(81);
  Solver<T> solver;
  EXPECT_FALSE(solver);
  solver = cg<T>;
  int calls = 0;
  const Solver<T> counting = [&](Queue& q, const Operator<T>& op, const Operator<T>& m, Vectors<const T> rhs,
                                 Vectors<T> to, const SolveOptions& options) {
    ++calls;
    return solver(q, op, m, rhs, to, options);
  };
  Solver<T> copy = counting;
  const SolveOptions options{.tolerance = reachable<T>()};
  EXPECT_TRUE(copy(queue, a, Identity<T>(a), b, x, options).ok());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(cg(queue, a, b, y, options).ok());  // deduced, and without a preconditioner
  EXPECT_TRUE(cg(queue, a, Identity<T>(a), b, z, options).ok());
  EXPECT_EQ(x, y);
  EXPECT_EQ(x, z);
}

// A solver inside a solver.
TYPED_TEST(InverseOperator, AsPreconditioner) {
  using T = TypeParam;
  const Csr<T> csr = laplacian<T>(20);
  const SparseMatrix<T> a(csr, "csr");
  const Identity<T> none(a);
  Queue queue;
  const Inverse<T> almost = inverse(a, none, {.tolerance = 1e-3});
  const std::vector<T> b = random_vector<T>(400, 3);
  std::vector<T> x(400);
  const SolveReport report = bicgstab(queue, a, almost, b, x, {.tolerance = reachable<T>()});
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_LE(report.iterations, 5);
}

// A solver inside counts as what it has moved, not as all the iterations that it might have made.
TYPED_TEST(InverseOperator, CountsWhatItMoved) {
  using T = TypeParam;
  const SparseMatrix<T> a(laplacian<T>(20), "csr");
  const std::vector<T> b = random_vector<T>(400, 3);
  Queue queue;
  const Identity<T> none(a);
  std::vector<T> x(400);
  double inside = 0;
  int calls = 0;
  const Solver<T> counting = [&](Queue& q, const Operator<T>& op, const Operator<T>& m, Vectors<const T> rhs,
                                 Vectors<T> to, const SolveOptions& options) {
    const SolveReport report = cg(q, op, m, rhs, to, options);
    inside += report.bytes + 400 * sizeof(T);
    ++calls;
    return report;
  };
  for (const bool flexible : {false, true}) {
    inside = calls = 0;
    const Inverse<T> almost = inverse(a, none, {.tolerance = 1e-3}, counting);
    const double before = almost.traffic().total();
    std::fill(x.begin(), x.end(), T{});
    const SolveReport report = flexible ? fgmres(queue, a, almost, b, x, {.tolerance = reachable<T>()})
                                        : bicgstab(queue, a, almost, b, x, {.tolerance = reachable<T>()});
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_NEAR(almost.traffic().total(), inside / calls, 1e-9 * inside);
    EXPECT_LT(almost.traffic().total(), before / 10);
    EXPECT_NEAR(report.bytes, inside, 0.25 * inside);
  }
}

}  // namespace
}  // namespace millrace::testing
