// Round numbers along an axis or a colour bar.
#pragma once

#include <string>
#include <vector>

namespace millrace::picture {

struct Tick {
  double value;
  std::string text;
};

/// Multiples of 1, 2 or 5 times a power of ten inside [low, high], about `wanted` of them, with texts of equal length
/// behind the point. low < high.
std::vector<Tick> round_ticks(double low, double high, int wanted);

}  // namespace millrace::picture
