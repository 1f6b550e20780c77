// Narrow columns and values: the choice, groups that do not fit, and the same numbers as without.
#include "support.hpp"

namespace millrace::testing {
namespace {

std::vector<Index> unpacked(const Columns& columns) {
  std::vector<Index> all;
  columns.visit_view([&](const auto& view) {
    for (Offset s = 0; s < columns.size(); ++s) all.push_back(view(s));
  });
  return all;
}

Columns packed(const std::vector<Index>& columns, int log2_group) {
  return Columns::compressed(Array<Index>(std::span<const Index>(columns)), log2_group);
}

TEST(Columns, TheNarrowestThatFits) {
  std::vector<Index> near, far, everywhere;
  for (Index s = 0; s < 640; ++s) {
    near.push_back(1'000'000 + s / 8 * 5000 + s % 8 * 30);
    far.push_back(1'000'000 + s / 8 * 5000 + s % 8 * 300);
    everywhere.push_back(s % 2 * 2'000'000'000);
  }
  EXPECT_EQ(packed(near, 3).width(), 1);
  EXPECT_EQ(packed(far, 3).width(), 2);
  EXPECT_EQ(packed(everywhere, 3).width(), 4);
  for (const auto& columns : {near, far, everywhere}) EXPECT_EQ(unpacked(packed(columns, 3)), columns);
  EXPECT_EQ(packed(near, 3).bytes(), 640 + 80 * 4);
}

TEST(Columns, SomeGroupsMayBeWide) {
  std::vector<Index> columns;
  for (Index s = 0; s < 1000; ++s) columns.push_back(s % 100 == 3 ? 70'000 + s : s);
  const Columns narrow = packed(columns, 3);
  EXPECT_EQ(narrow.width(), 1);
  EXPECT_EQ(unpacked(narrow), columns);
}

TEST(Columns, PaddingCountsForNothing) {
  const std::vector<Index> columns{-1, 900'000, 900'001, -1, -1, -1, -1, -1, -1, -1, -1, -1, 7};
  const Columns narrow = packed(columns, 3);
  EXPECT_EQ(narrow.width(), 1);
  EXPECT_EQ(unpacked(narrow)[1], 900'000);
  EXPECT_EQ(unpacked(narrow)[2], 900'001);
  EXPECT_EQ(unpacked(narrow)[12], 7);
}

// A band of 7-point stencil rows: 1-byte columns, and the product has the bits of the full storage.
TEST(Columns, ProductsHaveTheSameBits) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  const Index n = 4000;
  for (Index r = 0; r < n; ++r) {
    for (const Index d : {-900, -30, -1, 0, 1, 30, 900})
      if (r + d >= 0 && r + d < n) cols.push_back(r + d);
    row_ptr.push_back(std::ssize(cols));
  }
  const std::vector<double> values = random_vector<double>(std::ssize(cols), 5), x = random_vector<double>(n, 6);
  const Csr<double> a(n, n, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
                      Array<Index>(std::span<const Index>(cols)), Array<double>(std::span<const double>(values)));
  Queue queue;
  for (const char* spec : {"sell-8-1", "sell-8-64", "sell-32-1", "sell-16-1", "rgcsr-256", "pjds", "hyb"}) {
    const SparseMatrix<double> narrow(a, spec), full(a, std::string(spec) + "-full");
    EXPECT_LT(narrow.footprint().bytes, full.footprint().bytes) << spec;
    EXPECT_NE(narrow.details().find("-byte columns"), std::string::npos) << spec << ": " << narrow.details();
    std::vector<double> y(std::size_t{n}), z(std::size_t{n});
    narrow.apply(queue, {.x = x, .y = y});
    full.apply(queue, {.x = x, .y = z});
    EXPECT_TRUE(same_bits<double>(y, z)) << spec;
  }
}

TEST(Values, FloatsWhenExact) {
  Csr<double> a = random_csr<double>(300, 300, 5, 7);
  for (double& v : a.vals.span()) v = static_cast<double>(static_cast<float>(v));
  const SparseMatrix<double> narrow(a, "sell-8-1"), full(a, "sell-8-1-full");
  EXPECT_NE(narrow.details().find("values as floats"), std::string::npos) << narrow.details();
  Queue queue;
  const std::vector<double> x = random_vector<double>(300, 8);
  std::vector<double> y(300), z(300);
  narrow.apply(queue, {.x = x, .y = y});
  full.apply(queue, {.x = x, .y = z});
  EXPECT_TRUE(same_bits<double>(y, z));
  expect_same(a, narrow.to_csr());
}

TEST(Values, UpdateChoosesTheStorageAnew) {
  Csr<double> exact = random_csr<double>(300, 300, 5, 7), inexact = exact.clone();
  for (double& v : exact.vals.span()) v = 0.5;
  SparseMatrix<double> m(exact, "sell-8-1");
  Queue queue;
  m.update_values(queue, inexact);
  EXPECT_EQ(m.details().find("floats"), std::string::npos);
  expect_same(inexact, m.to_csr());
  m.update_values(queue, exact);
  EXPECT_NE(m.details().find("values as floats"), std::string::npos);
  expect_same(exact, m.to_csr());
}

TEST(Values, FloatsOnRequestAreRounded) {
  const Csr<double> a = random_csr<double>(100, 100, 5, 9);
  Csr<double> rounded = a.clone();
  for (double& v : rounded.vals.span()) v = static_cast<double>(static_cast<float>(v));
  for (const char* spec : {"sell-8-1-float", "ellr-float", "jds-float", "hyb-float"}) {
    const SparseMatrix<double> m(a, spec);
    EXPECT_NE(m.details().find("values rounded to floats"), std::string::npos) << spec;
    const std::vector<double> x = random_vector<double>(100, 10), nothing(100);
    std::vector<double> y(100);
    Queue queue;
    m.apply(queue, {.x = x, .y = y});
    const Csr<double> stored = m.to_csr();
    expect_within<double>(reference<double>(stored, Op::none, 1.0, x, 0.0, nothing), y, spec);
    if (std::string(spec) != "hyb-float") expect_same(rounded, stored, spec);
  }
}

TEST(Values, BeyondTheRangeOfFloatIsRefused) {
  Csr<double> a = random_csr<double>(10, 10, 2, 9);
  a.vals.data()[0] = 1e300;
  const std::string text = error_of([&] { SparseMatrix<double>(a, "sell-8-1-float"); });
  EXPECT_NE(text.find("1e+300 is beyond the range of a float"), std::string::npos) << text;
  EXPECT_NO_THROW(SparseMatrix<double>(a, "sell-8-1"));
}

}  // namespace
}  // namespace millrace::testing
