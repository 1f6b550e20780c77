// Orders of convergence on periodic squares and cubes, on three meshes each. Minutes: ctest -R SlowHdg.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "order_tools.hpp"
#include "periodic_tools.hpp"

namespace millrace::test {

// The order of u between each mesh and the next; the last pair must reach it.
void expect_periodic_orders(const Made& made, int p, const std::vector<int>& meshes, double least) {
  const int dim = made.equation->dim();
  std::vector<double> errors;
  for (const int n : meshes) errors.push_back(periodic_errors(made, periodic_mesh(dim, n), p).u);
  for (std::size_t k = 1; k < meshes.size(); ++k) {
    const bool finest = k + 1 == meshes.size();
    const double order = std::log(errors[k - 1] / errors[k]) / std::log(static_cast<double>(meshes[k]) / meshes[k - 1]);
    report_orders(fmt::format("{}, {}D, periodic", made.equation->name(), dim), p, 1,
                  fmt::format("{} to {}", meshes[k - 1], meshes[k]), finest, {{"u", order, least}});
  }
}

TEST(SlowHdg, PeriodicSquares) {
  for (int p = 1; p <= 4; ++p) {
    expect_periodic_orders(periodic_wave(2), p, {4, 8, 16}, p + 0.6);
    expect_periodic_orders(periodic_flow(2), p, {4, 8, 16}, p + 0.6);
  }
}

TEST(SlowHdg, PeriodicCubes) {
  for (int p = 1; p <= 3; ++p) {
    expect_periodic_orders(periodic_wave(3), p, {2, 4, 8}, p + 0.6);
    expect_periodic_orders(periodic_flow(3), p, p == 1 ? std::vector{4, 6, 8} : std::vector{3, 4, 6}, p + 0.6);
  }
}

}  // namespace millrace::test
