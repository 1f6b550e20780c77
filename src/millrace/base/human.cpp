// Numbers in few digits, with the unit that fits.
#include "millrace/base/human.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace millrace {
namespace {

// 1.23, 12.3, 123: rounded before the place of the point is chosen.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

std::string count_text(std::int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool between = i > (count < 0 ? 1u : 0u) && (digits.size() - i) % 3 == 0;
    if (between) text += ',';
    text += digits[i];
  }
  return text;
}

std::string bytes_text(double bytes) {
  static constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : three_digits(bytes) + ' ' + units[unit];
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", share * 100); }

}  // namespace millrace
