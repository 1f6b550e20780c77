// DBF beyond what all formats promise: the layout of the paper and its groups, block rows kept apart, blocks from a
// user's hand, the two-step product of the paper, and blocks of every kind of size.
#include "dbf_reference.hpp"
#include "millrace/sparse/product/rows_host.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

/// A ring of elements of m unknowns: each coupled to itself and its two neighbours, every fifth lacks one of them.
template <class T>
struct Elements {
  Index m, num;
  std::vector<Index> neighbours;  // [num, 3], with -1, in no order
  std::vector<T> blocks;          // [num, 3, m, m]

  Elements(Index size, Index count, std::uint64_t seed) : m(size), num(count) {
    for (Index f = 0; f < num; ++f) {
      neighbours.push_back(f);
      neighbours.push_back(f % 5 == 2 ? -1 : (f + num - 1) % num);
      neighbours.push_back((f + 1) % num);
    }
    blocks = random_vector<T>(std::int64_t{3} * num * m * m, seed);
  }
  Csr<T> csr() const {
    Coo<T> entries;
    std::vector<Index> rows, cols;
    std::vector<T> vals;
    for (std::size_t b = 0; b < neighbours.size(); ++b) {
      if (neighbours[b] < 0) continue;
      for (Index j = 0; j < m; ++j)
        for (Index i = 0; i < m; ++i) {
          rows.push_back(static_cast<Index>(b / 3) * m + i);
          cols.push_back(neighbours[b] * m + j);
          vals.push_back(
              blocks[(b * static_cast<std::size_t>(m) + static_cast<std::size_t>(j)) * static_cast<std::size_t>(m) +
                     static_cast<std::size_t>(i)]);
        }
    }
    entries.num_rows = entries.num_cols = num * m;
    entries.rows = Array<Index>(std::span<const Index>(rows));
    entries.cols = Array<Index>(std::span<const Index>(cols));
    entries.vals = Array<T>(std::span<const T>(vals));
    return to_csr(entries);
  }
};

template <class T>
Dbf<T> dbf(const Csr<T>& a, const std::string& spec) {
  return Dbf<T>::from_csr(a, parse_format_spec(spec));
}

template <class T>
void expect_same_arrays(const Dbf<T>& a, const Dbf<T>& b, const std::string& what) {
  EXPECT_EQ(a.neighbours.to_vector(), b.neighbours.to_vector()) << what;
  EXPECT_EQ(a.row_blocks.to_vector(), b.row_blocks.to_vector()) << what;
  EXPECT_EQ(a.block_row_of.to_vector(), b.block_row_of.to_vector()) << what;
  EXPECT_EQ(a.vals.to_vector(), b.vals.to_vector()) << what;
  EXPECT_EQ(a.real.to_vector(), b.real.to_vector()) << what;
  EXPECT_EQ(a.num_entries(), b.num_entries()) << what;
}

// Three block rows of 2 x 2 blocks, two blocks in the first and second, one in the third.
TEST(DbfFormat, LayoutOfASmallExample) {
  const std::vector<Index> neighbours{2, 0, 1, 2, 1, -1};
  std::vector<double> blocks(6 * 4);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<double>(i);
  const auto padded = Dbf<double>::from_blocks(2, 2, neighbours, blocks);
  EXPECT_EQ(padded.neighbours.to_vector(), (std::vector<Index>{0, 2, 1, 2, 1, -1}));
  EXPECT_EQ(padded.row_blocks.to_vector(), (std::vector<Index>{2, 2, 1}));
  EXPECT_EQ(padded.vals.to_vector(),
            (std::vector<double>{4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0, 0, 0, 0}));
  EXPECT_EQ(padded.details(), "m = 2, 2 blocks a row, 16.7 % padding");

  // The paper's A[m, r, q]: column q of all block rows, then column q + 1.
  const auto together = Dbf<double>::from_blocks(2, 2, neighbours, blocks, 3);
  EXPECT_EQ(together.vals.to_vector(),
            (std::vector<double>{4, 5, 8, 9, 16, 17, 6, 7, 10, 11, 18, 19, 0, 1, 12, 13, 0, 0, 2, 3, 14, 15, 0, 0}));
  // Groups of two: the last one is smaller and has its own stride.
  const auto groups = Dbf<double>::from_blocks(2, 2, neighbours, blocks, 2);
  EXPECT_EQ(groups.vals.to_vector(),
            (std::vector<double>{4, 5, 8, 9, 6, 7, 10, 11, 0, 1, 12, 13, 2, 3, 14, 15, 16, 17, 18, 19, 0, 0, 0, 0}));
  const auto apart = Dbf<double>::from_blocks(2, 2, neighbours, blocks, 1, true);
  EXPECT_EQ(apart.vals.size(), 5 * 4);
  EXPECT_TRUE(apart.real.empty());
  EXPECT_TRUE(apart.block_row_of.empty());  // already in order
}

// slot = i + m (f % G + G (q + na m (f / G))), with its own size for the last group.
TEST(DbfFormat, SlotsOfThePaper) {
  const Elements<double> elements(3, 11, 1);
  for (const Index group : {1, 2, 4, 11}) {
    const auto b = Dbf<double>::from_blocks(3, 3, elements.neighbours, elements.blocks, group);
    b.visit_view([&](const auto& view) {
      std::vector<int> seen(static_cast<std::size_t>(b.vals.size()));
      for (Index r = 0; r < view.num_rows; ++r)
        for (Index q = 0; q < view.length(r); ++q) {
          const Index f = r / 3, first = f / group * group, size = std::min(group, 11 - first);
          const Offset slot = r % 3 + 3 * (f % group + Offset{size} * q) + Offset{9} * 3 * first;
          ASSERT_EQ(view.slot(r, q), slot) << group << ": " << r << ", " << q;
          ASSERT_EQ(view.find(r, view.column(slot)), slot);
          ASSERT_TRUE(b.is_real(slot));
          ++seen[static_cast<std::size_t>(slot)];
        }
      for (Offset s = 0; s < b.vals.size(); ++s)
        ASSERT_EQ(seen[static_cast<std::size_t>(s)], b.is_real(s) ? 1 : 0) << "padding is no entry";
      EXPECT_EQ(view.slots_before(view.num_rows), b.vals.size());
    });
  }
}

TEST(DbfFormat, ApartSortsBlockRowsStably) {
  const Elements<double> elements(2, 12, 2);
  const auto b = Dbf<double>::from_blocks(2, 3, elements.neighbours, elements.blocks, 1, true);
  EXPECT_EQ(b.block_row_of.to_vector(), (std::vector<Index>{0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 2, 7}));
  ASSERT_EQ(b.sections.size(), 3);
  EXPECT_EQ(b.sections.data()[0].width, 3);
  EXPECT_EQ(b.sections.data()[1].width, 2);
  EXPECT_EQ(b.sections.data()[1].first, 10);
  EXPECT_EQ(b.details(), "m = 2, 3 blocks a row at most, in 2 sections");
  b.visit_view([&](const auto& view) {
    EXPECT_EQ(view.output_row(21), 5);  // stored block row 10 is block row 2
    EXPECT_EQ(view.length(20), 4);
    EXPECT_EQ(view.find(4, 7), view.slot(20, 3));  // block 3 of block row 2
    EXPECT_EQ(view.find(4, 2), -1);                // its missing neighbour
  });
}

TEST(DbfFormat, FromCsrAndFromBlocksAgree) {
  const Elements<double> elements(4, 23, 3);
  const Csr<double> a = elements.csr();
  for (const Index group : {1, 5, 100})
    for (const bool apart : {false, true}) {
      const std::string spec = join("dbf-4-", group, apart ? "-apart" : "");
      expect_same_arrays(Dbf<double>::from_blocks(4, 3, elements.neighbours, elements.blocks, group, apart),
                         dbf(a, spec), spec);
    }
  EXPECT_EQ(dbf(a, "dbf").block, 4);
}

/// The fused product against Algorithm 1 of the paper, for blocks with their own kernel, of any size, and large ones.
template <class T>
void check_two_steps(Index m, Index count) {
  const Elements<T> elements(m, count, 4);
  const Csr<T> a = elements.csr();
  const std::vector<T> x = random_vector<T>(a.num_cols, 5);
  const std::vector<T> nothing(static_cast<std::size_t>(a.num_rows));
  const Expected<T> expected = reference<T>(a, Op::none, T(1), x, T(0), nothing);
  for (const char* ending : {"", "-3", "-1000", "-apart", "-3-apart"}) {
    const std::string spec = join("dbf-", m, ending);
    const Dbf<T> b = dbf(a, spec);
    std::vector<T> inflated(static_cast<std::size_t>(3 * a.num_rows)), two_steps = nothing;
    inflate<T>(b, x, inflated, 2);
    contract<T>(b, inflated, two_steps, 2);
    expect_within<T>(expected, two_steps, spec + " in two steps");
    if constexpr (!is_complex<T>) {
      const auto fused = [&](int threads) {
        std::vector<T> y(nothing.size(), std::numeric_limits<T>::quiet_NaN());
        b.visit_view(
            [&](const auto& view) { host::multiply(threads, view, T(1), Vectors<const T>(x), T(0), Vectors<T>(y)); });
        return y;
      };
      const std::vector<T> found = fused(1);
      expect_within<T>(expected, found, spec);
      for (const int threads : {2, 3, 5}) EXPECT_TRUE(same_bits<T>(found, fused(threads))) << spec;
    }
  }
}
TEST(DbfReference, TheFusedProductAgreesWithTwoSteps) {
  for (const Index m : {1, 2, 7, 8, 12, 13}) check_two_steps<double>(m, 40);
  check_two_steps<double>(8, 300);  // enough work for several threads
  for (const Index m : {30, 64, 75}) check_two_steps<double>(m, 11);
  check_two_steps<float>(20, 25);
  check_two_steps<float>(105, 7);
  check_two_steps<std::complex<double>>(3, 20);
}

TEST(DbfReference, SizesAreChecked) {
  const Elements<double> elements(2, 5, 6);
  const auto b = Dbf<double>::from_blocks(2, 3, elements.neighbours, elements.blocks);
  std::vector<double> x(10), inflated(29), y(10);
  EXPECT_EQ(error_of([&] { inflate<double>(b, x, inflated); }),
            "inflate: x needs 10 entries and the inflated x 30; they have 10 and 29");
  EXPECT_EQ(error_of([&] { contract<double>(b, inflated, y); }),
            "contract: y needs 10 entries and the inflated x 30; they have 10 and 29");
}

// A padded block names no block column, so no entry of x can spoil the row, not even in several vectors.
TEST(DbfFormat, PaddingIsNeverMultiplied) {
  for (const Index m : {8, 11, 70}) {
    const std::vector<Index> neighbours{-1, 0, 0, 1};
    const auto b =
        Dbf<double>::from_blocks(m, 2, neighbours, std::vector<double>(static_cast<std::size_t>(4 * m * m), 1.0));
    std::vector<double> x(static_cast<std::size_t>(8 * m), 1.0), y(static_cast<std::size_t>(8 * m));
    for (Index v = 0; v < 4; ++v)  // the second block of every vector
      std::fill_n(x.begin() + 2 * v * m + m, m, std::numeric_limits<double>::infinity());
    b.visit_view([&](const auto& view) {
      host::multiply(1, view, 1.0, Vectors<const double>(Device::host(), x.data(), 2 * m, 4), 0.0,
                     Vectors<double>(Device::host(), y.data(), 2 * m, 4));
    });
    for (Index v = 0; v < 4; ++v)
      for (Index i = 0; i < m; ++i) EXPECT_EQ(y[static_cast<std::size_t>(2 * v * m + i)], m);
  }
}

TEST(DbfFormat, FillAndCounts) {
  // 4 x 6 in blocks of 2: rectangular, a block with one entry, a block row with one block.
  const Csr<double> a(4, 6, Array<std::int64_t>{0, 3, 5, 5, 6}, Array<Index>{0, 1, 5, 0, 1, 2},
                      Array<double>{1, 2, 3, 4, 5, 6});
  const auto b = dbf(a, "dbf-2");
  EXPECT_EQ(b.neighbours.to_vector(), (std::vector<Index>{0, 2, 1, -1}));
  EXPECT_EQ(b.vals.to_vector(), (std::vector<double>{1, 4, 2, 5, 0, 0, 3, 0, 0, 6, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(b.footprint().num_entries, 6);
  EXPECT_EQ(b.footprint().artificial_zeros, 10);
  EXPECT_EQ(b.details(), "m = 2, 2 blocks a row, 25 % padding, blocks 50 % full");
  b.visit_view([&](const auto& view) {
    EXPECT_EQ(view.length(0), 4);
    EXPECT_EQ(view.length(2), 2);
    EXPECT_TRUE(b.is_real(view.find(0, 5)));
    EXPECT_FALSE(b.is_real(view.find(0, 4)));  // stored, but fill
    EXPECT_EQ(view.find(0, 2), -1);
  });
}

TEST(DbfFormat, Refused) {
  const Csr<double> a = random_csr<double>(130, 90, 4, 7);
  EXPECT_EQ(error_of<Unsupported>([&] { dbf(a, "dbf-8"); }),
            "dbf: the matrix is 130 x 90, not a multiple of 8 in both (2 rows and 2 columns are left over); "
            "bsr takes blocks at the edge");
  EXPECT_EQ(error_of([&] { dbf(a, "dbf-1025"); }), "dbf: blocks of 1025; sizes from 1 to 1024 are accepted");
  // One full row: every block row would be padded to it.
  EXPECT_NE(error_of<Unsupported>([&] { dbf(random_csr<double>(4000, 4000, 1, 8, 17), "dbf-1"); }).find(" times the "),
            std::string::npos);
  const std::vector<double> blocks(4 * 4);
  const auto from = [&](const std::vector<Index>& neighbours, Index na) {
    return error_of([&] { Dbf<double>::from_blocks(2, na, neighbours, blocks); });
  };
  EXPECT_EQ(from({0, 1, 1, 1}, 2), "dbf: block row 1 has neighbour 1 twice; add the blocks up first");
  EXPECT_EQ(from({0, 1, 1, 2}, 2), "dbf: block row 1 has neighbour 2; they run from 0 to 1, or -1 for padding");
  EXPECT_EQ(from({0, 1, 1}, 2),
            "dbf: 2 blocks of 2 per block row; there are 3 neighbours and 16 values, "
            "but n block rows need 2 n and 8 n");
}

}  // namespace
}  // namespace millrace::testing
