// Minimum discarded fill: against the rule by brute force, orders known by thought, and the norms of blocks.
#include "millrace/precond/order_mdf.hpp"

#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

/// [n, n], 0: no coupling.
BlockCouplings couplings_of(const std::vector<std::vector<double>>& norms) {
  BlockCouplings c;
  for (std::size_t r = 0; r < norms.size(); ++r) {
    for (std::size_t j = 0; j < norms.size(); ++j)
      if (j != r && norms[r][j] != 0) c.cols.push_back(static_cast<Index>(j)), c.norms.push_back(norms[r][j]);
    c.row_ptr.push_back(std::ssize(c.cols));
  }
  return c;
}

BlockCouplings ring(const std::vector<double>& norms) {  // norms[i]: between i and i + 1, both ways
  const std::size_t n = norms.size();
  std::vector<std::vector<double>> c(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) c[i][(i + 1) % n] = c[(i + 1) % n][i] = norms[i];
  return couplings_of(c);
}

/// The rule as it stands, on a table.
std::vector<Index> by_brute_force(const std::vector<std::vector<double>>& c) {
  const std::size_t n = c.size();
  std::vector<bool> done(n, false);
  std::vector<Index> order;
  for (std::size_t step = 0; step < n; ++step) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = n;
    for (std::size_t k = 0; k < n; ++k) {
      if (done[k]) continue;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (i != j && i != k && j != k && !done[i] && !done[j] && c[i][k] != 0 && c[k][j] != 0 && c[i][j] == 0)
            sum += (c[i][k] * c[i][k]) * (c[k][j] * c[k][j]);
      if (sum < least) least = sum, best = k;
    }
    done[best] = true;
    order.push_back(static_cast<Index>(best));
  }
  return order;
}

TEST(OrderMdf, IsTheRule) {
  Random random(3);
  for (const std::size_t n : {0u, 1u, 2u, 5u, 40u, 90u})
    for (const bool symmetric : {true, false})
      for (const Index one_in : {2, 5, 20}) {
        std::vector<std::vector<double>> c(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < i; ++j) {
            if (random.below(one_in) == 0) c[i][j] = 0.1 + std::abs(random.value<double>());
            if (symmetric ? c[i][j] != 0 : random.below(one_in) == 0) c[j][i] = 0.1 + std::abs(random.value<double>());
          }
        const std::vector<Index> order = order_mdf(couplings_of(c));
        EXPECT_EQ(order, by_brute_force(c)) << n;
        EXPECT_EQ(order, order_mdf(couplings_of(c)));
      }
}

TEST(OrderMdf, KnownOrders) {
  // A chain has an end without fill at any time: as it comes, from the first end.
  EXPECT_EQ(order_mdf(couplings_of({{0, 1, 0, 0}, {9, 0, 1, 0}, {0, 9, 0, 1}, {0, 0, 9, 0}})),
            (std::vector<Index>{0, 1, 2, 3}));
  // A star: its points first, until the centre is the end of a chain.
  EXPECT_EQ(
      order_mdf(couplings_of({{0, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}})),
      (std::vector<Index>{1, 2, 3, 0, 4}));
  // A ring is opened where its couplings are weakest; then it is a chain with two ends.
  EXPECT_EQ(order_mdf(ring({1, 1, 0.01, 0.02, 1, 1})), (std::vector<Index>{3, 2, 1, 0, 4, 5}));
  EXPECT_EQ(order_mdf(ring({0.5, 1, 1, 1, 1, 0.5})), (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  // All coupled with all: no fill at all.
  EXPECT_EQ(order_mdf(couplings_of({{0, 1, 2}, {3, 0, 4}, {5, 6, 0}})), (std::vector<Index>{0, 1, 2}));
}

TEST(OrderMdf, FillGoesFromWhoNeedsARowToWhatItNeeds) {
  // The centre of a star that needs its points, which need nothing: no fill, so as they come.
  const std::vector<std::vector<double>> c{{0, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  EXPECT_EQ(order_mdf(couplings_of(c)), (std::vector<Index>{0, 1, 2, 3}));
  // Around a ring one way, each needs the next: the weakest pair of steps first, then a chain.
  const std::vector<std::vector<double>> ring{{0, 3, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}};
  EXPECT_EQ(order_mdf(couplings_of(ring)), (std::vector<Index>{3, 0, 1, 2}));
}

template <class T>
struct OrderMdfOf : ::testing::Test {};
TYPED_TEST_SUITE(OrderMdfOf, Scalars);

TYPED_TEST(OrderMdfOf, NormsAreThoseOfTheScaledBlocks) {
  using T = TypeParam;
  const Index m = 3, n = 20;
  std::vector<Index> neighbours;
  std::vector<T> blocks = random_vector<T>(3 * n * m * m, 4);
  for (Index f = 0; f < n; ++f) {
    neighbours.insert(neighbours.end(), {f, (f + 1) % n, f % 4 == 1 ? -1 : (f + n - 1) % n});
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < m; ++j)
        blocks[static_cast<std::size_t>((Offset{f} * 3 * m + j) * m + i)] = T(i == (j + 1) % m ? 4 : 0);  // 4 P
  }
  Queue queue(Device::host(), 2);
  for (const auto& [group, apart] : {std::pair{1, false}, {4, false}, {1, true}}) {
    const BlockCouplings c = block_couplings(queue, Dbf<T>::from_blocks(m, 3, neighbours, blocks, group, apart));
    ASSERT_EQ(c.num_rows(), n);
    for (Index f = 0; f < n; ++f) {
      const Offset begin = c.row_ptr[static_cast<std::size_t>(f)], end = c.row_ptr[static_cast<std::size_t>(f) + 1];
      ASSERT_EQ(end - begin, f % 4 == 1 ? 1 : 2);
      for (Offset s = begin; s < end; ++s) {
        const Index block = 3 * f + (c.cols[static_cast<std::size_t>(s)] == (f + 1) % n ? 1 : 2);
        double square = 0;
        for (Index k = 0; k < m * m; ++k) square += std::norm(blocks[static_cast<std::size_t>(block * m * m + k)]);
        EXPECT_NEAR(c.norms[static_cast<std::size_t>(s)], std::sqrt(square) / 4, 30 * eps<T>);
      }
    }
  }
}

TEST(OrderMdf, DoesNotDependOnTheLayout) {
  const Csr<double> a = gallery::make("hdg:m=4,na=5,faces=400");
  Queue one(Device::host(), 1), three(Device::host(), 3);
  const std::vector<Index> order = order_mdf(one, dbf_of(a, "dbf-4"));
  EXPECT_EQ(order, order_mdf(three, dbf_of(a, "dbf-4-8")));
  EXPECT_EQ(order, order_mdf(three, dbf_of(a, "dbf-4-apart")));
  std::vector<Index> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<Index>(i));
  EXPECT_EQ(std::ssize(sorted), a.num_rows / 4);
}

TEST(OrderMdf, Refusals) {
  EXPECT_NE(error_of([&] {
              order_mdf(BlockCouplings{{0, 1}, {0}, {1.0}});
            }).find("row 0 has column 0 with norm 1"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              order_mdf(BlockCouplings{{0, 2}, {0}, {1.0}});
            }).find("1 columns and 1 norms"),
            std::string::npos);
  Queue queue;
  const auto no_diagonal = csr_of<double>(4, {{{2, 1.0}}, {{3, 1.0}}, {{2, 1.0}}, {{3, 1.0}}});
  EXPECT_NE(error_of([&] { order_mdf(queue, dbf_of(no_diagonal, "dbf-2")); }).find("block row 0 has no diagonal block"),
            std::string::npos);
  const auto nan = csr_of<double>(2, {{{0, std::nan("")}, {1, 1.0}}, {{0, 1.0}, {1, 1.0}}});
  EXPECT_NE(error_of([&] { order_mdf(queue, dbf_of(nan, "dbf-2")); }).find("block row 0 has numbers that are not"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
