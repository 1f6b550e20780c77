// Rows of a whole matrix: sorted, added up, without zeros, as the CSR matrix is.
#include "millrace/sparse/global_rows.hpp"

#include <limits>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GlobalRowsOf : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GlobalRowsOf, AllScalars);

// Rows of up to 50 entries in any order, with some columns several times and some zeros.
template <class T>
Csr<T> disorder(Index num_rows) {
  Random random(1);
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < num_rows; ++r) {
    for (Index k = random.below(51); k > 0; --k) {
      cols.push_back(random.below(30));
      vals.push_back(random.below(4) == 0 ? T(0) : random.value<T>());
    }
    row_ptr.push_back(std::ssize(cols));
  }
  return {num_rows, 30, Array<Offset>(std::span<const Offset>(row_ptr)), Array<Index>(std::span<const Index>(cols)),
          Array<T>(std::span<const T>(vals))};
}

TYPED_TEST(GlobalRowsOf, SortedAsTheWholeMatrixIs) {
  using T = TypeParam;
  const Csr<T> a = disorder<T>(100), sorted = sort_rows(a);
  for (const auto& [begin, end] : {std::pair(0, 100), std::pair(0, 0), std::pair(37, 80)}) {
    const GlobalRows<T> found = sort_rows(rows_of(a, begin, end)), wanted = rows_of(sorted, begin, end);
    EXPECT_EQ(found.first, begin);
    EXPECT_EQ(found.row_ptr.to_vector(), wanted.row_ptr.to_vector());
    EXPECT_EQ(found.cols.to_vector(), wanted.cols.to_vector());
    EXPECT_TRUE(same_bits<T>(found.vals.span(), wanted.vals.span()));
  }
}

TYPED_TEST(GlobalRowsOf, ZerosAreDropped) {
  using T = TypeParam;
  const Csr<T> a = disorder<T>(40);
  const GlobalRows<T> all = rows_of(a, 10, 40), found = drop_zeros(rows_of(a, 10, 40));
  Offset to = 0;
  for (std::int64_t r = 0; r < 30; ++r) {
    EXPECT_EQ(found.row_ptr.data()[r], to);
    for (Offset s = all.row_ptr.data()[r]; s < all.row_ptr.data()[r + 1]; ++s) {
      if (all.vals.data()[s] == T(0)) continue;
      EXPECT_EQ(found.cols.data()[to], all.cols.data()[s]);
      EXPECT_EQ(found.vals.data()[to++], all.vals.data()[s]);
    }
  }
  EXPECT_EQ(found.num_entries(), to);
}

TEST(GlobalRowsErrors, SumsThatAreNotFinite) {
  const double most = std::numeric_limits<double>::max();
  const GlobalRows<double> one{7, 9, Array<Offset>{0, 2}, Array<std::int64_t>{8, 8}, Array<double>{most, most}};
  GlobalRows<double> rows{7, 9, one.row_ptr.clone(), one.cols.clone(), one.vals.clone()};
  EXPECT_NE(error_of([&] { sort_rows(std::move(rows)); }).find("row 7, column 8"), std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
