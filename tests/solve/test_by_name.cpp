// Methods by name: the table runs each of them as a direct call does, and its errors list it.
#include "millrace/solve/by_name.hpp"

#include "solve/problems.hpp"

namespace millrace::testing {

TEST(MethodsByName, TheTableIsComplete) {
  EXPECT_EQ(method_names(), "cg minres bicgstab gmres fgmres chebyshev");
  for (const MethodFacts& method : methods()) {
    EXPECT_EQ(&find_method(method.name), &method);
    EXPECT_FALSE(method.help.empty() || method.precond.empty()) << method.name;
    EXPECT_LE(method.definite, method.hermitian) << method.name;
  }
  for (const char* wrong : {"", "sor", "CG", "cg ", "auto"})
    EXPECT_EQ(error_of([&] { find_method(wrong); }), join("unknown method '", wrong, "'; there are: ", method_names()));
  EXPECT_EQ(error_of([] { find_method("sor", "auto"); }), "unknown method 'sor'; there are: auto " + method_names());
}

template <class T>
class RunMethod : public ::testing::Test {};
TYPED_TEST_SUITE(RunMethod, Scalars);

TYPED_TEST(RunMethod, EveryNameSolves) {
  using T = TypeParam;
  Queue queue;
  const Csr<T> csr = laplacian<T>(8, RealOf<T>(1));
  const SparseMatrix<T> a(csr, "csr");
  const Identity<T> m(a);
  const std::vector<T> b = random_vector<T>(csr.num_rows, 9);
  const double tolerance = sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-9;
  for (const MethodFacts& method : methods()) {
    std::vector<T> x(b.size());
    const SolveReport report = run_method(method.name, queue, a, m, b, x, {.tolerance = tolerance});
    EXPECT_TRUE(report.ok()) << method.name << ": " << report.reason;
    EXPECT_LE(relative_residual<T>(csr, b, x), 2 * tolerance) << method.name;
  }
}

TEST(RunMethod, GivesTheBitsOfTheDirectCall) {
  Queue queue;
  const Csr<double> csr = laplacian<double>(8);
  const SparseMatrix<double> a(csr, "csr");
  const Identity<double> m(a);
  const std::vector<double> b = random_vector<double>(csr.num_rows, 9);
  std::vector<double> direct(b.size()), named(b.size());
  cg<double>(queue, a, m, b, direct, {});
  run_method("cg", queue, a, m, b, named);
  EXPECT_TRUE(same_bits<double>(direct, named));
  minres<double>(queue, a, m, b, direct, {});
  run_method("minres", queue, a, m, b, named);
  EXPECT_LE(relative_residual<double>(csr, b, named), 1e-7);
}

TEST(RunMethod, SaysWhatItCannotSolve) {
  Queue queue;
  const Csr<double> csr = tridiagonal<double>(6, -1, 0.5, -1);  // eigenvalues of both signs
  const SparseMatrix<double> a(csr, "csr");
  const Identity<double> m(a);
  std::vector<double> b = random_vector<double>(6, 1), x(6), short_x(5);
  EXPECT_NE(error_of([&] { run_method("chebyshev", queue, a, m, b, x); }).find("positive definite"), std::string::npos);
  EXPECT_THROW(run_method("sor", queue, a, m, b, x), Error);
  EXPECT_THROW(run_method("cg", queue, a, m, b, short_x), Error);
}

}  // namespace millrace::testing
