// Errors of steps in time, and how slow tests of orders of convergence say what they found: scripts/record_orders.py
// reads it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::test {

/// Of two sizes of the step, against numbers that far smaller steps gave; numbers_with(step) has those of a step.
template <class NumbersWith>
std::array<double, 2> errors_of_steps(const std::vector<double>& fine, const std::array<double, 2>& steps,
                                      NumbersWith&& numbers_with) {
  std::array<double, 2> errors{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> found = numbers_with(steps[k]);
    for (std::size_t i = 0; i < fine.size(); ++i) errors[k] += std::pow(found[i] - fine[i], 2);
    errors[k] = std::sqrt(errors[k]);
  }
  return errors;
}

/// One line for the script, and on the finest pair of meshes the test itself. Orders have a name, what was found, and
/// the least that is right.
inline void report_orders(const std::string& title, int p, int geometry_order, const std::string& meshes, bool finest,
                          const std::vector<std::tuple<const char*, double, double>>& orders) {
  std::string found, wanted;
  for (const auto& [name, order, least] : orders) {
    found += fmt::format("{}\"{}\": {:.3f}", found.empty() ? "" : ", ", name, order);
    wanted += fmt::format("{}\"{}\": {:.1f}", wanted.empty() ? "" : ", ", name, least);
    if (!finest) continue;
    EXPECT_GE(order, least) << name << " of " << title << ", order " << p << ", geometry " << geometry_order;
  }
  fmt::print(
      R"(orders: {{"case": "{}", "order": {}, "geometry": {}, "meshes": "{}", "found": {{{}}}, "wanted": {{{}}}}})"
      "\n",
      title, p, geometry_order, meshes, found, finest ? wanted : "");
  std::fflush(stdout);
}

}  // namespace millrace::test
