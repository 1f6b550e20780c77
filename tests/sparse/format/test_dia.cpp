// DIA: where diagonals and fill lie, what is refused, and the host's strips against the generic schedule.
#include "millrace/sparse/format/dia.hpp"

#include "millrace/sparse/product/rows_host.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

static_assert(RowFormat<DiaView<double>>);

struct Entry {
  Index row, column;
  double value;
};

template <class T = double>
Csr<T> from_entries(Index rows, Index cols, const std::vector<Entry>& entries) {
  Coo<T> coo{rows, cols, Array<Index>(std::ssize(entries)), Array<Index>(std::ssize(entries)),
             Array<T>(std::ssize(entries))};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    coo.rows.data()[i] = entries[i].row;
    coo.cols.data()[i] = entries[i].column;
    coo.vals.data()[i] = static_cast<T>(entries[i].value);
  }
  return to_csr_keeping_duplicates(coo);
}

/// Diagonals at these offsets, of which one in `every` positions is left out.
template <class T>
Csr<T> banded(Index rows, Index cols, const std::vector<Index>& offsets, Index every) {
  Random random(17);
  std::vector<Entry> entries;
  for (Index r = 0; r < rows; ++r)
    for (const Index offset : offsets) {
      const Offset column = Offset{r} + offset;
      if (column >= 0 && column < cols && random.below(every) != 0)
        entries.push_back({r, static_cast<Index>(column), random.uniform()});
    }
  return from_entries<T>(rows, cols, entries);
}

template <class T>
Dia<T> make_dia(const Csr<T>& a, const std::string& text) {
  return Dia<T>::from_csr(a, parse_format_spec(text));
}

// The drawing of docs/formats.md.
TEST(Dia, LayoutOfTheDrawing) {
  const Csr<double> a =
      from_entries(4, 5, {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}, {2, 1, 4}, {2, 2, 5}, {2, 4, 6}, {3, 3, 7}});
  const Dia<double> b = make_dia(a, "dia-2");
  EXPECT_EQ(b.offsets.to_vector(), (std::vector<Index>{-1, 0, 2}));
  EXPECT_EQ(b.vals.to_vector(), (std::vector<double>{0, 0, 1, 3, 2, 0, 4, 0, 5, 7, 6, 0}));
  EXPECT_EQ(b.details(), "3 diagonals, 70 % full");
  EXPECT_EQ(b.footprint().artificial_zeros, 12 - 7);
  EXPECT_EQ(b.footprint().moved_bytes, 7 * 8 + 3 * 4);
  b.visit_view([&](const auto& view) {
    EXPECT_EQ(view.length(0), 2);  // the diagonal below has no column in row 0
    EXPECT_EQ(view.length(2), 3);
    EXPECT_EQ(view.length(3), 2);  // nor has the one above in row 3
    EXPECT_EQ(view.find(2, 4), 10);
    EXPECT_TRUE(b.is_real(view.find(2, 4)));
    EXPECT_FALSE(b.is_real(view.find(1, 3)));  // fill
    EXPECT_EQ(view.find(0, 1), -1);
  });
}

TEST(Dia, FullDiagonalsKeepNoMarks) {
  EXPECT_TRUE(make_dia(banded<double>(100, 100, {-1, 0, 1}, 1 << 30), "dia").real.empty());
  Csr<double> a = from_entries(3, 3, {{0, 0, 1}, {1, 1, 0}, {2, 2, 3}});  // an explicit zero is an entry
  EXPECT_TRUE(make_dia(a, "dia").real.empty());
  EXPECT_FALSE(make_dia(from_entries(3, 3, {{0, 0, 1}, {2, 2, 3}}), "dia").real.empty());
}

/// The view against the matrix: everything inside, in order, and the promise of interleaved formats (a smaller last
/// tile has a stride of its own, so the step into it is another for every diagonal).
void check_view(const Csr<double>& a, const std::string& text) {
  const Dia<double> b = make_dia(a, text);
  b.visit_view([&](const auto& view) {
    Offset num_real = 0;
    const auto stride = [&](Index r) { return view.tile_rows(r / view.tile * view.tile); };
    for (Index r = 0; r < a.num_rows; ++r) {
      std::vector<double> dense(static_cast<std::size_t>(a.num_cols));
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
        dense[static_cast<std::size_t>(a.cols.data()[k])] = a.vals.data()[k];
      Index before = -1;
      for (Index k = 0; k < view.length(r); ++k) {
        const Offset s = view.slot(r, k);
        ASSERT_TRUE(s >= 0 && s < b.vals.size());
        const Index c = view.column(s);
        ASSERT_TRUE(c > before && c < a.num_cols) << text << ", row " << r;
        ASSERT_EQ(view.find(r, c), s);
        ASSERT_EQ(view.value(s), dense[static_cast<std::size_t>(c)]);
        num_real += b.is_real(s);
        before = c;
        if (r + 1 < a.num_rows && k < view.length(r + 1) && stride(r) == stride(r + 1)) {
          ASSERT_EQ(view.slot(r + 1, k) - s, view.slot(r + 1, 0) - view.slot(r, 0)) << text << ", row " << r;
        }
      }
    }
    EXPECT_EQ(num_real, a.num_entries()) << text;
  });
}

TEST(Dia, ViewInsideAndAtTheEdges) {
  for (const char* text : {"dia-1", "dia-2", "dia-3", "dia-8", "dia-16", "dia-100"}) {
    check_view(banded<double>(50, 50, {-30, -7, -1, 0, 1, 12, 49}, 4), text);
    check_view(banded<double>(61, 20, {-50, -41, -3, 0, 2}, 4), text);
    check_view(banded<double>(9, 70, {-8, 0, 5, 60, 69}, 3), text);
    check_view(banded<double>(40, 3, {-39, -20, -1, 0, 1, 2}, 1 << 30), text);
  }
}

TEST(Dia, NothingToStore) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 0}, {0, 5}, {5, 0}, {20, 20}}) {
    const Dia<double> b = make_dia(from_entries(rows, cols, {}), "dia");
    EXPECT_EQ(b.num_diags(), 0);
    EXPECT_EQ(b.details(), "no diagonals");
    const std::vector<double> x(static_cast<std::size_t>(cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(rows), 3.0);
    b.visit_view(
        [&](const auto& view) { host::multiply(2, view, 2.0, Vectors<const double>(x), 0.5, Vectors<double>(y)); });
    EXPECT_EQ(y, std::vector<double>(static_cast<std::size_t>(rows), 1.5));
  }
}

TEST(Dia, Refusals) {
  const Csr<double> a = banded<double>(9, 9, {0}, 1 << 30);
  EXPECT_EQ(error_of([&] { make_dia(a, "dia-1025"); }), "dia: C = 1025; 1 to 1024 rows per tile are accepted");
  EXPECT_NE(error_of([&] { make_dia(a, "dia-8-2"); }).find("dia takes the rows of a tile"), std::string::npos);
  const Csr<double> twice = from_entries(9, 9, {{5, 7, 1}, {5, 2, 1}, {5, 7, 2}});
  EXPECT_EQ(error_of([&] { make_dia(twice, "dia"); }),
            "dia: row 5 has column 7 twice; add repeated entries up first, with sort_rows");
  std::vector<Entry> entries;
  for (Index i = 0; i < 300; ++i) entries.push_back({i, 299 - i, 1});  // the other diagonal: one entry on each
  EXPECT_NE(error_of<Unsupported>([&] { make_dia(from_entries(300, 300, entries), "dia"); }).find("300 diagonals"),
            std::string::npos);
}

/// The host's strips: within the bound, the same bits for any number of threads, nothing read or written outside.
template <class T>
void check_strips(const Csr<T>& a, const std::string& text, T alpha, T beta, int num) {
  constexpr std::int64_t guard = 16;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::int64_t x_stride = a.num_cols + guard, y_stride = a.num_rows + guard;
  std::vector<T> x(static_cast<std::size_t>(num * x_stride + guard), nan);
  std::vector<T> start(static_cast<std::size_t>(num * y_stride + guard), nan);
  for (int v = 0; v < num; ++v) {
    const auto fill = [&](std::vector<T>& to, std::int64_t stride, Index size, unsigned seed) {
      const std::vector<T> values = random_vector<T>(size, seed + static_cast<unsigned>(v));
      std::copy(values.begin(), values.end(), to.begin() + guard + v * stride);
    };
    fill(x, x_stride, a.num_cols, 5);
    if (beta != T{0}) fill(start, y_stride, a.num_rows, 50);
  }
  const Dia<T> b = make_dia(a, text);
  b.visit_view([&](const auto& view) {
    const auto product = [&](int threads, bool generic) {
      std::vector<T> y = start;
      const Vectors<const T> in(Device::host(), x.data() + guard, a.num_cols, num, x_stride);
      const Vectors<T> out(Device::host(), y.data() + guard, a.num_rows, num, y_stride);
      if (generic)
        host::multiply_generic(threads, view, alpha, in, beta, out);
      else
        host::multiply(threads, view, alpha, in, beta, out);
      return y;
    };
    const std::vector<T> found = product(1, false), plain = product(1, true);
    for (const int threads : {2, 3, 5}) EXPECT_TRUE(same_bits<T>(found, product(threads, false))) << text;
    for (int v = 0; v < num; ++v) {
      const auto part = [&](const std::vector<T>& all, std::int64_t stride, Index size) {
        return std::span<const T>(all).subspan(static_cast<std::size_t>(guard + v * stride),
                                               static_cast<std::size_t>(size));
      };
      const auto expected =
          reference<T>(a, Op::none, alpha, part(x, x_stride, a.num_cols), beta, part(start, y_stride, a.num_rows));
      expect_within<T>(expected, part(found, y_stride, a.num_rows), text);
      expect_within<T>(expected, part(plain, y_stride, a.num_rows), text + ", generic");
    }
    for (std::size_t i = 0; i < guard; ++i) {
      EXPECT_TRUE(std::isnan(found[i])) << "wrote before y";
      EXPECT_TRUE(std::isnan(found[found.size() - 1 - i])) << "wrote behind y";
    }
  });
}

template <class T>
struct DiaStrips : ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DiaStrips, Reals);

TYPED_TEST(DiaStrips, AgreeWithTheGenericSchedule) {
  using T = TypeParam;
  for (const Index rows : {1, 7, 8, 9, 15, 16, 17, 24})
    check_strips(banded<T>(rows, rows, {-9, -1, 0, 1, 11}, 5), "dia", T{1}, T{0}, 1);
  const Csr<T> stencil = banded<T>(9000, 9000, {-900, -30, -1, 0, 1, 30, 900}, 50);
  for (const char* text : {"dia", "dia-1", "dia-5", "dia-20", "dia-64", "dia-1024"})
    check_strips(stencil, text, T{1}, T{0}, 1);
  check_strips(stencil, "dia", T(-1.5), T{0}, 1);
  check_strips(stencil, "dia", T(2), T(0.5), 1);
  for (const int num : {2, 3, 4, 5, 7}) check_strips(stencil, "dia", T(2), T(0.5), num);
}

TYPED_TEST(DiaStrips, OtherShapes) {
  using T = TypeParam;
  check_strips(banded<T>(9000, 9000, {-8999, -8990, -1, 0, 1, 8000, 8999}, 50), "dia", T{1}, T{0}, 1);  // corners
  check_strips(banded<T>(9001, 4003, {-8000, -5000, -1000, 0, 5, 3000, 4002}, 50), "dia", T{1}, T{1}, 2);
  check_strips(banded<T>(4003, 9001, {-4000, -1000, -1, 0, 5000, 5001, 9000}, 50), "dia", T{1}, T{1}, 2);
  std::vector<Index> all;
  for (Index offset = -299; offset < 300; ++offset) all.push_back(offset);
  check_strips(banded<T>(300, 300, all, 3), "dia", T{1}, T{0}, 1);                            // a dense matrix
  check_strips(banded<T>(700, 5, {-699, -300, -1, 0, 1, 4}, 1 << 30), "dia", T{1}, T{0}, 1);  // narrower than a strip
}

TEST(Dia, ThereAndBackWithNewValues) {
  const Csr<double> a = banded<double>(500, 400, {-60, -1, 0, 1, 7, 300}, 3);
  SparseMatrix<double> m(a, "dia-8");
  expect_same(a, m.to_csr());
  Csr<double> b = a.clone();
  b.vals.assign(std::span<const double>(random_vector<double>(b.num_entries(), 9)));
  Queue queue;
  m.update_values(queue, b);
  expect_same(b, m.to_csr());
}

}  // namespace
}  // namespace millrace::testing
