// Errors, their texts, and dispatch.
#include <cmath>

#include "expect.hpp"
#include "millrace/base/dispatch.hpp"

namespace millrace::testing {
namespace {

TEST(Require, JoinsItsPartsAndKeepsThePlace) {
  require(true, "not thrown");
  try {
    require<IoError>(1 > 2, "row ", 7, " of ", std::string("A"), ": ", 0.5, ' ', true);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "row 7 of A: 0.5 1");
    EXPECT_NE(std::string(error.place().file_name()).find("test_error.cpp"), std::string::npos);
  }
}

TEST(Require, ANumberThatIsNoneHasNoSign) {
  const double nan = std::nan("");
  EXPECT_EQ(join(nan, ' ', -nan, ' ', -2.5), "nan nan -2.5");
}

TEST(Dispatch, CallsTheValueOrListsTheKnown) {
  int called = 0;
  dispatch<1, 2, 4>("width", 2, [&]<int V>() { called = V; });
  EXPECT_EQ(called, 2);
  EXPECT_EQ(error_of<Unsupported>([] { dispatch<1, 2, 4>("width", 3, []<int>() {}); }),
            "width = 3 is not compiled in; compiled values are: 1 2 4");
}

}  // namespace
}  // namespace millrace::testing
