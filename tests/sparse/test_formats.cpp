// The list of formats: conversion there and back, names, errors, footprints.
#include "support.hpp"

namespace millrace::testing {
namespace {

template <class T>
struct Formats : ::testing::Test {};
TYPED_TEST_SUITE(Formats, Scalars);

TYPED_TEST(Formats, RoundTrip) {
  using T = TypeParam;
  for (const Index rows : {0, 1, 31, 32, 33, 300})
    for (const Index cols : {0, 1, 50}) {
      const Csr<T> a = random_csr<T>(rows, cols, 6, 5u + static_cast<unsigned>(rows), rows / 2);
      for (const std::string& spec : format_specs())
        if (const auto m = in_format(a, spec)) expect_same(fills_up(*m) ? sort_rows(a) : a.clone(), m->to_csr(), spec);
    }
  for (const Index rows : {40, 301}) {
    const Csr<T> a = banded_csr<T>(rows, 120, 5, 6);
    for (const std::string& spec : format_specs()) {
      const SparseMatrix<T> m(a, spec);
      expect_same(fills_up(m) ? sort_rows(a) : a.clone(), m.to_csr(), spec);
    }
  }
}

TYPED_TEST(Formats, PermutedBasisRoundTrip) {
  const Csr<TypeParam> a = random_csr<TypeParam>(100, 100, 6, 8);
  expect_same(a, to_csr<TypeParam>(Sell<TypeParam>::make_reordered(a, "sell-8-64")));
  expect_same(a, to_csr<TypeParam>(Pjds<TypeParam>::make_reordered(a)));
}

TEST(FormatNames, UnknownNameListsTheKnownOnes) {
  const Csr<double> a = random_csr<double>(3, 3, 1, 1);
  EXPECT_EQ(error_of([&] { make_format(a, "sel"); }), "unknown sparse format 'sel'; this build has: " + format_names());
}

TEST(FormatNames, ParametersAreChecked) {
  const Csr<double> a = random_csr<double>(3, 3, 1, 1);
  EXPECT_EQ(error_of([&] { make_format(a, "csr-4"); }),
            "format 'csr-4': csr takes no number, and one word at most: rows, tiles, split or cached, as in csr-split");
  EXPECT_EQ(error_of([&] { make_format(a, "sell-12-1"); }),
            "format 'sell-12-1': C is 12; a power of two from 1 to 1024 is accepted");
  EXPECT_EQ(error_of([&] { make_format(a, "rgcsr-16"); }),
            "format 'rgcsr-16': the group is 16; a power of two from 32 to 256 is accepted");
  for (const char* text : {"sell-8-0", "sell-8-1-1", "sell-x"})
    EXPECT_NE(error_of([&] { make_format(a, text); }).find("sell takes C and sigma"), std::string::npos) << text;
  EXPECT_NE(error_of([&] { make_format(a, "sell-1.5"); }).find("neither a whole number nor a word"), std::string::npos);
  EXPECT_NE(error_of([&] { make_format(a, "sell-8-"); }).find("something is missing"), std::string::npos);
  EXPECT_NE(error_of([&] { make_format(a, "sell-full-float"); }).find("contradict"), std::string::npos);
  EXPECT_NE(error_of([&] { make_format(a, "hyb-full-float"); }).find("contradict"), std::string::npos);
  EXPECT_EQ(parse_format_spec("sell-32-1024").text(), "sell-32-1024");
}

// Row lengths 2,1,1,1,1,2,3,2 (Oberhuber et al. 2010): 11 artificial zeros in one slice, 7 in slices of four.
TEST(FormatFootprint, ArtificialZerosOfThePaper) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> cols;
  for (const Index length : {2, 1, 1, 1, 1, 2, 3, 2}) {
    for (Index k = 0; k < length; ++k) cols.push_back(k);
    row_ptr.push_back(std::ssize(cols));
  }
  const Csr<double> a(8, 3, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
                      Array<Index>(std::span<const Index>(cols)), Array<double>(std::ssize(cols), 1.0));
  const auto zeros = [&](const char* spec) { return SparseMatrix<double>(a, spec).footprint().artificial_zeros; };
  EXPECT_EQ(zeros("ell"), 11);
  EXPECT_EQ(zeros("ellr"), 11);
  EXPECT_EQ(zeros("sell-8-1"), 11);
  EXPECT_EQ(zeros("sell-4-1"), 7);
  EXPECT_EQ(zeros("csr"), 0);
  EXPECT_EQ(zeros("sell-4-8"), 12 + 4 - 13);  // sorted: 3,2,2,2 and 1,1,1,1
}

TEST(FormatFootprint, Bytes) {
  const Csr<double> a = random_csr<double>(100, 80, 5, 3);
  const Offset nnz = a.num_entries();
  EXPECT_EQ(SparseMatrix<double>(a, "csr").footprint().bytes, 101 * 4 + nnz * 12);
  EXPECT_EQ(SparseMatrix<double>(a, "coo").footprint().bytes, nnz * 16);
  const Footprint sell = SparseMatrix<double>(a, "sell-32-1-full").footprint();
  EXPECT_EQ(sell.bytes, 5 * 8 + 4 * 4 + 100 * 4 + (nnz + sell.artificial_zeros) * 12);
  EXPECT_EQ(sell.moved_bytes, 5 * 8 + 4 * 4 + 100 * 4 + nnz * 12);  // all four slices are ragged
}

TEST(FormatViews, SlotsBeyond32Bits) {
  const Offset far = Offset{3} << 31;
  const Offset slice_ptr[] = {0, far, 2 * far};
  const SlicedView<double, double, Index> sell{64,      8,       0,  5,       32,      1,       32,     slice_ptr,
                                               nullptr, nullptr, {}, nullptr, nullptr, nullptr, nullptr};
  EXPECT_EQ(sell.slot(33, 0), far + 1);
  EXPECT_EQ(sell.slot(33, Index{1} << 30), far + 1 + (Offset{1} << 35));
  const std::int64_t row_ptr[] = {0, far, far + 5};
  const CsrView<double, std::int64_t> csr{2, 8, far + 5, row_ptr, nullptr, nullptr};
  EXPECT_EQ(csr.slot(1, 4), far + 4);
  EXPECT_EQ(csr.length(1), 5);
}

// 2,000 rows of one entry and one of 2,000: ELLPACK would need 4,000,000 slots for 4,000 entries.
TEST(FormatMemory, TwentyTimesCsrIsRefusedWithTheFigures) {
  const Csr<double> a = random_csr<double>(2000, 2000, 0, 1, 0);
  const std::string text = error_of<Unsupported>([&] { make_format(a, "ell"); });
  EXPECT_NE(text.find("ell: this matrix would need 48.0"), std::string::npos) << text;
  EXPECT_NE(text.find("times the 0.03"), std::string::npos) << text;
  EXPECT_NE(text.find("its longest row has 2000 entries"), std::string::npos) << text;
  EXPECT_NE(text.find("up to 20 times are accepted"), std::string::npos) << text;
  for (const char* spec : {"coo", "csr", "hyb", "jds"}) EXPECT_TRUE(in_format(a, spec)) << spec;
}

}  // namespace
}  // namespace millrace::testing
