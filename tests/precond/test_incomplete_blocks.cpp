// Block ILU(0) straight from dense blocks, and in an order of elimination: the factors through CSR, exact where the
// order makes no fill, new values, what it refuses.
#include "millrace/precond/order_mdf.hpp"
#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

template <class T>
struct IncompleteBlocksOf : ::testing::Test {};
TYPED_TEST_SUITE(IncompleteBlocksOf, Scalars);

std::vector<Index> shuffled(Index n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  return order;
}

template <class T>
bool same_factors(const Incomplete<T>& a, const Incomplete<T>& b) {
  if (a.factors().size() != b.factors().size()) return false;
  const auto same = [&]<class S>(const S* mine) {
    return b.factors().visit([&]<class U>(const U* other) {
      return std::memcmp(mine, other, static_cast<std::size_t>(a.factors().bytes())) == 0;
    });
  };
  return a.factors().visit(same) && a.pattern().order().to_vector() == b.pattern().order().to_vector();
}

TYPED_TEST(IncompleteBlocksOf, FactorsAreThoseThroughCsr) {
  using T = TypeParam;
  Queue queue(Device::host(), 2);
  for (const Index m : {1, 3, 4}) {
    const Csr<T> a = blown_up(grid_matrix<T>(7, 6, 3, false, false), m);
    for (const auto& order : {std::vector<Index>{}, shuffled(42, 5)})
      for (const char* layout : {"", "-5", "-apart"}) {
        IncompleteOptions options;
        options.order = order;
        const Incomplete<T> m_blocks = block_ilu0(queue, dbf_of(a, join("dbf-", m, layout)), options);
        options.block = m;
        const Incomplete<T> m_csr = ilu0(queue, a, options);
        EXPECT_TRUE(same_factors(m_blocks, m_csr)) << m << layout;
        EXPECT_EQ(m_blocks.report().num_levels, m_csr.report().num_levels);
        const std::vector<T> x = random_vector<T>(a.num_rows, 8);
        EXPECT_TRUE(same_bits<T>(apply_to(m_blocks, x), apply_to(m_csr, x, 2)));
      }
  }
}

/// |x - y| / |y|.
template <class T>
double distance(const std::vector<T>& x, const std::vector<T>& y) {
  double difference = 0, whole = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += std::norm(x[i] - y[i]);
    whole += std::norm(y[i]);
  }
  return std::sqrt(difference / whole);
}

// Rows see rounded factors of the rows before them, which costs no accuracy: against factors in full precision that are
// rounded in the end, through CSR.
TYPED_TEST(IncompleteBlocksOf, NarrowFactorsAreMadeWithoutWideOnes) {
  using T = TypeParam;
  Queue queue(Device::host(), 2), alone(Device::host(), 1);
  for (const Index m : {1, 3, 4}) {
    const Csr<T> a = blown_up(grid_matrix<T>(17, 16, 3, false, false), m);
    const std::vector<T> x = random_vector<T>(a.num_rows, 8);
    for (const auto& order : {std::vector<Index>{}, shuffled(272, 5)}) {
      IncompleteOptions options;
      options.order = order;
      const std::vector<T> exact = apply_to(block_ilu0(queue, dbf_of(a, join("dbf-", m)), options), x);
      for (const Precision precision : {Precision::single, Precision::bfloat16}) {
        options.precision = precision;
        options.block = 1;
        const Incomplete<T> blocks = block_ilu0(queue, dbf_of(a, join("dbf-", m)), options);
        for (const char* layout : {"", "-5", "-apart"})
          EXPECT_TRUE(same_factors(blocks, block_ilu0(alone, dbf_of(a, join("dbf-", m, layout)), options))) << layout;
        options.block = m;
        const double rounded = distance(apply_to(ilu0(queue, a, options), x), exact);
        EXPECT_LE(distance(apply_to(blocks, x), exact), 2 * rounded) << m;
        EXPECT_EQ(rounded > 0, precision == Precision::bfloat16 || sizeof(RealOf<T>) == 8);
      }
    }
  }
}

TEST(IncompleteBlocks, NumbersBeyondAFloatAreRefusedInNarrowFactors) {
  Queue queue;
  Csr<double> a = gallery::make("hdg:m=2,na=5,faces=40");
  for (Offset s = 0; s < a.num_entries(); ++s) a.vals.data()[s] *= 1e-42;
  IncompleteOptions options;
  EXPECT_EQ(block_ilu0(queue, dbf_of(a, "dbf-2"), options).report().replaced_pivots, 0);
  options.precision = Precision::bfloat16;
  EXPECT_NE(error_of([&] { block_ilu0(queue, dbf_of(a, "dbf-2"), options); }).find("beyond the range of a float"),
            std::string::npos);
  for (Offset s = 0; s < a.num_entries(); ++s) a.vals.data()[s] = NAN;
  EXPECT_NE(error_of([&] { block_ilu0(queue, dbf_of(a, "dbf-2"), options); }).find("is not a number"),
            std::string::npos);
}

TYPED_TEST(IncompleteBlocksOf, AnOrderIsAPermutationOfTheMatrix) {
  using T = TypeParam;
  Queue queue;
  for (const Index m : {1, 3}) {
    const Csr<T> a = blown_up(grid_matrix<T>(7, 6, 3, false, true), m);
    const std::vector<Index> order = shuffled(42, 9);
    std::vector<Index> rows;  // new to old
    for (const Index f : order)
      for (Index i = 0; i < m; ++i) rows.push_back(f * m + i);
    std::vector<Index> place(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) place[static_cast<std::size_t>(rows[k])] = static_cast<Index>(k);
    std::vector<std::vector<std::pair<Index, T>>> table(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (Offset s = a.row_begin(rows[k]); s < a.row_begin(rows[k] + 1); ++s)
        table[k].push_back({place[static_cast<std::size_t>(a.cols.data()[s])], a.vals.data()[s]});
    const Csr<T> permuted = csr_of<T>(a.num_rows, table);
    IncompleteOptions options;
    options.block = m;
    const std::vector<T> x = random_vector<T>(a.num_rows, 8);
    std::vector<T> px(x.size());
    for (std::size_t k = 0; k < rows.size(); ++k) px[k] = x[static_cast<std::size_t>(rows[k])];
    const std::vector<T> expected = apply_to(ilu0(queue, permuted, options), px);
    options.order = order;
    const std::vector<T> y = apply_to(ilu0(queue, a, options), x);
    for (std::size_t k = 0; k < rows.size(); ++k)
      EXPECT_LE(std::abs(y[static_cast<std::size_t>(rows[k])] - expected[k]), 100 * eps<T>);
  }
}

TYPED_TEST(IncompleteBlocksOf, AnOrderWithoutFillIsExact) {
  using T = TypeParam;
  Queue queue(Device::host(), 2);
  for (const Index m : {1, 2, 8}) {
    const Csr<T> a = shuffled_chain<T>(60, m, 4);
    const Dbf<T> blocks = dbf_of(a, join("dbf-", m));
    const std::vector<T> b = random_vector<T>(a.num_rows, 6);
    IncompleteOptions options;
    const double as_it_comes = residual<T>(a, apply_to(block_ilu0(queue, blocks, options), b), b);
    options.order = order_mdf(queue, blocks);
    const double ordered = residual<T>(a, apply_to(block_ilu0(queue, blocks, options), b), b);
    EXPECT_LE(ordered, 100 * eps<T>) << m;
    EXPECT_GE(as_it_comes, 1e-4) << m;
  }
}

TEST(IncompleteBlocks, NewValues) {
  Queue queue(Device::host(), 2);
  const Csr<double> a = gallery::make("hdg:m=4,na=5,faces=300"), b = gallery::make("hdg:m=4,na=5,faces=300,seed=9");
  IncompleteOptions options;
  options.order = order_mdf(queue, dbf_of(a, "dbf-4"));
  options.precision = Precision::single;
  const std::vector<double> x = random_vector<double>(a.num_rows, 3);
  const std::vector<double> expected = apply_to(block_ilu0(queue, dbf_of(b, "dbf-4"), options), x);
  Incomplete<double> m = block_ilu0(queue, dbf_of(a, "dbf-4"), options);
  const Index* order = m.pattern().order().data();
  m.update_values(queue, dbf_of(b, "dbf-4"));
  EXPECT_TRUE(same_bits<double>(apply_to(m, x), expected));
  EXPECT_EQ(m.pattern().order().data(), order);
  m.update_values(queue, a);
  EXPECT_FALSE(same_bits<double>(apply_to(m, x), expected));
  m.update_values(queue, b);  // entries, for factors that were made from blocks: rounded in the end
  EXPECT_LE(distance(apply_to(m, x), expected), 1e-5);
  m.update_values(queue, dbf_of(b, "dbf-4-8"));  // values of a group lie elsewhere, blocks do not
  EXPECT_TRUE(same_bits<double>(apply_to(m, x), expected));
}

TEST(IncompleteBlocks, Refusals) {
  Queue queue;
  const Csr<double> a = blown_up(grid_matrix<double>(4, 3, 3, false), 2),
                    other = blown_up(grid_matrix<double>(4, 3, 3, false, false), 2),
                    wide = blown_up(grid_matrix<double>(6, 2, 3, false), 2);
  const Dbf<double> blocks = dbf_of(a, "dbf-2");
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  Incomplete<double> m = block_ilu0(queue, blocks), from_csr = ilu0(queue, a, {.block = 2});
  says(error_of([&] { m.update_values(queue, dbf_of(other, "dbf-2")); }), "blocks at other places");
  says(error_of([&] { m.update_values(queue, dbf_of(a, "dbf-4")); }), "24 rows in blocks of 2");
  says(error_of([&] { m.update_values(queue, wide); }), "is in none of their blocks");
  says(error_of([&] { from_csr.update_values(queue, blocks); }), "were made from entries (CSR)");
  IncompleteOptions options;
  options.order = {0, 1, 2};
  says(error_of([&] { block_ilu0(queue, blocks, options); }), "order of 3 rows; the matrix has 12");
  options.order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10};
  says(error_of([&] { block_ilu0(queue, blocks, options); }), "row 10 at place 11; it must have each of 0..11 once");
  says(error_of<Unsupported>([&] { ic0(queue, a, options); }), "an elimination order goes with ilu0");
  options.order = {};
  options.sweeps = 2;
  says(error_of<Unsupported>([&] { block_ilu0(queue, blocks, options); }), "2 sweeps; 0 (exact)");
}

}  // namespace
}  // namespace millrace::testing
