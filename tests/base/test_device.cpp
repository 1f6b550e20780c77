// Names and facts of devices.
#include "expect.hpp"
#include "millrace/base/device.hpp"

namespace millrace::testing {
namespace {

TEST(DeviceName, ParsesAndPrints) {
  EXPECT_TRUE(parse_device("cpu").on_host());
  EXPECT_TRUE(parse_device("host").on_host());
  EXPECT_EQ(to_string(Device::gpu(3)), "gpu:3");
  for (const char* wrong : {"", "gpu:", "gpu:x", "gpu1", "tpu", "cuda:-1"})
    EXPECT_NE(error_of([&] { parse_device(wrong); }).find("unknown device '"), std::string::npos) << wrong;
  EXPECT_GT(facts(Device::host()).memory_bytes, 0);
  EXPECT_GT(facts(Device::host()).num_units, 0);
}

}  // namespace
}  // namespace millrace::testing
