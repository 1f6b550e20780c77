// Rows in parts: all of them, in order, and as even as asked.
#include "millrace/dist/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "expect.hpp"

namespace millrace::testing {

void expect_parts(const Partition& parts, std::int64_t rows, int count) {
  ASSERT_EQ(parts.num_parts(), count);
  EXPECT_EQ(parts.starts.front(), 0);
  EXPECT_EQ(parts.num_rows(), rows);
  EXPECT_TRUE(std::is_sorted(parts.starts.begin(), parts.starts.end()));
  for (int p = 0; p < count; ++p)
    for (const std::int64_t row : {parts.begin(p), parts.end(p) - 1})
      EXPECT_TRUE(parts.size(p) == 0 || parts.owner(row) == p) << row;
}

TEST(Partition, ByRows) {
  for (const std::int64_t rows : {0, 1, 3, 7, 1000})
    for (const int count : {1, 2, 3, 7}) {
      const Partition parts = by_rows(rows, count);
      expect_parts(parts, rows, count);
      for (int p = 0; p < count; ++p)
        EXPECT_NEAR(static_cast<double>(parts.size(p)), static_cast<double>(rows) / count, 1);
    }
  const Partition large = by_rows(std::int64_t{1} << 40, 1024);
  EXPECT_EQ(large.size(1023), std::int64_t{1} << 30);
  EXPECT_EQ(large.owner((std::int64_t{1} << 30) - 1), 0);
  EXPECT_EQ(large.owner(std::int64_t{1} << 30), 1);
}

TEST(Partition, AtMultiples) {
  for (const std::int64_t rows : {100, 4096, 20000})
    for (const int count : {1, 3, 5}) {
      const Partition parts = by_rows(rows, count, 4096);
      expect_parts(parts, rows, count);
      for (int p = 0; p < count; ++p) EXPECT_TRUE(parts.begin(p) % 4096 == 0 || parts.begin(p) == rows);
    }
}

TEST(Partition, ByEntries) {
  std::vector<std::int64_t> row_ptr{0};
  for (int r = 0; r < 100; ++r) row_ptr.push_back(row_ptr.back() + (r < 10 ? 91 : 1));  // 1000 in all, 910 in ten rows
  for (const int count : {1, 2, 4, 7}) {
    const Partition parts = by_entries(row_ptr, count);
    expect_parts(parts, 100, count);
    for (int p = 0; p < count; ++p)
      EXPECT_NEAR(static_cast<double>(row_ptr[static_cast<std::size_t>(parts.end(p))] -
                                      row_ptr[static_cast<std::size_t>(parts.begin(p))]),
                  1000.0 / count, 91);
    std::vector<std::int64_t> lengths;
    for (std::size_t r = 1; r < row_ptr.size(); ++r) lengths.push_back(row_ptr[r] - row_ptr[r - 1]);
    EXPECT_TRUE(count > 1 || by_entries(Comm(), lengths) == parts);
  }
}

TEST(Partition, RefusesWhatIsNone) {
  EXPECT_NE(error_of([] { by_rows(10, 0); }).find("10 rows in 0 parts"), std::string::npos);
  EXPECT_NE(error_of([] { by_rows(-1, 2); }).find("-1 rows"), std::string::npos);
  EXPECT_NE(error_of([] { by_rows(1, 2, 0); }).find("multiples of 0"), std::string::npos);
}

}  // namespace millrace::testing
