// All real matrices load with the sizes and sums of their table. In shards, so that tests can run side by side.
#include "io/io_tools.hpp"
#include "millrace/io/matrix_file.hpp"

namespace millrace {
namespace {

constexpr int num_shards = 4;

class DataRealMatrices : public ::testing::TestWithParam<int> {};

TEST_P(DataRealMatrices, SizesAndSums) {
  const auto folder = test::data_folder() / "matrices";
  if (test::data_folder().empty()) GTEST_SKIP() << "MILLRACE_DATA does not name the folder of test matrices";
  if (!test::supported("a.xz")) GTEST_SKIP() << "this build has no liblzma";
  const auto table = test::read_table(folder / "matrices.tsv");
  ASSERT_EQ(table.size(), 366u);
  enum Column { name, rows = 4, cols = 5, nnz_expanded = 7, sum = 18, sum_abs = 19, notes = 26 };
  for (std::size_t line = 1; line < table.size(); ++line) {
    if (static_cast<int>(line % num_shards) != GetParam()) continue;
    const auto& row = table[line];
    SCOPED_TRACE(row[name]);
    std::visit(
        [&](const auto& a) {
          EXPECT_EQ(a.num_rows, std::stoll(row[rows]));
          EXPECT_EQ(a.num_cols, std::stoll(row[cols]));
          const auto sums = test::sums_of(a);
          const Offset entries = std::stoll(row[nnz_expanded]);
          const double expected_abs = std::stod(row[sum_abs]);
          const auto noted = [&](const char* what) { return row[notes].find(what) != row[notes].npos; };
          if (!noted("duplicate") && !noted("entries above the diagonal")) {
            EXPECT_EQ(a.num_entries(), entries);
            EXPECT_NEAR(sums.sum_abs, expected_abs, sums.bound(entries));
          } else {  // positions that are there twice are added up: fewer entries, no larger sum of magnitudes
            EXPECT_LT(a.num_entries(), entries);
            EXPECT_LE(sums.sum_abs, expected_abs + sums.bound(entries));
          }
          EXPECT_LE(std::abs(std::complex<double>(sums.sum) - test::parse_complex(row[sum])), sums.bound(entries));
        },
        read_matrix(folder / (row[name] + ".mtx.xz")));
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, DataRealMatrices, ::testing::Range(0, num_shards));

}  // namespace
}  // namespace millrace
