// CSR and COO on the host: checks, sorting, permutations, assembly.
#include "millrace/sparse/assemble.hpp"
#include "millrace/sparse/convert/coo.hpp"
#include "millrace/sparse/convert/host_steps.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

template <class U>
Array<U> array(std::initializer_list<U> values) {
  return Array<U>(values);
}

TEST(Csr, OffsetsNarrowWhenTheyFit) {
  const Csr<double> a(2, 3, array<std::int64_t>({0, 1, 3}), array<Index>({2, 0, 1}), array<double>({1, 2, 3}));
  EXPECT_TRUE(std::holds_alternative<Array<std::int32_t>>(a.row_ptr));
  EXPECT_EQ(a.row_length(1), 2);
}

TEST(Csr, WrongArraysAreRefused) {
  EXPECT_EQ(error_of([] {
              Csr<double>(2, 2, array<std::int64_t>({0, 1}), array<Index>({0}), array<double>({1}));
            }),
            "csr: 2 rows need 3 row offsets; there are 2");
  EXPECT_EQ(error_of([] {
              Csr<double>(1, 2, array<std::int64_t>({0, 1}), array<Index>({0, 1}), array<double>({1}));
            }),
            "csr: there are 2 columns but 1 values; they belong together");
  const Csr<double> outside(1, 2, array<std::int64_t>({0, 1}), array<Index>({2}), array<double>({1}));
  EXPECT_EQ(error_of([&] { check_csr(outside); }), "csr: row 0 has column 2; columns run from 0 to 1");
  const Csr<double> falling(2, 2, array<std::int64_t>({0, 3, 2}), array<Index>({0, 1}), array<double>({1, 1}));
  EXPECT_NE(error_of([&] { check_csr(falling); }).find("fall from 3 to 2 at row 1"), std::string::npos);
}

TEST(Csr, TransposeTwiceIsTheSame) {
  const Csr<double> a = sort_rows(random_csr<double>(70, 40, 6, 2));
  expect_same(a, transpose(transpose(a)));
  const auto c = sort_rows(random_csr<std::complex<double>>(20, 30, 6, 3));
  const auto ct = transpose(c, true);
  EXPECT_EQ(ct.vals.span()[0], std::conj(c.vals.span()[static_cast<std::size_t>(
                                   std::find(c.cols.span().begin(), c.cols.span().end(), 0) - c.cols.span().begin())]));
}

TEST(Csr, PermuteMovesRowsAndColumns) {
  const Csr<double> a(3, 3, array<std::int64_t>({0, 2, 3, 4}), array<Index>({0, 2, 1, 0}), array<double>({1, 2, 3, 4}));
  const std::vector<Index> order{2, 0, 1};  // row i of B is row order[i] of A
  const Csr<double> b = permute<double>(a, order, order);
  expect_same(
      b, Csr<double>(3, 3, array<std::int64_t>({0, 1, 3, 4}), array<Index>({1, 0, 1, 2}), array<double>({4, 2, 1, 3})));
  expect_same(permute_rows<double>(a, order), Csr<double>(3, 3, array<std::int64_t>({0, 1, 3, 4}),
                                                          array<Index>({0, 0, 2, 1}), array<double>({4, 1, 2, 3})));
  const std::vector<Index> twice{0, 0, 1}, shorter{0, 1};
  EXPECT_NE(error_of([&] { permute_rows<double>(a, twice); }).find("each of 0..2 must appear once"), std::string::npos);
  EXPECT_NE(error_of([&] { permute_rows<double>(a, shorter); }).find("3 rows need a permutation of as many"),
            std::string::npos);
}

TEST(Csr, ConvertValues) {
  const Csr<float> a = random_csr<float>(10, 10, 3, 4);
  expect_same(a, convert_values<float>(convert_values<double>(a)));
  EXPECT_EQ(convert_values<std::complex<double>>(a).vals.span()[0], std::complex<double>(a.vals.span()[0]));
  EXPECT_EQ(error_of<Unsupported>([] { convert_values<double>(random_csr<std::complex<double>>(2, 2, 1, 5)); }),
            "convert: complex values do not fit into a real matrix");
}

TEST(Coo, UnsortedAndRepeatedEntriesAreAddedUp) {
  const Coo<double> a{3, 4, array<Index>({2, 0, 2, 0, 2}), array<Index>({1, 3, 1, 0, 0}),
                      array<double>({1, 2, 3, 4, 5})};
  expect_same(to_csr(a), Csr<double>(3, 4, array<std::int64_t>({0, 2, 2, 4}), array<Index>({0, 3, 0, 1}),
                                     array<double>({4, 2, 5, 4})));
  expect_same(to_csr_keeping_duplicates(a), Csr<double>(3, 4, array<std::int64_t>({0, 2, 2, 5}),
                                                        array<Index>({3, 0, 1, 1, 0}), array<double>({2, 4, 1, 3, 5})));
}

TEST(Coo, OutsideEntriesAreRefused) {
  const Coo<double> a{2, 2, array<Index>({0, 2}), array<Index>({0, 0}), array<double>({1, 1})};
  EXPECT_EQ(error_of([&] { to_csr(a); }), "coo: entry 1 is at (2, 0); the matrix is 2 x 2 and counts from 0");
}

// Many entries in random order, with repeats: against sums in the order given, to the last bit.
TEST(Coo, LargeAssembly) {
  const Index n = 500;
  const Offset count = 300'000;
  Random random(6);
  Coo<double> a{n, n, Array<Index>(count), Array<Index>(count), Array<double>(count)};
  std::vector<double> dense(static_cast<std::size_t>(n) * n);
  std::vector<bool> set(dense.size());
  for (Offset k = 0; k < count; ++k) {
    const Index r = random.below(n), c = random.below(n);
    const double v = random.uniform();
    a.rows.data()[k] = r, a.cols.data()[k] = c, a.vals.data()[k] = v;
    const auto at = static_cast<std::size_t>(r) * n + static_cast<std::size_t>(c);
    dense[at] += v;
    set[at] = true;
  }
  const Csr<double> b = to_csr(a);
  EXPECT_EQ(b.num_entries(), std::count(set.begin(), set.end(), true));
  for (Index r = 0; r < n; ++r)
    for (Offset k = b.row_begin(r); k < b.row_begin(r + 1); ++k)
      ASSERT_EQ(b.vals.data()[k], dense[static_cast<std::size_t>(r) * n + static_cast<std::size_t>(b.cols.data()[k])]);
}

TEST(Csr, WhatWouldOverflowAFloatIsRefused) {
  const auto one = []<class T>(T value) {
    return Csr<T>(2, 3, array<std::int64_t>({0, 1, 2}), array<Index>({0, 2}), array<T>({T{1}, value}));
  };
  EXPECT_EQ(error_of([&] { convert_values<float>(one(-1e39)); }),
            "convert: the entry in row 1, column 2 has the size 1e+39, beyond the range of a float; up to "
            "3.40282e+38 is accepted, or double");
  using Complex = std::complex<double>;
  EXPECT_NE(error_of([&] { convert_values<std::complex<float>>(one(Complex(1, 1e300))); }).find("1e+300"),
            std::string::npos);
  EXPECT_NO_THROW(convert_values<float>(one(3.4e38)));
  EXPECT_TRUE(std::isinf(convert_values<float>(one(HUGE_VAL)).vals.span()[1]));  // infinite before
  EXPECT_TRUE(std::isnan(convert_values<float>(one(std::nan(""))).vals.span()[1]));
}

TEST(Csr, RepeatedEntriesHaveAFiniteSum) {
  const auto coo = [](double a, double b) {
    return Coo<double>{2, 2, array<Index>({1, 0, 1}), array<Index>({1, 0, 1}), array<double>({a, 1, b})};
  };
  const std::string text = "to_csr: repeated entries in row 1, column 1 are finite, but their sum is not";
  EXPECT_TRUE(error_of([&] { to_csr(coo(1e308, 1e308)); }).starts_with(text));
  EXPECT_TRUE(error_of([&] { make_csr<double>(2, 2, {{1, 1, 1e308}, {1, 1, 1e308}}); }).starts_with(text));
  EXPECT_TRUE(std::isinf(to_csr(coo(HUGE_VAL, 1)).vals.span()[1]));
  convert::HostSteps steps{Queue()};
  EXPECT_TRUE(error_of([&] { convert::to_csr(steps, coo(-1e308, -1e308)); }).starts_with(text));  // as a GPU does it
}

}  // namespace
}  // namespace millrace::testing
