// Memory of the process.
#include "expect.hpp"
#include "millrace/base/array.hpp"
#include "millrace/base/resident.hpp"

namespace millrace::testing {
namespace {

TEST(Resident, SeesWhatAnArrayHasAndThePeakAfterIt) {
  if (resident_bytes() == 0) GTEST_SKIP() << "this system does not say";
  constexpr double size = 96e6, other = 4e6;  // the second: whatever else is taken meanwhile
  forget_peak();
  const double before = resident_bytes();
  {
    const Array<char> array(static_cast<std::int64_t>(size));
    EXPECT_NEAR(resident_bytes(), before + size, other);
  }
  EXPECT_NEAR(resident_bytes(), before, other);
  EXPECT_GT(peak_resident_bytes(), before + size - other);
}

}  // namespace
}  // namespace millrace::testing
