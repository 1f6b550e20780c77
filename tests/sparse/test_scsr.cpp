// SCSR: how tiles are cut and sorted, where the entries stand, and products that do not depend on threads.
#include "millrace/sparse/scsr.hpp"

#include "product_checks.hpp"

namespace millrace::testing {
namespace {

template <class T>
Scsr<T> make_scsr(const Csr<T>& a, const std::string& text) {
  return Scsr<T>::from_csr(a, parse_format_spec(text));
}

// The drawing of docs/formats.md; values are the letters' places in the alphabet.
TEST(Scsr, LayoutOfTheDrawing) {
  const Csr<double> a(5, 6, Array<std::int64_t>({0, 2, 3, 7, 7, 11}), Array<Index>({0, 2, 1, 0, 2, 3, 5, 0, 1, 3, 4}),
                      Array<double>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  const Scsr<double> b = make_scsr(a, "scsr-256");
  EXPECT_EQ(b.num_tiles(), 1);
  EXPECT_EQ(b.vals.to_vector(), (std::vector<double>{1, 4, 8, 3, 9, 2, 5, 6, 10, 11, 7}));
  EXPECT_EQ(b.slots.to_vector(), (std::vector<std::uint16_t>{0, 3, 7, 2, 8, 1, 4, 5, 9, 10, 6}));
  std::vector<Index> cols;
  b.visit_view([&](const auto& view) {
    for (Offset s = 0; s < 11; ++s) cols.push_back(view.column(s));
  });
  EXPECT_EQ(cols, (std::vector<Index>{0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5}));
  EXPECT_FALSE(b.cuts_rows);
  EXPECT_EQ(b.details(), "1 tile of 256 entries, 2-byte columns");
  EXPECT_EQ(b.footprint().moved_bytes, 11 * (8 + 2 + 2) + 4 + 6 * 4 + 2 * 16);
}

/// Every entry of the matrix once, columns ascending in every tile, tiles no larger than shared memory.
template <class T>
void check_layout(const Csr<T>& a, const std::string& text, bool cuts_rows) {
  const Scsr<T> b = make_scsr(a, text);
  EXPECT_EQ(b.cuts_rows, cuts_rows) << text;
  std::vector<Index> row_of;
  for (Index r = 0; r < a.num_rows; ++r) row_of.resize(static_cast<std::size_t>(a.row_begin(r + 1)), r);
  std::vector<bool> seen(row_of.size());
  const ScsrPlaces places = b.places();
  EXPECT_EQ(b.tiles.data()[b.num_tiles()].begin, a.num_entries());
  for (Offset t = 0; t < b.num_tiles(); ++t) {
    const Offset begin = b.tiles.data()[t].begin, end = b.tiles.data()[t + 1].begin;
    ASSERT_LE(begin, end);
    ASSERT_LE(begin % 32 + end - begin, b.layout.tile) << text;  // the groups of a block, and its shared memory
  }
  b.visit_view([&](const auto& view) {
    for (Offset s = 0; s < b.num_entries(); ++s) {
      const Offset k = places[s];
      const auto place = static_cast<std::size_t>(k);
      ASSERT_FALSE(seen[place]);
      seen[place] = true;
      ASSERT_EQ(view.row(s), row_of[place]) << text << ", entry " << s;
      ASSERT_EQ(view.column(s), a.cols.data()[k]) << text << ", entry " << s;
      ASSERT_EQ(from_arith<T>(view.value(s)), a.vals.data()[k]);
      const bool first = s == b.tiles.data()[places.tile_of(s)].begin;
      ASSERT_TRUE(first || view.column(s - 1) <= view.column(s)) << text << ", entry " << s;
    }
  });
}

TEST(Scsr, EveryEntryOnce) {
  check_layout(random_csr<double>(200, 300, 12, 5, 30), "scsr-256", true);
  check_layout(random_csr<double>(200, 300, 12, 5, 30), "scsr", false);
  check_layout(random_csr<double>(300, 3000, 10, 6, 150), "scsr-1024", true);
  check_layout(random_csr<double>(5000, 40, 1, 6), "scsr-288", false);
  check_layout(random_csr<double>(0, 9, 1, 7), "scsr-256", false);
  check_layout(random_csr<double>(9, 0, 1, 8), "scsr-256", false);
  check_layout(random_csr<float>(3, 9000, 0, 9, 1), "scsr-256", true);              // one row in many tiles
  check_layout(random_csr<double>(20'000, 70'000, 20, 9, 11), "scsr-12288", true);  // several threads
}

// 2 bytes when most groups fit; far columns in 4.
TEST(Scsr, WidthOfColumns) {
  const auto width = [](Index cols, const char* text) {
    return make_scsr(random_csr<double>(5000, cols, 10, 3), text).cols.width();
  };
  EXPECT_EQ(width(100, "scsr-8192"), 2);  // never 1
  EXPECT_EQ(width(1'000'000, "scsr-8192"), 2);
  EXPECT_EQ(width(2'000'000'000, "scsr-8192"), 4);
}

TEST(Scsr, Parameters) {
  const Csr<double> a = random_csr<double>(30, 30, 3, 1);
  EXPECT_EQ(make_scsr(a, "scsr").layout.tile, 2048);
  EXPECT_EQ(make_scsr(a, "scsr-8192").layout.threads, 512);
  EXPECT_EQ(make_scsr(a, "scsr-8192-1024").layout.threads, 1024);
  EXPECT_EQ(ScsrShape::of({"scsr"}, 10'000'000).tile, 8192);
  EXPECT_EQ(error_of([&] { make_scsr(a, "scsr-100"); }),
            "scsr: T = 100; multiples of 32 from 256 to 12288 entries a tile are accepted");
  EXPECT_EQ(error_of([&] { make_scsr(a, "scsr-16384"); }),
            "scsr: T = 16384; multiples of 32 from 256 to 12288 entries a tile are accepted");
  EXPECT_EQ(error_of([&] { make_scsr(a, "scsr-512-100"); }),
            "scsr: N = 100; 256, 512 or 1024 threads a block are accepted");
  EXPECT_NE(error_of([&] { make_scsr(a, "scsr-512-256-1"); }).find("scsr takes the entries of a tile"),
            std::string::npos);
}

template <class T>
struct ScsrProducts : ::testing::Test {};
TYPED_TEST_SUITE(ScsrProducts, Scalars);

TYPED_TEST(ScsrProducts, CutRowsAnyThreads) {
  using T = TypeParam;
  for (const Index full_row : {-1, 0, 700, 1199}) {
    const Csr<T> a = random_csr<T>(1200, 5000, 20, 3, full_row);
    const std::vector<T> x = random_vector<T>(5000, 4), start = random_vector<T>(1200, 5);
    const T alpha = T(RealOf<T>(2.5)), beta = T(RealOf<T>(-0.75));
    for (const char* text : {"scsr-256", "scsr-320", "scsr-2048", "scsr-12288"}) {
      const SparseMatrix<T> m(a, text);
      std::vector<T> one = start, three = start;
      Queue alone(Device::host(), 1), several(Device::host(), 3);
      m.apply(alone, {.alpha = alpha, .x = x, .beta = beta, .y = one});
      m.apply(several, {.alpha = alpha, .x = x, .beta = beta, .y = three});
      EXPECT_TRUE(same_bits<T>(one, three)) << text;
      expect_within<T>(reference<T>(a, Op::none, alpha, x, beta, start), one, text);
    }
  }
}

/// Tiles and thread blocks of all sizes, rows in one tile and in many, columns of both widths, several vectors.
template <class T>
void check_tiles(Device device) {
  const std::vector<std::string> specs{"scsr-256",      "scsr-320-1024",  "scsr-2048", "scsr-4096",
                                       "scsr-8192-256", "scsr-8192-1024", "scsr-12288"};
  const T alpha = T(RealOf<T>(-2.5)), beta = T(RealOf<T>(0.75));
  check_product<T>({random_csr<T>(3000, 2'000, 20, 3, 700)}, device, false, specs);
  check_product<T>({random_csr<T>(4, 50'000, 3, 4, 2), Op::none, alpha, beta, 3}, device, false, specs);
  check_product<T>({random_csr<T>(40, 9'000, 700, 5), Op::none, alpha, beta, 2}, device, false, specs);
  check_product<T>({random_csr<T>(60'000, 500, 1, 6), Op::none, alpha, beta}, device, false, specs);
  check_product<T>({random_csr<T>(500, 3'000'000, 30, 7), Op::none, alpha, beta}, device, false, specs);
}

template <class T>
struct GpuScsr : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
};
TYPED_TEST_SUITE(GpuScsr, Scalars);

TYPED_TEST(ScsrProducts, AnyTiles) { check_tiles<TypeParam>(Device::host()); }
TYPED_TEST(GpuScsr, AnyTiles) { check_tiles<TypeParam>(Device::gpu()); }

}  // namespace
}  // namespace millrace::testing
