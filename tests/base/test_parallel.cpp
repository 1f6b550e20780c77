// Host threads: regions, their parts, and how many threads there are.
#include "millrace/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <set>
#include <thread>

#include "expect.hpp"
#include "in_child.hpp"
#include "millrace/base/array.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/base/threads/cores.hpp"
#include "millrace/base/threads/pool.hpp"

namespace millrace::testing {
namespace {

// Which thread ran each part of a region. All parts wait for each other, so that no thread takes two of them; where
// there are fewer cores than parts they must not.
std::vector<std::thread::id> threads_of_parts(int parts, bool together) {
  std::vector<std::thread::id> ids(static_cast<std::size_t>(parts));
  std::latch all(parts);
  parallel(parts, [&](int part, int) {
    ids[static_cast<std::size_t>(part)] = std::this_thread::get_id();
    if (together) all.arrive_and_wait();
  });
  return ids;
}

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

TEST(Parallel, RunsEachPartOnceInManyRegionsOfManySizes) {
  for (int round = 0; round < 2000; ++round) {
    const int size = 1 + round % 40;
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(size));
    parallel(size, [&](int part, int count) {
      EXPECT_EQ(count, size);
      ++hits[static_cast<std::size_t>(part)];
    });
    EXPECT_TRUE(std::ranges::all_of(hits, [](const auto& h) { return h == 1; })) << size;
  }
}

TEST(Parallel, AllPartsEndBeforeAnErrorIsThrown) {
  std::atomic<int> ended = 0;
  EXPECT_EQ(error_of([&] {
              parallel(4, [&](int part, int) {
                if (part == 1) throw Error("part 1");
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                ++ended;
              });
            }),
            "part 1");
  EXPECT_EQ(ended, 3);
}

// First touch: pages lie near the thread that works on them later.
TEST(Parallel, PartsGoToTheSameThreadsInEveryRegion) {
  if (detail::cores_of_mask() < 2) GTEST_SKIP() << "one core";
  const int parts = std::min(detail::cores_of_mask(), 4);
  const std::vector<std::thread::id> first = threads_of_parts(parts, true);
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), first.size());
  for (int round = 0; round < 5; ++round) EXPECT_EQ(threads_of_parts(parts, true), first);
}

TEST(Parallel, ThereAreNeverMoreThreadsThanCores) {
  const std::vector<std::thread::id> ids = threads_of_parts(64, false);
  const std::set<std::thread::id> different(ids.begin(), ids.end());
  EXPECT_LE(static_cast<int>(different.size()), detail::cores_of_mask());
  EXPECT_LE(detail::ThreadPool::num_workers(), detail::cores_of_mask() - 1);
}

TEST(Parallel, ARegionInsideARegionRunsOnItsThread) {
  std::atomic<int> parts = 0;
  parallel(3, [&](int, int) {
    const std::thread::id here = std::this_thread::get_id();
    parallel(4, [&](int, int count) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_EQ(count, 4);
      ++parts;
    });
  });
  EXPECT_EQ(parts, 12);
}

TEST(Parallel, CallersAtOnceGetAllTheirParts) {
  constexpr int callers = 100, regions = 50;  // more callers than the pool keeps regions for
  std::atomic<int> parts = 0, errors = 0;
  std::latch all(callers);
  std::vector<std::thread> threads;
  for (int c = 0; c < callers; ++c)
    threads.emplace_back([&, c] {
      all.arrive_and_wait();
      for (int r = 0; r < regions; ++r) {
        parallel(1 + c % 5, [&](int, int) { ++parts; });
        if (error_of([] { parallel(2, [](int part, int) { require(part != 1, "of a caller"); }); }) == "of a caller")
          ++errors;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(parts, callers / 5 * regions * (1 + 2 + 3 + 4 + 5));
  EXPECT_EQ(errors, callers * regions);
}

TEST(Parallel, AChildAfterForkHasThreadsOfItsOwn) {
  const auto sum_of = [](int threads) {
    std::atomic<std::int64_t> sum = 0;
    parallel(threads, [&](int part, int count) {
      const auto [begin, end] = even_part(1'000'000, part, count);
      std::int64_t mine = 0;
      for (std::int64_t i = begin; i < end; ++i) mine += i;
      sum += mine;
    });
    return sum.load();
  };
  const std::int64_t right = sum_of(4);
  for (int child = 0; child < 5; ++child) {
    EXPECT_TRUE(holds_in_child([&] {
      const bool none = detail::ThreadPool::num_workers() == 0, good = sum_of(4) == right && sum_of(2) == right;
      return none && good && (detail::cores_of_mask() < 2 || detail::ThreadPool::num_workers() > 0);
    }));
    EXPECT_EQ(sum_of(3), right);
  }
}

TEST(Parallel, ALimitHoldsAsLongAsItLives) {
  const int before = default_num_threads();
  {
    const ThreadLimit outer(3);
    EXPECT_EQ(default_num_threads(), 3);
    const Queue queue;
    EXPECT_EQ(queue.num_threads(), 3);
    {
      const ThreadLimit inner(Queue(Device::host(), 2));
      EXPECT_EQ(default_num_threads(), 2);
      std::thread([&] { EXPECT_EQ(default_num_threads(), before); }).join();  // of this thread alone
    }
    EXPECT_EQ(default_num_threads(), 3);
  }
  EXPECT_EQ(default_num_threads(), before);
  EXPECT_EQ(error_of([] { const ThreadLimit none(0); }), "thread_limit: 0 threads; 1 or more are accepted");
}

TEST(Parallel, LittleWorkStaysOnTheCaller) {
  EXPECT_EQ(threads_for(8, 6143, {.bytes = 32}).size, 1);
  EXPECT_EQ(threads_for(8, 6144, {.bytes = 32}).size, 2);
  EXPECT_EQ(threads_for(16, 8192, {.bytes = 32}).size, 2);  // never slower than with fewer
  EXPECT_EQ(threads_for(8, 1 << 15, {.bytes = 32}).size, 8);
  EXPECT_TRUE(threads_for(8, 8192, {.bytes = 32}).brief);
  EXPECT_FALSE(threads_for(8, 1 << 20, {.bytes = 32}).brief);
  EXPECT_EQ(threads_for(8, 1535, {.flops = 16}).size, 1);
  EXPECT_EQ(threads_for(8, 1536, {.flops = 16}).size, 2);
  EXPECT_EQ(threads_for(8, 1, {.bytes = 1 << 30}).size, 1);  // one item has no parts
  EXPECT_EQ(threads_for(8, 3, {.bytes = 1 << 30}).size, 3);
  EXPECT_EQ(threads_for(1, 1 << 30, {.bytes = 8}).size, 1);
  EXPECT_EQ(threads_for(0, 0, {}).size, 1);
  EXPECT_EQ(threads_for(2, std::int64_t{1} << 62, {.bytes = std::int64_t{1} << 50}).size, 2);  // no overflow
}

// A copy of 8 kB opened a region once.
TEST(Parallel, ASmallCopyNeedsNoThreads) {
  EXPECT_TRUE(holds_in_child([] {
    const ThreadLimit many(8);
    const Array<double> small = Array<double>(1000, 1.0).clone();
    const bool none = detail::ThreadPool::num_workers() == 0;
    const Array<double> large = Array<double>(8'000'000, 1.0).clone();
    const bool some = detail::cores_of_mask() < 2 || detail::ThreadPool::num_workers() > 0;  // also on a busy machine
    return none && some && small.size() < large.size();
  }));
}

}  // namespace
}  // namespace millrace::testing
