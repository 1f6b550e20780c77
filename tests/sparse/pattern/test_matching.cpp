// Large entries onto the diagonal: against all permutations of small matrices, structurally singular ones, and limits.
#include "millrace/sparse/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace {
namespace {

struct Entry {
  Index row, col;
  double value;
};
Csr<double> matrix_of(Index n, const std::vector<Entry>& entries) {
  Coo<double> a{n, n, Array<Index>(std::ssize(entries)), Array<Index>(std::ssize(entries)),
                Array<double>(std::ssize(entries))};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    a.rows.data()[k] = entries[k].row;
    a.cols.data()[k] = entries[k].col;
    a.vals.data()[k] = entries[k].value;
  }
  return to_csr(a);
}

double at(const Csr<double>& a, Index row, Index col) {
  for (Offset k = a.row_begin(row); k < a.row_begin(row + 1); ++k)
    if (a.cols.data()[k] == col) return a.vals.data()[k];
  return 0;
}

// The logarithm of the diagonal's product; minus infinity when it has a zero.
double log_product(const Csr<double>& a, const std::vector<Index>& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) sum += std::log(std::abs(at(a, rows[i], static_cast<Index>(i))));
  return sum;
}

bool is_permutation_to(std::vector<Index> rows, Index n) {
  std::sort(rows.begin(), rows.end());
  for (Index i = 0; i < n; ++i)
    if (i >= std::ssize(rows) || rows[static_cast<std::size_t>(i)] != i) return false;
  return std::ssize(rows) == n;
}

TEST(Matching, ProductIsTheLargestOfAllPermutations) {
  unsigned state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int round = 0; round < 200; ++round) {
    const Index n = 2 + static_cast<Index>(next() % 5);
    std::vector<Entry> entries;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (next() % 3 != 0) entries.push_back({i, j, std::exp(0.3 * static_cast<double>(next() % 40) - 6)});
    const Csr<double> a = matrix_of(n, entries);
    double best = -std::numeric_limits<double>::infinity();
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), 0);
    do best = std::max(best, log_product(a, rows));
    while (std::next_permutation(rows.begin(), rows.end()));
    const Matching found = match_diagonal(a);
    ASSERT_TRUE(is_permutation_to(found.rows, n));
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.num_matched == n, std::isfinite(best)) << "round " << round;
    if (!std::isfinite(best)) continue;
    EXPECT_NEAR(log_product(a, found.rows), best, 1e-9) << "round " << round;
  }
}

TEST(Matching, AGoodDiagonalStays) {
  const Csr<double> a = gallery::make("poisson2d5:n=20");
  const Matching found = match_diagonal(a);
  for (std::size_t i = 0; i < found.rows.size(); ++i) ASSERT_EQ(found.rows[i], static_cast<Index>(i));
}

TEST(Matching, SingularMatricesAndLimitsStillGiveAPermutation) {
  const Csr<double> singular =
      matrix_of(4, {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {2, 3, 0}, {3, 0, 1}});  // row 1 or 2 loses
  const Matching found = match_diagonal(singular);
  EXPECT_TRUE(is_permutation_to(found.rows, 4));
  EXPECT_EQ(found.num_matched, 2);
  const Csr<double> empty = matrix_of(3, {});
  EXPECT_TRUE(is_permutation_to(match_diagonal(empty).rows, 3));
  EXPECT_EQ(match_diagonal(matrix_of(0, {})).rows.size(), 0u);

  std::vector<Entry> arrow;  // every row wants column 0 most
  for (Index i = 0; i < 50; ++i) {
    arrow.push_back({i, 0, 9});
    if (i > 0) arrow.push_back({i, i, 1});
  }
  const Matching cut = match_diagonal(matrix_of(50, arrow), 0);
  EXPECT_TRUE(is_permutation_to(cut.rows, 50));
  EXPECT_EQ(match_diagonal(matrix_of(50, arrow)).num_matched, 50);
  EXPECT_THROW(match_diagonal(Csr<double>(1, 2, Array<std::int32_t>{0, 0}, Array<Index>(0), Array<double>(0))), Error);
}

}  // namespace
}  // namespace millrace
