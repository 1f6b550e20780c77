// The spread of diagonals.
#include "millrace/precond/multigrid/spread.hpp"

#include "expect.hpp"

namespace millrace::testing {
namespace {

template <class W>
double spread_of_values(const std::vector<W>& d) {
  std::vector<W> inverse;
  for (const W value : d) inverse.push_back(1 / value);
  Queue queue(Device::host(), 2);
  return multigrid::spread_of(queue, Array<W>(std::span<const W>(d)), Array<W>(std::span<const W>(inverse)));
}

TEST(Spread, IsOneOfEqualNumbersAndHalfOfAJump) {
  EXPECT_EQ(spread_of_values<double>({}), 1);
  EXPECT_NEAR(spread_of_values<double>({6}), 1, 1e-14);
  EXPECT_NEAR(spread_of_values(std::vector<float>(70000, 6.0F)), 1, 1e-4);
  std::vector<double> jumps(1000, 1.0);
  for (std::size_t i = 0; i < 500; ++i) jumps[2 * i] = 1e6;
  EXPECT_NEAR(spread_of_values(jumps), 5e5, 1);
  EXPECT_NEAR(spread_of_values<double>({1, 2}), 1.25, 1e-14);
  EXPECT_FALSE(spread_of_values<float>({1e-30F, 1e30F}) <= 1e6);  // squares are beyond a float's range
}

}  // namespace
}  // namespace millrace::testing
