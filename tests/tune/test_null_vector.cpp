// A bound of the reciprocal condition from two vectors with nearly the same product.
#include "millrace/tune/null_vector.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "millrace/sparse/assemble.hpp"

namespace millrace::testing {
namespace {

// The second difference on a ring, plus a number on the diagonal.
Csr<double> ring(Index n, double added) {
  std::vector<Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 2 + added});
    entries.push_back({i, (i + 1) % n, -1});
    entries.push_back({i, (i + n - 1) % n, -1});
  }
  return make_csr<double>(n, n, entries);
}

AutoReport solved(Queue& queue, const Csr<double>& a, std::vector<double>& x) {
  std::vector<double> ones(x.size()), b(x.size());
  for (std::size_t i = 0; i < b.size(); ++i) ones[i] = std::sin(static_cast<double>(i));
  SparseMatrix<double>(a.clone()).apply(queue, {.x = ones, .y = b});
  const AutoReport report =
      solve(queue, a, std::span<const double>(b), std::span<double>(x), {.method = "minres", .precond = "none"});
  for (std::size_t i = 0; i < b.size(); ++i) x[i] -= ones[i];
  return report;
}

TEST(NullVector, TellsSingularFromRegular) {
  Queue queue;
  for (const double added : {0.0, 1e-3, 1.0}) {
    const Csr<double> a = ring(50, added);
    std::vector<double> e(50);
    const AutoReport report = solved(queue, a, e);
    ASSERT_TRUE(report.ok()) << report.reason;
    const double bound = bound_of_rcond(queue, a, report, 1000, e), rcond = added / (4 + added);
    EXPECT_GE(bound, rcond * (1 - 1e-6)) << added;  // it is a bound
    EXPECT_EQ(bound < 1e-15, added == 0) << bound;
  }
}

TEST(NullVector, NoDifferenceSaysNothingAndSizesAreChecked) {
  Queue queue;
  const Csr<double> a = ring(8, 1);
  std::vector<double> e(8);
  const AutoReport report = solved(queue, a, e);
  EXPECT_EQ(bound_of_rcond(queue, a, report, 100, std::vector<double>(8)), 1);
  EXPECT_THROW(bound_of_rcond(queue, a, report, 100, std::vector<double>(7)), Error);
}

}  // namespace
}  // namespace millrace::testing
