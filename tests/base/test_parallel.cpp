// Host threads.
#include <algorithm>

#include "expect.hpp"
#include "millrace/base/parallel.hpp"

namespace millrace::testing {
namespace {

TEST(Parallel, CoversEveryPartOnceAndPassesErrorsOn) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> hits(100'003);
    parallel_for(threads, std::ssize(hits), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), std::ssize(hits));
    EXPECT_EQ(error_of([&] { parallel(threads, [](int, int) { throw Error("inside"); }); }), "inside");
  }
  std::int64_t next = 0;
  for (int t = 0; t < 7; ++t) {
    const auto [begin, end] = even_part(23, t, 7);
    EXPECT_EQ(begin, next);
    next = end;
  }
  EXPECT_EQ(next, 23);
}

}  // namespace
}  // namespace millrace::testing
