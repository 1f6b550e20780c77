// How slow tests of orders of convergence say what they found: scripts/record_orders.py reads it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::test {

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
