// Orderings: each is a permutation, the same on every run, and does what it is for.
#include "millrace/sparse/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <random>
#include <set>

#include "millrace/sparse/pattern/order_graph.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

template <class T = double>
Csr<T> from_rows(Index num_cols, const std::vector<std::vector<Index>>& rows) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  for (const auto& row : rows) {
    cols.insert(cols.end(), row.begin(), row.end());
    row_ptr.push_back(static_cast<std::int64_t>(cols.size()));
  }
  Array<T> vals(static_cast<std::int64_t>(cols.size()), T{1});
  return {static_cast<Index>(rows.size()), num_cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(cols)), std::move(vals)};
}

// The five-point matrix of an n x m grid, rows numbered along the shorter side m.
Csr<double> grid(Index n, Index m) {
  std::vector<std::vector<Index>> rows;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j) {
      auto& row = rows.emplace_back();
      const Index r = i * m + j;
      if (i > 0) row.push_back(r - m);
      if (j > 0) row.push_back(r - 1);
      row.push_back(r);
      if (j + 1 < m) row.push_back(r + 1);
      if (i + 1 < n) row.push_back(r + m);
    }
  return from_rows(n * m, rows);
}

std::vector<Index> shuffled(Index n, unsigned seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

bool is_permutation_of(const std::vector<Index>& order, Index n) {
  std::vector<Index> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Index>(i)) return false;
  return static_cast<Index>(order.size()) == n;
}

// Entries below the diagonal of the Cholesky factor of a symmetric pattern: eliminate node by node.
Offset factor_entries(const Csr<double>& a) {
  std::vector<std::set<Index>> later(static_cast<std::size_t>(a.num_rows));
  for (Index i = 0; i < a.num_rows; ++i)
    for (Offset s = a.row_begin(i); s < a.row_begin(i + 1); ++s)
      if (a.cols.data()[s] > i) later[static_cast<std::size_t>(i)].insert(a.cols.data()[s]);
  Offset count = 0;
  for (auto& mine : later) {
    count += static_cast<Offset>(mine.size());
    if (mine.empty()) continue;
    const Index parent = *mine.begin();  // the others of this column join its column
    later[static_cast<std::size_t>(parent)].insert(std::next(mine.begin()), mine.end());
  }
  return count;
}

std::vector<Ordering> all_here() {
  std::vector<Ordering> found;
  for (const Ordering o : {Ordering::none, Ordering::descending, Ordering::amd, Ordering::rcm, Ordering::metis})
    if (join(" ", ordering_names(), " ").find(join(" ", to_string(o), " ")) != std::string::npos) found.push_back(o);
  return found;
}

bool here(Ordering ordering) {
  const auto all = all_here();
  return std::find(all.begin(), all.end(), ordering) != all.end();
}

Index bandwidth(const Csr<double>& a) {
  const MatrixStats s = compute_stats(a);
  return std::max(s.lower_bandwidth, s.upper_bandwidth);
}

TEST(Order, NamesAreParsed) {
  for (const Ordering ordering : all_here()) EXPECT_EQ(parse_ordering(to_string(ordering)), ordering);
  EXPECT_THROW(
      {
        try {
          parse_ordering("rmc");
        } catch (const Error& e) {
          EXPECT_EQ(std::string(e.what()), "unknown ordering 'rmc'; this build has: " + ordering_names());
          throw;
        }
      },
      Error);
}

TEST(Order, WhatTheBuildLacksIsRefused) {
  for (const Ordering ordering : {Ordering::amd, Ordering::metis})
    if (!here(ordering)) {
      EXPECT_THROW(parse_ordering(to_string(ordering)), Unsupported);
      EXPECT_THROW(make_ordering(grid(2, 2), ordering), Unsupported);
    }
}

TEST(Order, EveryOneIsAPermutationAndRepeats) {
  std::mt19937 random(5);
  for (const Index n : {0, 1, 2, 31, 32, 33, 200}) {
    std::vector<std::vector<Index>> rows(static_cast<std::size_t>(n));  // unsorted, repeated, some empty
    for (auto& row : rows)
      for (auto k = random() % 6; k > 0; --k) row.push_back(static_cast<Index>(random() % static_cast<unsigned>(n)));
    const auto a = from_rows<std::complex<float>>(n, rows);
    for (const Ordering ordering : all_here()) {
      const std::vector<Index> order = make_ordering(a, ordering);
      EXPECT_TRUE(is_permutation_of(order, n)) << to_string(ordering) << " of " << n;
      EXPECT_EQ(order, make_ordering(a, ordering)) << to_string(ordering) << " of " << n;
    }
  }
}

TEST(Order, MatricesWithoutEdgesAreOrdered) {
  for (const Ordering ordering : all_here()) {
    EXPECT_TRUE(is_permutation_of(make_ordering(from_rows(5, {{}, {}, {}, {}, {}}), ordering), 5));
    EXPECT_TRUE(is_permutation_of(make_ordering(from_rows(3, {{0}, {1}, {2}}), ordering), 3));
    EXPECT_TRUE(is_permutation_of(make_ordering(from_rows(4, {{1}, {}, {}, {}}), ordering), 4));
  }
}

TEST(Order, RectangularMatricesHaveOnlyRowOrders) {
  const auto a = from_rows(3, {{0}, {1, 2}});
  EXPECT_EQ(make_ordering(a, Ordering::none), (std::vector<Index>{0, 1}));
  EXPECT_EQ(make_ordering(a, Ordering::descending), (std::vector<Index>{1, 0}));
  for (const Ordering ordering : {Ordering::amd, Ordering::rcm, Ordering::metis})
    EXPECT_THROW(make_ordering(a, ordering), Error);
}

TEST(Order, DescendingIsStable) {
  const auto a = from_rows(4, {{0}, {0, 1, 2}, {}, {1, 2}, {0, 2, 3}, {3}});
  const std::vector<Index> order = make_ordering(a, Ordering::descending);
  EXPECT_EQ(order, (std::vector<Index>{1, 4, 3, 0, 5, 2}));
  const Csr<double> sorted = permute_rows(a, std::span<const Index>(order));
  for (Index r = 1; r < sorted.num_rows; ++r) EXPECT_LE(sorted.row_length(r), sorted.row_length(r - 1));
}

TEST(Order, TheGraphIsOfBothTriangles) {
  const RowGraph graph = make_graph(from_rows(4, {{0, 2, 2}, {1}, {0}, {2, 1}}));
  EXPECT_EQ(graph.begin.to_vector(), (std::vector<Offset>{0, 1, 2, 4, 6}));
  EXPECT_EQ(graph.neighbours.to_vector(), (std::vector<Index>{2, 3, 0, 3, 1, 2}));
}

TEST(Order, RowOffsetsOfEightBytesGiveTheSameOrders) {
  const Csr<double> a = grid(9, 7);
  Array<std::int64_t> wide(a.num_rows + 1);
  for (Index r = 0; r <= a.num_rows; ++r) wide.data()[r] = a.row_begin(r);
  const Array<std::int64_t>& row_ptr = wide;
  const auto b = Csr<double>::wrap<std::int64_t>(a.num_rows, a.num_cols, row_ptr.device_span(), a.cols.device_span(),
                                                 a.vals.device_span());
  for (const Ordering ordering : all_here()) EXPECT_EQ(make_ordering(a, ordering), make_ordering(b, ordering));
}

TEST(Order, RcmRestoresABand) {
  // A path, shuffled: its best bandwidth is 1, and RCM finds it.
  std::vector<std::vector<Index>> rows;
  const Index n = 500;
  for (Index i = 0; i < n; ++i)
    rows.push_back(i == 0       ? std::vector<Index>{0, 1}
                   : i + 1 == n ? std::vector<Index>{i - 1, i}
                                : std::vector<Index>{i - 1, i, i + 1});
  const std::vector<Index> mix = shuffled(n, 11);
  const Csr<double> mixed = permute(from_rows(n, rows), std::span<const Index>(mix), std::span<const Index>(mix));
  EXPECT_GT(bandwidth(mixed), 100);
  const std::vector<Index> order = make_ordering(mixed, Ordering::rcm);
  EXPECT_EQ(bandwidth(permute(mixed, std::span<const Index>(order), std::span<const Index>(order))), 1);
}

TEST(Order, RcmRestoresAGrid) {
  const Csr<double> a = grid(60, 12);  // the best bandwidth is 12
  const std::vector<Index> mix = shuffled(a.num_rows, 12);
  const Csr<double> mixed = permute(a, std::span<const Index>(mix), std::span<const Index>(mix));
  const std::vector<Index> order = make_ordering(mixed, Ordering::rcm);
  EXPECT_LE(bandwidth(permute(mixed, std::span<const Index>(order), std::span<const Index>(order))), 14);
}

TEST(Order, RcmKeepsComponentsTogether) {
  // Two triangles and a single node, interleaved.
  const auto a = from_rows(7, {{2, 4}, {3, 5}, {0, 4}, {1, 5}, {0, 2}, {1, 3}, {}});
  const std::vector<Index> order = make_ordering(a, Ordering::rcm);
  EXPECT_EQ(bandwidth(permute(a, std::span<const Index>(order), std::span<const Index>(order))), 2);
}

TEST(Order, FillReducingOrdersReduceFill) {
  const Csr<double> a = grid(32, 32);
  const Offset natural = factor_entries(a);
  EXPECT_EQ(natural, 31 * 32 * 32 + 31);  // a band that is full
  for (const Ordering ordering : {Ordering::amd, Ordering::metis}) {
    if (!here(ordering)) continue;
    const std::vector<Index> order = make_ordering(a, ordering);
    const Offset filled = factor_entries(permute(a, std::span<const Index>(order), std::span<const Index>(order)));
    EXPECT_LT(3 * filled, 2 * natural) << to_string(ordering);
  }
}

}  // namespace
}  // namespace millrace
