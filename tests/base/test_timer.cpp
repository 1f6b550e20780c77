// Samples and timing.
#include "expect.hpp"
#include "millrace/base/timer.hpp"

namespace millrace::testing {
namespace {

TEST(Timer, QuantilesAndCounts) {
  const Samples samples{{3, 1, 2, 5, 4}};
  EXPECT_EQ(samples.median(), 3);
  EXPECT_EQ(samples.fastest(), 1);
  EXPECT_DOUBLE_EQ(samples.spread(), (4.0 - 2.0) / 2 / 3);
  Queue queue;
  int runs = 0;
  const Samples timed =
      time(queue, [&] { ++runs; }, {.warm_ups = 2, .min_runs = 5, .max_runs = 5, .max_seconds = 0, .cold = true});
  EXPECT_EQ(runs, 7);
  EXPECT_EQ(timed.seconds.size(), 5u);
}

TEST(Timer, AGraphNeedsAGpu) {
  Queue queue;
  int runs = 0;
  EXPECT_THROW(Graph(queue, [&] { ++runs; }), Unsupported);
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace millrace::testing
