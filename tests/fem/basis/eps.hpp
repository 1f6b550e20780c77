// The distance from 1 to the next double, in which tests of rules and bases state their bounds.
#pragma once

#include <limits>

namespace millrace::testing {

inline constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace millrace::testing
