// Steps by their leading digit; numbers far from 1 get an exponent.
#include "millrace/io/picture/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace millrace::picture {
namespace {

constexpr double slack = 1e-9;

double round_step(double raw) {
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw * (1 - slack)) return factor * power;
  return 10 * power;
}

// "1.50e-07" to "1.50e-7".
std::string short_exponent(std::string text) {
  const auto e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  return text.substr(0, e) + fmt::format("e{}", exponent);
}

}  // namespace

std::vector<Tick> round_ticks(double low, double high, int wanted) {
  const double step = round_step(high / wanted - low / wanted);
  const double largest = std::max(std::abs(low), std::abs(high));
  constexpr double plain_below = 1e5, plain_from = 1e-3;
  constexpr int most_digits = 12;
  const int step_digit = static_cast<int>(std::floor(std::log10(step) + slack));
  const bool exponent = largest >= plain_below || largest < plain_from;
  std::vector<Tick> ticks;
  const double first = std::ceil(low / step - slack), last = std::floor(high / step + slack);
  for (double k = first; k <= last && ticks.size() < 100; ++k) {
    const double value = k * step;
    if (k == 0) {
      ticks.push_back({0, "0"});
    } else if (exponent) {
      const int own_digit = static_cast<int>(std::floor(std::log10(std::abs(value)) + slack));
      ticks.push_back(
          {value, short_exponent(fmt::format("{:.{}e}", value, std::clamp(own_digit - step_digit, 0, most_digits)))});
    } else {
      ticks.push_back({value, fmt::format("{:.{}f}", value, std::clamp(-step_digit, 0, most_digits))});
    }
  }
  return ticks;
}

}  // namespace millrace::picture
