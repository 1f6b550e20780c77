// Host threads.
#include <algorithm>

#include "expect.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/thread_limit.hpp"

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

TEST(Parallel, ALimitHoldsAsLongAsItLives) {
  const int before = default_num_threads();
  const bool many = [] {  // without OpenMP there is one thread, whatever is asked for
    const ThreadLimit two(2);
    return default_num_threads() > 1;
  }();
  {
    const ThreadLimit outer(3);
    EXPECT_EQ(default_num_threads(), many ? 3 : 1);
    const Queue queue;
    EXPECT_EQ(queue.num_threads(), default_num_threads());
    {
      const ThreadLimit inner(Queue(Device::host(), 2));
      EXPECT_EQ(default_num_threads(), many ? 2 : 1);
    }
    EXPECT_EQ(default_num_threads(), queue.num_threads());
  }
  EXPECT_EQ(default_num_threads(), before);
  EXPECT_EQ(error_of([] { const ThreadLimit none(0); }), "thread_limit: 0 threads; 1 or more are accepted");
}

}  // namespace
}  // namespace millrace::testing
