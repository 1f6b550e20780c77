// The bandwidth measurement checks its own sums; here only that its figures are figures.
#include "millrace/tune/bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "millrace/base/error.hpp"

namespace millrace {
namespace {

// No ratio between them is promised: on a busy machine any of the three may be slow.
void expect_sane(const Bandwidth& found) {
  for (const double figure : {found.read, found.copy, found.triad}) {
    EXPECT_GT(figure, 1e6);  // bytes per second, not gigabytes
    EXPECT_TRUE(std::isfinite(figure));
  }
  EXPECT_GT(found.launch_seconds, 0);
  EXPECT_LT(found.launch_seconds, 1);
}

TEST(Bandwidth, OfTheHostIsPositive) {
  for (const int threads : {1, 2, 3}) {
    Queue queue(Device::host(), threads);
    expect_sane(measure_bandwidth(queue, 16 << 20));
  }
}

TEST(Bandwidth, AnySizeWillDo) {
  Queue queue(Device::host(), 2);
  for (const std::int64_t bytes : {1, 1535, 1536, 1537, 1 << 20}) EXPECT_GT(measure_bandwidth(queue, bytes).read, 0);
  EXPECT_THROW(measure_bandwidth(queue, -1), Error);
}

TEST(GpuBandwidth, IsPositive) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here";
  Queue queue(Device::gpu());
  expect_sane(measure_bandwidth(queue, 256 << 20));
  for (const std::int64_t bytes : {1, 96, 192, 1 << 20}) EXPECT_GT(measure_bandwidth(queue, bytes).read, 0);
}

}  // namespace
}  // namespace millrace
