// Queues and their scratch memory.
#include "expect.hpp"
#include "millrace/base/queue.hpp"

namespace millrace::testing {
namespace {

TEST(QueueHost, ScratchIsReusedAndNested) {
  Queue queue;
  const void* first = nullptr;
  {
    const auto a = queue.scratch<double>(100);
    const auto b = queue.scratch<double>(100);
    EXPECT_NE(a.data(), b.data());
    first = a.data();
  }
  const auto again = queue.scratch<char>(10);
  EXPECT_EQ(static_cast<const void*>(again.data()), first);
  EXPECT_EQ(again.size(), 10);
  EXPECT_EQ(Queue(Device::host(), 3).num_threads(), 3);
  EXPECT_NE(error_of([] { Queue(Device::host(), -1); }).find("-1 threads were asked for"), std::string::npos);
}

// 2^61 + 1 numbers of 8 bytes are 8 bytes, counted modulo 2^64.
TEST(QueueHost, ScratchOfAnImpossibleSizeIsRefused) {
  Queue queue;
  const std::int64_t most = std::int64_t{1} << 61;
  EXPECT_EQ(error_of([&] { queue.scratch<double>(most + 1); }),
            "queue: scratch memory for 2305843009213693953 entries of 8 bytes is not possible");
  EXPECT_EQ(error_of([&] { queue.scratch<char>(-1); }),
            "queue: scratch memory for -1 entries of 1 bytes is not possible");
  EXPECT_EQ(queue.scratch<double>(0).size(), 0);
}

}  // namespace
}  // namespace millrace::testing
