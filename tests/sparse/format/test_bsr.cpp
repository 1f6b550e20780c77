// BSR beyond what all formats promise: its address function at every edge, memory it must not touch, detection,
// counts, and its own schedule against the generic one.
#include <map>

#include "millrace/sparse/product/rows_host.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

Bsr<double> bsr(const Csr<double>& a, const std::string& spec) {
  return Bsr<double>::from_csr(a, parse_format_spec(spec));
}

/// Rows of columns first + 0, 1, 3, 4, 7 ..: many blocks that are neither full nor empty.
Csr<double> gappy_csr(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> col;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = random.below(3); c < cols; c += 1 + random.below(2) * random.below(5))
      if (r % 7 != 3) col.push_back(c);
    row_ptr.push_back(std::ssize(col));
  }
  return {rows, cols, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(col)),
          Array<double>(std::span<const double>(random_vector<double>(std::ssize(col), seed + 1)))};
}

TEST(BsrFormat, TheViewKnowsEveryPosition) {
  for (const Index block : {1, 2, 3, 5, 8, 17})
    for (const auto& [rows, cols] : {std::pair{1, 1}, {16, 16}, {17, 31}, {30, 33}, {40, 7}}) {
      const Csr<double> a = gappy_csr(rows, cols, 5);
      const Bsr<double> b = bsr(a, join("bsr-", block));
      std::map<std::pair<Index, Index>, double> entries;
      for (Index r = 0; r < rows; ++r)
        for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) entries[{r, a.cols.data()[k]}] = a.vals.data()[k];
      b.visit_view([&](const auto& view) {
        std::map<std::pair<Index, Index>, Offset> stored;
        for (Index r = 0; r < rows; ++r) {
          EXPECT_LE(view.slots_before(r), view.slots_before(r + 1));
          for (Index k = 0; k < view.length(r); ++k) {
            const Offset s = view.slot(r, k);
            ASSERT_LT(view.column(s), cols);
            if (k > 0) {
              ASSERT_LT(view.column(view.slot(r, k - 1)), view.column(s));
            }
            if (r + 1 < rows && k < view.length(r + 1)) {
              ASSERT_EQ(view.slot(r + 1, k) - s, view.slot(r + 1, 0) - view.slot(r, 0));
            }
            stored[{r, view.column(s)}] = s;
          }
        }
        EXPECT_EQ(view.slots_before(rows), b.vals.size());
        for (Index r = 0; r < rows; ++r)
          for (Index c = 0; c < cols; ++c) {
            const auto at = stored.find({r, c});
            ASSERT_EQ(view.find(r, c), at == stored.end() ? -1 : at->second) << block << ": " << r << ", " << c;
            if (at == stored.end()) continue;
            const auto entry = entries.find({r, c});
            ASSERT_EQ(b.is_real(at->second), entry != entries.end());
            ASSERT_EQ(view.value(at->second), entry == entries.end() ? 0 : entry->second);
          }
      });
    }
}

TEST(BsrFormat, UnsortedRowsGiveTheSameBlocks) {
  const Csr<double> a = random_csr<double>(70, 64, 6, 8);  // in any order of columns
  for (const char* spec : {"bsr-1", "bsr-4", "bsr-5"}) {
    const Bsr<double> b = bsr(a, spec), c = bsr(sort_rows(a), spec);
    EXPECT_EQ(b.block_ptr.to_vector(), c.block_ptr.to_vector());
    EXPECT_EQ(b.block_cols.to_vector(), c.block_cols.to_vector());
    EXPECT_EQ(b.vals.to_vector(), c.vals.to_vector());
    EXPECT_EQ(b.real.to_vector(), c.real.to_vector());
  }
}

// 4 x 4 in blocks of 2: one full block, one with a single entry.
TEST(BsrFormat, Counts) {
  const Csr<double> a(4, 4, Array<std::int64_t>{0, 2, 4, 4, 5}, Array<Index>{0, 1, 0, 1, 3},
                      Array<double>{1, 2, 3, 4, 5});
  const Bsr<double> b = bsr(a, "bsr-2");
  EXPECT_EQ(b.vals.to_vector(), (std::vector<double>{1, 3, 2, 4, 0, 0, 0, 5}));
  const Footprint footprint = b.footprint();
  EXPECT_EQ(footprint.num_entries, 5);
  EXPECT_EQ(footprint.artificial_zeros, 3);
  EXPECT_EQ(footprint.bytes, 3 * 8 + 2 * 4 + 8 * 8 + 8);  // block_ptr, block_cols, values, bits
  EXPECT_EQ(footprint.moved_bytes, 3 * 8 + 2 * 4 + 5 * 8);
  EXPECT_EQ(b.details(), "blocks of 2, 63 % full");
  EXPECT_TRUE(bsr(a, "bsr-1").real.empty());
  EXPECT_EQ(bsr(a, "bsr-1").details(), "blocks of 1, 100 % full");
}

TEST(BsrFormat, DetectionTakesTheFewestBytes) {
  const auto bytes = [](const Bsr<double>& b) { return b.block_cols.bytes() + b.vals.bytes(); };
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Csr<double> a = gappy_csr(60, 60, seed);
    const Bsr<double> found = bsr(a, "bsr");
    for (Index size = 1; size <= 32; ++size) EXPECT_LE(bytes(found), bytes(bsr(a, join("bsr-", size)))) << size;
  }
  const Csr<double> empty(9, 9, Array<std::int64_t>(10, 0), {}, {});
  EXPECT_EQ(bsr(empty, "bsr").block, 1);
}

/// Memory around x and y that nobody may read or write, and y that is not read when beta is 0.
TEST(BsrFormat, NothingBeyondTheMatrixIsTouched) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Index block : {2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 16, 20, 24, 31, 32})
    for (const int num : {1, 4}) {
      const Index rows = 3 * block + 1, cols = 4 * block + block / 2;
      const Csr<double> a = gappy_csr(rows, cols, 9);
      const Offset x_stride = cols + 40, y_stride = rows + 40;
      std::vector<double> x(static_cast<std::size_t>(num * x_stride), nan), y(static_cast<std::size_t>(num * y_stride));
      const std::vector<double> values = random_vector<double>(cols, 4);
      for (int v = 0; v < num; ++v) std::copy(values.begin(), values.end(), x.begin() + v * x_stride);
      std::fill(y.begin(), y.end(), nan);
      bsr(a, join("bsr-", block)).visit_view([&](const auto& view) {
        host::multiply(2, view, 1.0, Vectors<const double>(Device::host(), x.data(), cols, num, x_stride), 0.0,
                       Vectors<double>(Device::host(), y.data(), rows, num, y_stride));
      });
      const std::vector<double> nothing(static_cast<std::size_t>(rows));
      for (int v = 0; v < num; ++v) {
        const auto part = std::span<const double>(y).subspan(static_cast<std::size_t>(v * y_stride));
        expect_within<double>(reference<double>(a, Op::none, 1.0, values, 0.0, nothing), part.first(nothing.size()),
                              join("blocks of ", block));
        for (const double rest : part.subspan(nothing.size(), 40)) EXPECT_TRUE(std::isnan(rest)) << block;
      }
    }
}

/// Its own schedule against the generic one of all row formats.
template <class T>
void check_against_generic() {
  const Csr<T> a = convert_values<T>(gappy_csr(130, 131, 14));
  const std::vector<T> x = random_vector<T>(131 * 5, 15), y0 = random_vector<T>(130 * 5, 16);
  for (const Index block : {1, 4, 5, 9, 12, 24}) {
    const Bsr<T> b = Bsr<T>::from_csr(a, parse_format_spec(join("bsr-", block)));
    std::vector<T> own = y0, generic = y0;
    b.visit_view([&](const auto& view) {
      const Vectors<const T> xs(Device::host(), x.data(), 131, 5);
      host::multiply(3, view, T(2), xs, T(-1), Vectors<T>(Device::host(), own.data(), 130, 5));
      host::multiply_generic(3, view, T(2), xs, T(-1), Vectors<T>(Device::host(), generic.data(), 130, 5));
    });
    for (std::size_t v = 0; v < 5; ++v) {
      const auto part = [&](const std::vector<T>& all, std::size_t size) {
        return std::span<const T>(all).subspan(v * size, size);
      };
      Expected<T> expected = reference<T>(a, Op::none, T(2), part(x, 131), T(-1), part(y0, 130));
      expect_within<T>(expected, part(generic, 130), join("generic, blocks of ", block));
      for (std::size_t i = 0; i < 130; ++i) {
        expected.value[i] = part(generic, 130)[i];
        expected.bound[i] *= 2;  // both may err
      }
      expect_within<T>(expected, part(own, 130), join("blocks of ", block));
    }
  }
}
TEST(BsrFormat, AgreesWithTheGenericSchedule) {
  check_against_generic<double>();
  check_against_generic<float>();
}

TEST(BsrFormat, WithoutRowsOrColumns) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 7}, {7, 0}}) {
    const Csr<double> a(rows, cols, Array<std::int64_t>(rows + 1, 0), {}, {});
    const Bsr<double> b = bsr(a, "bsr-4");
    EXPECT_EQ(b.shape(), (Shape{rows, cols}));
    EXPECT_EQ(b.footprint().num_entries, 0);
    const std::vector<double> x(static_cast<std::size_t>(cols));
    std::vector<double> y(static_cast<std::size_t>(rows), 3.0);
    b.visit_view(
        [&](const auto& view) { host::multiply(2, view, 1.0, Vectors<const double>(x), 2.0, Vectors<double>(y)); });
    for (const double value : y) EXPECT_EQ(value, 6.0);
  }
}

}  // namespace
}  // namespace millrace::testing
