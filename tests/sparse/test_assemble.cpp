// Triplets into CSR, matrices in a user's arrays, and formats as values instead of texts.
#include "millrace/millrace.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

template <class T>
class Assemble : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Assemble, Scalars);

TYPED_TEST(Assemble, TripletsComeInAnyOrderAndAddUp) {
  using T = TypeParam;
  const std::vector<Triplet<T>> entries{{2, 1, T(5)}, {0, 2, T(1)}, {2, 1, T(2)}, {0, 0, T(4)}};
  const Csr<T> a = make_csr(3, 3, entries);
  EXPECT_EQ(a.num_entries(), 3);
  EXPECT_EQ(a.row_begin(1), 2);
  EXPECT_EQ(a.row_begin(2), 2);
  EXPECT_EQ(a.cols.to_vector(), (std::vector<Index>{0, 2, 1}));
  EXPECT_EQ(a.vals.to_vector(), (std::vector<T>{T(4), T(1), T(7)}));
  const Csr<T> none = make_csr<T>(0, 4, std::vector<Triplet<T>>{}), empty = make_csr<T>(5, 0, {});
  EXPECT_EQ(none.num_rows, 0);
  EXPECT_EQ(none.num_cols, 4);
  EXPECT_EQ(empty.num_entries(), 0);
}

TYPED_TEST(Assemble, RandomEntriesGiveTheSameMatrixInAnyOrder) {
  using T = TypeParam;
  for (const Index n : {1, 31, 33, 500}) {
    const Csr<T> a = sort_rows(random_csr<T>(n, n + 2, 5, 3));
    std::vector<Triplet<T>> entries;
    for (Index r = n - 1; r >= 0; --r)
      for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
        entries.push_back({r, a.cols.span()[k], a.vals.span()[k]});
    const Csr<T> b = make_csr(n, n + 2, entries);
    EXPECT_EQ(b.cols.to_vector(), a.cols.to_vector());
    EXPECT_EQ(b.vals.to_vector(), a.vals.to_vector());
  }
}

TEST(AssembleErrors, NameTheTripletAndTheMatrix) {
  const auto text = [](Index row, Index col) {
    return error_of([&] { make_csr(2, 3, std::vector<Triplet<double>>{{0, 0, 1}, {row, col, 1}}); });
  };
  EXPECT_EQ(text(2, 0), "make_csr: triplet 1 is at row 2, column 0; the matrix is 2 x 3 and counts from 0");
  EXPECT_NE(text(0, 3).find("column 3"), std::string::npos);
  EXPECT_NE(text(-1, 0).find("row -1"), std::string::npos);
  EXPECT_NE(error_of([] { make_csr<double>(-1, 3, {}); }).find("-1 x 3"), std::string::npos);
}

TEST(WrapCsr, UsesTheArraysInPlaceAndChecksThem) {
  const std::vector<std::int32_t> row_ptr{0, 2, 3};
  std::vector<Index> cols{0, 2, 1};
  std::vector<double> vals{2, 1, 3};
  const Csr<double> a = wrap_csr(2, 3, row_ptr, cols, vals);
  EXPECT_EQ(a.vals.data(), vals.data());
  vals[1] = 7;
  EXPECT_EQ(a.vals.span()[1], 7);
  const std::vector<std::int64_t> wide{0, 2, 3};
  EXPECT_EQ(wrap_csr(2, 3, wide, cols, vals).row_begin(1), 2);
  EXPECT_EQ(wrap_csr(2, 3, std::span(wide), std::span(cols), std::span<const double>(vals)).num_entries(), 3);
  cols[1] = 3;
  EXPECT_NE(error_of([&] { wrap_csr(2, 3, row_ptr, cols, vals); }).find("column 3"), std::string::npos);
  const std::vector<std::int32_t> falls{0, 4, 3};
  EXPECT_NE(error_of([&] { wrap_csr(2, 3, falls, cols, vals); }).find("row"), std::string::npos);
}

TEST(FormatsAsValues, SayWhatTextsSay) {
  const std::pair<FormatSpec, const char*> both[] = {
      {as::Coo{}, "coo"},
      {as::Csr{}, "csr"},
      {as::Csr{.schedule = CsrSchedule::rows}, "csr-rows"},
      {as::Csr{.schedule = CsrSchedule::tiles}, "csr-tiles"},
      {as::Csr{.schedule = CsrSchedule::split}, "csr-split"},
      {as::Csr{.schedule = CsrSchedule::cached}, "csr-cached"},
      {as::Bsr{}, "bsr"},
      {as::Bsr{.block = 5}, "bsr-5"},
      {as::Dbf{}, "dbf"},
      {as::Dbf{.block = 8}, "dbf-8"},
      {as::Dbf{.block = 8, .group = 64}, "dbf-8-64"},
      {as::Dbf{.block = 8, .apart = true}, "dbf-8-apart"},
      {as::Dbf{.apart = true}, "dbf-apart"},
      {as::Dia{}, "dia"},
      {as::Dia{.tile = 8}, "dia-8"},
      {as::Ell{}, "ell"},
      {as::Ell{.storage = Storage::full}, "ell-full"},
      {as::Ellr{}, "ellr"},
      {as::Ellr{.storage = Storage::single}, "ellr-float"},
      {as::Hyb{}, "hyb"},
      {as::Hyb{.width = 7, .storage = Storage::dictionary}, "hyb-7-dict"},
      {as::Sell{}, "sell-32-1"},
      {as::Sell{.slice = 8, .sigma = 1024, .storage = Storage::full}, "sell-8-1024-full"},
      {as::Sell{.rcm = true}, "sell-32-1-rcm"},
      {as::Rgcsr{}, "rgcsr-128"},
      {as::Rgcsr{.group = 64}, "rgcsr-64"},
      {as::Jds{}, "jds"},
      {as::Pjds{}, "pjds-32"},
      {as::Pjds{.block = 4, .storage = Storage::single}, "pjds-4-float"},
      {as::Tcoo{}, "tcoo"},
      {as::Tcoo{.tile_columns = 4096}, "tcoo-4096"},
  };
  for (const auto& [spec, text] : both) EXPECT_TRUE(spec == parse_format_spec(text)) << text << " " << spec.text();
  std::string names;  // every format of the list has a struct
  for_each_format<double>([&]<class Format>() {
    const bool found =
        std::any_of(std::begin(both), std::end(both), [](const auto& b) { return b.first.name == Format::name; });
    EXPECT_TRUE(found) << Format::name;
  });
  EXPECT_NE(error_of([] { FormatSpec(as::Bsr{.block = -1}); }).find("-1"), std::string::npos);
  EXPECT_NE(error_of([] { FormatSpec(as::Dbf{.group = 4}); }).find("size of 0"), std::string::npos);
}

TEST(FormatsAsValues, MakeTheSameMatrices) {
  const Csr<double> csr = banded_csr<double>(64, 64, 3, 5);
  Queue queue;
  const std::vector<double> x = random_vector<double>(64, 1);
  const auto same = [&](const SparseMatrix<double>& a, const char* text) {
    const SparseMatrix<double> b(csr, text);
    EXPECT_EQ(a.format_name(), b.format_name());
    EXPECT_EQ(a.details(), b.details());
    std::vector<double> y(64), z(64);
    a.apply(queue, {.x = x, .y = y});
    b.apply(queue, {.x = x, .y = z});
    EXPECT_EQ(y, z) << text;
  };
  same({csr, as::Coo{}}, "coo");
  same({csr, as::Csr{}}, "csr");
  same({csr, as::Bsr{.block = 2}}, "bsr-2");
  same({csr, as::Dbf{.block = 4}}, "dbf-4");
  same({csr, as::Dia{}}, "dia");
  same({csr, as::Ell{}}, "ell");
  same({csr, as::Ellr{}}, "ellr");
  same({csr, as::Hyb{.width = 2}}, "hyb-2");
  same({csr, as::Sell{.slice = 8, .sigma = 16}}, "sell-8-16");
  same({csr, as::Rgcsr{}}, "rgcsr");
  same({csr, as::Jds{}}, "jds");
  same({csr, as::Pjds{}}, "pjds");
  same({csr, as::Tcoo{}}, "tcoo");
}

}  // namespace
}  // namespace millrace::testing
