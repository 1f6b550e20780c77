// The nearest of some names: one letter in three may differ.
#include "millrace/io/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace millrace::testing {

TEST(NearestName, FindsWhatWasMistyped) {
  const std::vector<std::string> names{"sin", "sinh", "sqrt", "boundary", "x"};
  EXPECT_EQ(nearest_name("sni", names), "sin");            // exchanged
  EXPECT_EQ(nearest_name("sinhh", names), "sinh");         // one too many
  EXPECT_EQ(nearest_name("sqr", names), "sqrt");           // one missing
  EXPECT_EQ(nearest_name("bxundory", names), "boundary");  // two wrong
  EXPECT_EQ(nearest_name("sin", names), "sin");
  EXPECT_EQ(nearest_name("q", names), "");  // a single letter is like no other
  EXPECT_EQ(nearest_name("table", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 's'), names), "");
  EXPECT_EQ(nearest_name("sin", {}), "");
}

}  // namespace millrace::testing
