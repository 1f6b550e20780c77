// Solver, the value that holds a method.
#include "millrace/solve/solver.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace millrace::testing {
namespace {

TEST(Solver, AnEmptyOneIsAClearError) {
  Queue queue;
  const SparseMatrix<double> a(random_csr<double>(4, 4, 2, 1), "csr");
  const std::vector<double> b(4, 1);
  std::vector<double> x(4);
  const Solver<double> none;
  EXPECT_FALSE(none);
  EXPECT_NE(error_of([&] { none(queue, a, a, b, x); }).find("this Solver is empty"), std::string::npos);
  Solver<double> given = [](Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                            Vectors<double>, const SolveOptions&) { return SolveReport{}; };
  const Solver<double> taken = std::move(given);
  EXPECT_TRUE(taken);
  EXPECT_NE(error_of([&] { given(queue, a, a, b, x); }), "");
}

}  // namespace
}  // namespace millrace::testing
