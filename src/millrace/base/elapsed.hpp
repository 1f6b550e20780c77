// Seconds of wall clock since a moment, for reports. Work on a queue is timed by timer.hpp.
#pragma once

#include <chrono>

namespace millrace {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace millrace
