// TCOO: how tiles and their groups of eight are laid out, and products that do not depend on threads.
#include "millrace/sparse/format/tcoo.hpp"

#include "support.hpp"

namespace millrace::testing {
namespace {

template <class T>
Tcoo<T> make_tcoo(const Csr<T>& a, const std::string& text) {
  return Tcoo<T>::from_csr(a, parse_format_spec(text));
}

// The drawing of docs/formats.md; values are the letters' places in the alphabet.
Csr<double> drawing() {
  return {5, 6, Array<std::int64_t>({0, 2, 3, 7, 7, 11}), Array<Index>({0, 2, 1, 0, 2, 3, 5, 0, 1, 3, 4}),
          Array<double>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})};
}

TEST(Tcoo, LayoutOfTheDrawing) {
  const Tcoo<double> b = make_tcoo(drawing(), "tcoo-3");
  EXPECT_EQ(b.part_ptr.to_vector(), (std::vector<Offset>{0, 0, 7, 7, 11}));
  EXPECT_EQ(b.group_ptr.to_vector(), (std::vector<Offset>{0, 0, 7, 7, 11}));
  EXPECT_EQ(b.rows.to_vector(), (std::vector<Index>{0, 0, 1, 2, 2, 4, 4, 2, 2, 4, 4}));
  EXPECT_EQ(b.cols.to_vector(), (std::vector<std::uint16_t>{0, 2, 1, 0, 2, 0, 1, 0, 2, 0, 1}));
  EXPECT_EQ(b.vals.to_vector(), (std::vector<double>{1, 2, 3, 4, 5, 8, 9, 6, 7, 10, 11}));
  EXPECT_EQ(b.source.to_vector(), (std::vector<Offset>{0, 1, 2, 3, 4, 7, 8, 5, 6, 9, 10}));
  EXPECT_EQ(b.details(), "2 tiles of 3 columns");
  EXPECT_EQ(b.footprint().moved_bytes, 11 * (8 + 2 + 4) + 2 * 5 * 8);
}

TEST(Tcoo, GroupsOfEight) {
  const Csr<double> a = random_csr<double>(3, 64, 0, 1, 1);  // row 1 is full, the others are empty
  const Tcoo<double> b = make_tcoo(a, "tcoo-20");            // 20 + 20 + 20 + 4 of its entries
  EXPECT_EQ(b.part_ptr.to_vector(), (std::vector<Offset>{0, 16, 20, 36, 40, 56, 60, 60, 64}));
  EXPECT_EQ(b.group_ptr.to_vector(), (std::vector<Offset>{0, 2, 6, 8, 12, 14, 18, 18, 22}));
  EXPECT_EQ(b.rows.to_vector(), std::vector<Index>(22, 1));
}

/// Every entry of the matrix once, tile by tile, rows ascending in every part.
void check_layout(const Csr<double>& a, const std::string& text) {
  const Tcoo<double> b = make_tcoo(a, text);
  const auto view = b.view();
  std::vector<Index> row_of;
  for (Index r = 0; r < a.num_rows; ++r) row_of.resize(static_cast<std::size_t>(a.row_begin(r + 1)), r);
  std::vector<bool> seen(row_of.size());
  for (Offset s = 0; s < b.num_entries(); ++s) {
    const Offset k = b.source.data()[s];
    const auto place = static_cast<std::size_t>(k);
    ASSERT_FALSE(seen[place]);
    seen[place] = true;
    ASSERT_EQ(view.row(s), row_of[place]) << text << ", entry " << s;
    ASSERT_EQ(view.column(s), a.cols.data()[k]) << text << ", entry " << s;
    ASSERT_EQ(view.value(s), a.vals.data()[k]);
    if (s == 0) continue;
    const Index part = view.part_of(s), before = view.part_of(s - 1);
    ASSERT_TRUE(before < part || (before == part && view.row(s - 1) <= view.row(s)));
  }
}

TEST(Tcoo, EveryEntryOnce) {
  for (const char* text : {"tcoo-1", "tcoo-7", "tcoo-64", "tcoo"}) {
    check_layout(random_csr<double>(200, 300, 12, 5, 30), text);
    check_layout(random_csr<double>(40, 1, 1, 6), text);
    check_layout(random_csr<double>(0, 9, 1, 7), text);
    check_layout(random_csr<double>(9, 0, 1, 8), text);
  }
  check_layout(random_csr<double>(20'000, 70'000, 20, 9, 11), "tcoo");  // large enough for several threads
}

TEST(Tcoo, CutsShareTheWork) {
  const Csr<double> a = random_csr<double>(3000, 60'000, 8, 3, 1000);
  const Tcoo<double> b = make_tcoo(a, "tcoo");
  const std::span<const Index> cuts = b.cuts.span();
  ASSERT_GT(cuts.size(), 8u);
  EXPECT_EQ(cuts.front(), 0);
  EXPECT_EQ(cuts.back(), 3000);
  const Offset share = (a.num_entries() + a.num_rows) / (std::ssize(cuts) - 1);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    ASSERT_LE(cuts[i], cuts[i + 1]);
    if (cuts[i] >= cuts[i + 1]) continue;
    const Offset work = a.row_begin(cuts[i + 1]) - a.row_begin(cuts[i]) + cuts[i + 1] - cuts[i];
    EXPECT_LE(work, share + 1 + a.row_length(cuts[i + 1] - 1) + 1);  // one row is never split
  }
}

TEST(Tcoo, Refusals) {
  const Csr<double> a = drawing();
  EXPECT_EQ(error_of([&] { make_tcoo(a, "tcoo-65537"); }), "tcoo: W = 65537; 1 to 65536 columns per tile are accepted");
  EXPECT_NE(error_of([&] { make_tcoo(a, "tcoo-8-2"); }).find("tcoo takes the columns of a tile"), std::string::npos);
  const Csr<double> wide(1, 5'000'000, Array<std::int64_t>({0, 1}), Array<Index>({7}), Array<double>({1}));
  EXPECT_NE(error_of<Unsupported>([&] { make_tcoo(wide, "tcoo-1"); }).find("5000000 tiles of 1 columns"),
            std::string::npos);
  EXPECT_EQ(make_tcoo(wide, "tcoo").num_tiles(), 77);
}

template <class T>
struct TcooProducts : ::testing::Test {};
TYPED_TEST_SUITE(TcooProducts, Scalars);

template <class T>
void check_products(const Csr<T>& a, const std::string& text, T alpha, T beta) {
  const Tcoo<T> b = make_tcoo(a, text);
  constexpr int num = 2;
  const std::vector<T> x = random_vector<T>(num * a.num_cols, 3);
  std::vector<T> start = random_vector<T>(num * a.num_rows, 4);
  if (beta == T{0}) std::fill(start.begin(), start.end(), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
  const auto product = [&](int threads) {
    std::vector<T> y = start;
    using A = Arith<T>;
    host::multiply(threads, b.view(), arith(alpha), Vectors<const A>(Device::host(), arith(x.data()), a.num_cols, num),
                   arith(beta), Vectors<A>(Device::host(), arith(y.data()), a.num_rows, num));
    return y;
  };
  const std::vector<T> found = product(1);
  for (const int threads : {2, 3, 5}) EXPECT_TRUE(same_bits<T>(found, product(threads))) << text;
  for (std::size_t v = 0; v < num; ++v) {
    const auto rows = static_cast<std::size_t>(a.num_rows), cols = static_cast<std::size_t>(a.num_cols);
    expect_within<T>(reference<T>(a, Op::none, alpha, std::span<const T>(x).subspan(v * cols, cols), beta,
                                  std::span<const T>(start).subspan(v * rows, rows)),
                     std::span<const T>(found).subspan(v * rows, rows), text);
  }
}

TYPED_TEST(TcooProducts, AnyTilesAnyThreads) {
  using T = TypeParam;
  const Csr<T> a = random_csr<T>(1200, 1500, 20, 3, 700);
  for (const char* text : {"tcoo-1", "tcoo-30", "tcoo"}) check_products(a, text, T{1}, T{0});
  check_products(a, "tcoo-100", T(RealOf<T>(-1.5)), T{0});
  check_products(a, "tcoo-100", T{1}, T(RealOf<T>(0.75)));
  check_products(a, "tcoo-100", T(RealOf<T>(2.5)), T{1});
  if constexpr (is_complex<T>) check_products(a, "tcoo-100", T(1, 2), T(-1, RealOf<T>(0.5)));
}

// More rows than a thread completes at once (4 MiB of y).
TEST(TcooProduct, BandsOfRows) {
  const Index rows = (1 << 19) + 1000;
  std::vector<std::int64_t> row_ptr(static_cast<std::size_t>(rows) + 1);
  std::vector<Index> cols;
  for (Index r = 0; r < rows; ++r) {
    if (r % 3 == 0) cols.push_back(r % 500);
    row_ptr[static_cast<std::size_t>(r) + 1] = std::ssize(cols);
  }
  const Csr<double> a(rows, 500, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
                      Array<Index>(std::span<const Index>(cols)), Array<double>(std::ssize(cols), 1.5));
  check_products(a, "tcoo-100", 1.0, 0.5);
}

}  // namespace
}  // namespace millrace::testing
