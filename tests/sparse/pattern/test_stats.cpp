// Statistics: small matrices by hand, random ones against a dense computation.
#include "millrace/sparse/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <set>

namespace millrace {
namespace {

struct Position {
  Index row, col;
};

// Entries row by row in the order given; the value of each is made from its position.
template <class T, class F>
Csr<T> make_csr(Index num_rows, Index num_cols, const std::vector<Position>& positions, F&& value) {
  Array<std::int32_t> row_ptr(num_rows + 1, 0);
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < num_rows; ++r) {
    for (const Position& p : positions)
      if (p.row == r) {
        cols.push_back(p.col);
        vals.push_back(value(p));
      }
    row_ptr.data()[r + 1] = static_cast<std::int32_t>(cols.size());
  }
  return {num_rows, num_cols, std::move(row_ptr), Array<Index>(std::span<const Index>(cols)),
          Array<T>(std::span<const T>(vals))};
}

template <class T = double>
Csr<T> make_csr(Index num_rows, Index num_cols, const std::vector<Position>& positions) {
  return make_csr<T>(num_rows, num_cols, positions, [](const Position&) { return T{1}; });
}

std::vector<Position> block_positions(Index num_blocks, Index size, const std::vector<Position>& blocks) {
  std::vector<Position> positions;
  for (Index i = 0; i < num_blocks * size; ++i)
    for (const Position& b : blocks)
      if (b.row == i / size)
        for (Index j = 0; j < size; ++j) positions.push_back({i, b.col * size + j});
  return positions;
}

TEST(Stats, OfAnEmptyMatrix) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 0}, {0, 7}, {7, 0}, {5, 5}}) {
    const MatrixStats s = compute_stats(make_csr(rows, cols, {}));
    EXPECT_EQ(s.num_rows, rows);
    EXPECT_EQ(s.num_cols, cols);
    EXPECT_EQ(s.num_entries, 0);
    EXPECT_EQ(s.empty_rows, rows);
    EXPECT_EQ(s.empty_cols, cols);
    EXPECT_EQ(s.row_max, 0);
    EXPECT_EQ(s.row_mean, 0);
    EXPECT_EQ(s.num_diagonals, 0);
    EXPECT_EQ(s.mean_distance, 0);
    EXPECT_EQ(s.block_size, 1);
    EXPECT_EQ(s.pattern_symmetric, rows == cols);
    EXPECT_EQ(s.numerically_symmetric, rows == cols);
    EXPECT_EQ(s.full_diagonal, rows == 0 || cols == 0);
    EXPECT_EQ(s.row_histogram.size(), rows == 0 ? 0u : 1u);
  }
}

TEST(Stats, OfASmallMatrixByHand) {
  // 2 . . 5
  // . . . .
  // 1 0 3 .      the 0 is stored
  const std::vector<Position> positions{{0, 0}, {0, 3}, {2, 0}, {2, 1}, {2, 2}};
  const MatrixStats s =
      compute_stats(make_csr<double>(3, 4, positions, [](Position p) { return p.col == 1 ? 0.0 : 2; }));
  EXPECT_EQ(s.num_entries, 5);
  EXPECT_EQ(s.row_min, 0);
  EXPECT_EQ(s.row_max, 3);
  EXPECT_DOUBLE_EQ(s.row_mean, 5.0 / 3);
  EXPECT_DOUBLE_EQ(s.row_std, std::sqrt((4 + 0 + 9) / 3.0 - 25.0 / 9));
  EXPECT_EQ(s.empty_rows, 1);
  EXPECT_EQ(s.empty_cols, 0);
  EXPECT_EQ(s.col_max, 2);
  EXPECT_EQ(s.lower_bandwidth, 2);
  EXPECT_EQ(s.upper_bandwidth, 3);
  EXPECT_DOUBLE_EQ(s.mean_distance, (0 + 3 + 2 + 1 + 0) / 5.0);
  EXPECT_EQ(s.num_diagonals, 4);
  EXPECT_EQ(s.explicit_zeros, 1);
  EXPECT_EQ(s.diagonal_entries, 2);
  EXPECT_FALSE(s.full_diagonal);
  EXPECT_FALSE(s.pattern_symmetric);
  EXPECT_TRUE(s.sorted_rows);
  EXPECT_EQ(s.num_duplicates, 0);
  EXPECT_EQ(s.row_histogram, (std::vector<HistogramBin>{{0, 0, 1}, {2, 2, 1}, {3, 3, 1}}));
}

TEST(Stats, SymmetryOfRealMatrices) {
  const std::vector<Position> positions{{0, 0}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}};
  const auto with = [&](auto value) { return compute_stats(make_csr<double>(3, 3, positions, value)); };

  const MatrixStats symmetric = with([](Position p) { return 1.0 + p.row + p.col; });
  EXPECT_TRUE(symmetric.pattern_symmetric && symmetric.numerically_symmetric && symmetric.hermitian);
  EXPECT_FALSE(symmetric.skew);
  EXPECT_EQ(symmetric.value_symmetry, 1);

  const MatrixStats skew = with([](Position p) { return static_cast<double>(p.row - p.col); });
  EXPECT_TRUE(skew.skew && skew.pattern_symmetric);
  EXPECT_FALSE(skew.numerically_symmetric);
  EXPECT_EQ(skew.explicit_zeros, 2);

  const MatrixStats almost_skew = with([](Position p) { return p.row == p.col ? 1.0 : p.row - p.col; });
  EXPECT_FALSE(almost_skew.skew);

  const MatrixStats half = with([](Position p) { return p.row + p.col == 1 ? 1.0 : p.row; });
  EXPECT_FALSE(half.numerically_symmetric);
  EXPECT_DOUBLE_EQ(half.value_symmetry, 0.5);
  EXPECT_EQ(half.pattern_symmetry, 1);

  const MatrixStats no_partner = compute_stats(make_csr(3, 3, {{0, 1}, {0, 2}, {1, 0}}));
  EXPECT_FALSE(no_partner.pattern_symmetric);
  EXPECT_DOUBLE_EQ(no_partner.pattern_symmetry, 2.0 / 3);

  const MatrixStats no_upper_partner = compute_stats(make_csr(3, 3, {{0, 1}, {1, 0}, {2, 0}}));
  EXPECT_FALSE(no_upper_partner.pattern_symmetric || no_upper_partner.numerically_symmetric);

  const MatrixStats diagonal = compute_stats(make_csr(2, 2, {{0, 0}, {1, 1}}));
  EXPECT_TRUE(diagonal.numerically_symmetric && diagonal.full_diagonal);
  EXPECT_EQ(diagonal.pattern_symmetry, 1);
}

TEST(Stats, SymmetryOfComplexMatrices) {
  using C = std::complex<double>;
  const std::vector<Position> positions{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const auto with = [&](auto value) { return compute_stats(make_csr<C>(2, 2, positions, value)); };
  const MatrixStats hermitian = with([](Position p) { return C(2, p.row - p.col); });
  EXPECT_TRUE(hermitian.hermitian);
  EXPECT_FALSE(hermitian.numerically_symmetric);
  const MatrixStats symmetric = with([](Position p) { return C(2, p.row + p.col); });
  EXPECT_TRUE(symmetric.numerically_symmetric);
  EXPECT_FALSE(symmetric.hermitian);
  const MatrixStats complex_diagonal = with([](Position p) { return C(2, p.row == p.col ? 1 : p.row - p.col); });
  EXPECT_FALSE(complex_diagonal.hermitian);
  const MatrixStats skew = with([](Position p) { return C(p.row - p.col, p.col - p.row); });
  EXPECT_TRUE(skew.skew);
}

TEST(Stats, UnsortedRowsAndRepeatedPositions) {
  // Row 0 holds column 1 twice, with values that add up to its partner's.
  const Csr<double> a(2, 2, Array<std::int32_t>{0, 3, 4}, Array<Index>{1, 0, 1, 0}, Array<double>{3, 9, 4, 7});
  const MatrixStats s = compute_stats(a);
  EXPECT_FALSE(s.sorted_rows);
  EXPECT_EQ(s.num_entries, 4);
  EXPECT_EQ(s.num_duplicates, 1);
  EXPECT_EQ(s.row_max, 3);
  EXPECT_EQ(s.diagonal_entries, 1);
  EXPECT_TRUE(s.numerically_symmetric);

  const Csr<double> repeated(1, 2, Array<std::int32_t>{0, 2}, Array<Index>{1, 1}, Array<double>{1, 1});
  EXPECT_TRUE(compute_stats(repeated).sorted_rows);
  EXPECT_EQ(compute_stats(repeated).num_duplicates, 1);
}

TEST(Stats, FullBlocksAreFound) {
  for (const Index size : {2, 3, 5, 8, 31, 32}) {
    const Csr<float> a =
        make_csr<float>(7 * size, 7 * size, block_positions(7, size, {{0, 0}, {0, 3}, {2, 1}, {5, 5}, {6, 2}}));
    const MatrixStats s = compute_stats(a);
    EXPECT_EQ(s.block_size, size);
    EXPECT_EQ(s.block_fill, 1);
    EXPECT_EQ(s.exact_block_size, size);
  }
}

TEST(Stats, NearlyFullBlocksAreFound) {
  auto positions = block_positions(10, 4, {{0, 0}, {1, 1}, {3, 2}, {4, 9}, {9, 9}});
  positions.erase(positions.begin() + 5);
  const MatrixStats s = compute_stats(make_csr(40, 40, positions));
  EXPECT_EQ(s.block_size, 4);
  EXPECT_DOUBLE_EQ(s.block_fill, 79.0 / 80);
  EXPECT_EQ(s.exact_block_size, 1);
}

TEST(Stats, ABlockThatIsNotAlignedIsNone) {
  auto positions = block_positions(10, 3, {{1, 2}, {5, 5}});
  for (Position& p : positions) ++p.col;
  EXPECT_EQ(compute_stats(make_csr(30, 31, positions)).block_size, 1);
}

TEST(Stats, BlocksOfADenseMatrix) {
  std::vector<Position> positions;
  for (Index i = 0; i < 50; ++i)
    for (Index j = 0; j < 50; ++j) positions.push_back({i, j});
  const MatrixStats s = compute_stats(make_csr(50, 50, positions));
  EXPECT_EQ(s.block_size, 26);  // two by two blocks, which go two beyond the edge
  EXPECT_DOUBLE_EQ(s.block_fill, 50.0 * 50 / (52 * 52));
  EXPECT_EQ(s.exact_block_size, 25);
  EXPECT_EQ(s.num_diagonals, 99);
}

TEST(Stats, HistogramGoesByPowersOfTwoWhenThereAreManyLengths) {
  std::vector<std::int32_t> row_ptr{0};
  for (std::int32_t length = 0; length < 100; ++length) row_ptr.push_back(row_ptr.back() + length);
  row_ptr.push_back(row_ptr.back() + 5000);
  const RowLengths rows = row_lengths(Array<std::int32_t>(std::span<const std::int32_t>(row_ptr)));
  const std::vector<HistogramBin> expected{
      {0, 0, 1},     {1, 1, 1},     {2, 3, 2},     {4, 7, 4},      {8, 15, 8},      {16, 31, 16},    {32, 63, 32},
      {64, 127, 36}, {128, 255, 0}, {256, 511, 0}, {512, 1023, 0}, {1024, 2047, 0}, {2048, 4095, 0}, {4096, 8191, 1}};
  EXPECT_EQ(rows.histogram, expected);
  EXPECT_EQ(rows.max, 5000);
  EXPECT_EQ(rows.num_empty, 1);
}

// The plain way: everything from a table of the positions.
void expect_equal_to_dense(const Csr<double>& a, const MatrixStats& s) {
  std::map<std::pair<Index, Index>, double> table;
  std::set<Index> diagonals;
  std::vector<Index> row_count(static_cast<std::size_t>(a.num_rows)), col_count(static_cast<std::size_t>(a.num_cols));
  double distance = 0;
  Index below = 0, above = 0;
  for (Index i = 0; i < a.num_rows; ++i)
    for (Offset k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
      const Index j = a.cols.data()[k];
      table[{i, j}] += a.vals.data()[k];
      diagonals.insert(j - i);
      ++row_count[static_cast<std::size_t>(i)];
      ++col_count[static_cast<std::size_t>(j)];
      distance += std::abs(i - j);
      below = std::max(below, i - j);
      above = std::max(above, j - i);
    }
  Offset off = 0, partners = 0, equal = 0, on = 0;
  for (const auto& [p, value] : table) {
    on += p.first == p.second;
    if (p.first == p.second) continue;
    ++off;
    const auto partner = table.find({p.second, p.first});
    partners += partner != table.end();
    equal += partner != table.end() && partner->second == value;
  }
  EXPECT_EQ(s.num_diagonals, static_cast<Offset>(diagonals.size()));
  EXPECT_EQ(s.row_max, *std::max_element(row_count.begin(), row_count.end()));
  EXPECT_EQ(s.row_min, *std::min_element(row_count.begin(), row_count.end()));
  EXPECT_EQ(s.empty_rows, std::count(row_count.begin(), row_count.end(), 0));
  EXPECT_EQ(s.col_max, *std::max_element(col_count.begin(), col_count.end()));
  EXPECT_EQ(s.empty_cols, std::count(col_count.begin(), col_count.end(), 0));
  EXPECT_EQ(s.lower_bandwidth, below);
  EXPECT_EQ(s.upper_bandwidth, above);
  EXPECT_EQ(s.mean_distance, distance / static_cast<double>(a.num_entries()));
  EXPECT_EQ(s.num_duplicates, a.num_entries() - static_cast<Offset>(table.size()));
  EXPECT_EQ(s.diagonal_entries, on);
  if (a.num_rows == a.num_cols) {
    EXPECT_EQ(s.pattern_symmetry, off ? static_cast<double>(partners) / static_cast<double>(off) : 1);
    EXPECT_EQ(s.value_symmetry, off ? static_cast<double>(equal) / static_cast<double>(off) : 1);
    EXPECT_EQ(s.pattern_symmetric, partners == off);
    EXPECT_EQ(s.numerically_symmetric, equal == off);
  }
  Index size = 32;
  double fill = 1;
  for (; size > 1; --size) {
    std::set<std::pair<Index, Index>> blocks;
    for (const auto& [p, value] : table) blocks.insert({p.first / size, p.second / size});
    fill = static_cast<double>(table.size()) / (static_cast<double>(blocks.size()) * size * size);
    if (fill >= 0.9) break;
  }
  EXPECT_EQ(s.block_size, size);
  EXPECT_DOUBLE_EQ(s.block_fill, size > 1 ? fill : 1);
}

TEST(Stats, RandomMatricesAgainstADenseComputation) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const bool square = trial % 3 != 0;
    const Index rows = static_cast<Index>(1 + random() % 60);
    const Index cols = square ? rows : static_cast<Index>(1 + random() % 60);
    const std::size_t count = 1 + random() % 300;
    std::vector<Position> positions;
    for (std::size_t k = 0; k < count; ++k) {
      const Position p{static_cast<Index>(random() % static_cast<unsigned>(rows)),
                       static_cast<Index>(random() % static_cast<unsigned>(cols))};
      positions.push_back(p);
      if (square && trial % 2 == 0) positions.push_back({p.col, p.row});
    }
    const Csr<double> a = make_csr<double>(rows, cols, positions, [&](Position) { return double(random() % 2); });
    expect_equal_to_dense(a, compute_stats(a));
  }
}

TEST(Stats, RowOffsetsOfEightBytes) {
  const Array<std::int64_t> row_ptr{0, 2, 4};
  const Array<Index> cols{0, 1, 0, 1};
  const Array<double> vals{1, 2, 2, 1};
  const auto a = Csr<double>::wrap<std::int64_t>(2, 2, row_ptr.device_span(), cols.device_span(), vals.device_span());
  ASSERT_TRUE(std::holds_alternative<Array<std::int64_t>>(a.row_ptr));
  const MatrixStats s = compute_stats(a);
  EXPECT_TRUE(s.numerically_symmetric);
  EXPECT_EQ(s.block_size, 2);
  EXPECT_EQ(s.row_histogram, (std::vector<HistogramBin>{{2, 2, 2}}));
}

TEST(Stats, AreTheSameForAnyNumberOfThreads) {
  std::mt19937 random(3);
  const Index n = 5000;
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  std::vector<double> vals;
  for (Index i = 0; i < n; ++i) {
    const std::size_t length = i == 17 ? 20000 : random() % 9;
    for (std::size_t k = 0; k < length; ++k) {
      cols.push_back(static_cast<Index>(random() % n));
      vals.push_back(double(random() % 3));
    }
    row_ptr.push_back(static_cast<std::int64_t>(cols.size()));
  }
  const Csr<double> a(n, n, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
                      Array<Index>(std::span<const Index>(cols)), Array<double>(std::span<const double>(vals)));
  const MatrixStats one = compute_stats(a, 1);
  for (const int threads : {2, 3, 8}) {
    const MatrixStats s = compute_stats(a, threads);
    EXPECT_EQ(s.row_std, one.row_std);
    EXPECT_EQ(s.row_histogram, one.row_histogram);
    EXPECT_EQ(s.mean_distance, one.mean_distance);
    EXPECT_EQ(s.num_diagonals, one.num_diagonals);
    EXPECT_EQ(s.col_max, one.col_max);
    EXPECT_EQ(s.explicit_zeros, one.explicit_zeros);
    EXPECT_EQ(s.value_symmetry, one.value_symmetry);
    EXPECT_EQ(s.num_duplicates, one.num_duplicates);
    EXPECT_EQ(s.block_fill, one.block_fill);
  }
}

}  // namespace
}  // namespace millrace
