// Bisections: every place of the first true, and the searches in ascending values against loops.
#include "millrace/base/search.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace millrace::testing {
namespace {

TEST(Search, FindsTheFirstPlaceWhereAConditionHolds) {
  for (int size = 0; size <= 33; ++size)
    for (int first = 0; first <= size; ++first) {  // first == size: it holds nowhere; first == 0: everywhere
      int asked = 0;
      const int found = first_where(0, size, [&](int i) {
        ++asked;
        EXPECT_TRUE(0 <= i && i < size);
        return i >= first;
      });
      EXPECT_EQ(found, first) << "of " << size;
      EXPECT_LE(asked, 6);
    }
}

TEST(Search, AnEmptyRangeHasNoPlace) {
  EXPECT_EQ(first_where(7, 7, [](int) { return true; }), 7);
  EXPECT_EQ(first_where(7, 7, [](int) { return false; }), 7);
  EXPECT_EQ(first_at_least(static_cast<const int*>(nullptr), 3, 3, 5), 3);
}

TEST(Search, RangesBeginAnywhereAndDoNotOverflow) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(first_where(last - 10, last, [](std::int64_t i) { return i >= last - 3; }), last - 3);
  EXPECT_EQ(first_where<std::int64_t>(-5, 5, [](std::int64_t i) { return i >= -2; }), -2);
}

TEST(Search, AgreesWithALoopOverAscendingValues) {
  const std::vector<std::vector<int>> lists = {{}, {4}, {4, 4}, {1, 4}, {0, 0, 3, 3, 3, 8, 9, 9}, {-7, -1, 0, 2, 100}};
  for (const std::vector<int>& values : lists) {
    const auto size = static_cast<int>(values.size());
    const auto at = [&](int i) { return values[static_cast<std::size_t>(i)]; };
    for (int low = 0; low <= size; ++low)
      for (int bound = -9; bound <= 101; ++bound) {
        int expected = low;
        while (expected < size && at(expected) < bound) ++expected;
        EXPECT_EQ(first_at_least(values.data(), low, size, bound), expected) << bound << " from " << low;
        if (low == size || at(low) > bound) continue;  // last_at_most wants its first value to be at most the bound
        expected = low;
        while (expected + 1 < size && at(expected + 1) <= bound) ++expected;
        EXPECT_EQ(last_at_most(values.data(), low, size, bound), expected) << bound << " from " << low;
      }
  }
}

TEST(Search, IsDoneByTheCompilerToo) {
  static constexpr int values[] = {1, 3, 3, 7};
  static_assert(first_at_least(values, 0, 4, 3) == 1);
  static_assert(last_at_most(values, 0, 4, 3) == 2);
}

}  // namespace
}  // namespace millrace::testing
