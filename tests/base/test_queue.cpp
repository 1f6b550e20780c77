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

}  // namespace
}  // namespace millrace::testing
