// Flows with known solutions in tets: Couette's, whose upper wall moves askew, and Taylor and Couette's, in curved
// layers; and the drag of a cylinder between periodic sides, which is that of the plane.
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "known_flows.hpp"
#include "order_tools.hpp"

namespace millrace::test {

// The plane's example with a wall that moves along x and z: friction of both heats the gas.
std::string couette_in_space(int n) {
  return exchanged(text_of_example("couette.toml"),
                   {{"prandtl * y * (1 - y) / 2", "prandtl * (1 + slide^2) * y * (1 - y) / 2"},
                    {"warm = 1.05", "slide = 0.5\nwarm = 1.05"},
                    {"cells = [4, 4]", fmt::format("dim = 3\ncells = [{}, {}, {}]", n, n, n)},
                    {"velocity = [\"y\", 0]", "velocity = [\"y\", 0, \"slide * y\"]"},
                    {"velocity = [1, 0]", "velocity = [1, 0, \"slide\"]"}}) +
         "\n[boundary.z0]\nkind = \"dirichlet\"\n[boundary.z1]\nkind = \"dirichlet\"\n";
}

// One layer of tets as high as a cell is wide, whose top continues at its bottom.
std::string taylor_couette_in_space(int around, double height) {
  return exchanged(text_of_example("taylor_couette.toml"),
                   {{"around = 12\nacross = 3",
                     fmt::format("dim = 3\nheight = {}\naround = {}\nacross = {}", height, around, around / 4)}}) +
         "\n[periodic.z1]\npartner = \"z0\"\n";
}

// Runs from the exact solution need few steps.
double couette_error(int n, int p) {
  hdg::Case c = case_of(couette_in_space(n) + "[start]\nkind = \"exact\"\n", p);
  c.first_order = p;
  c.newton.cfl = 0;
  return whole_error(solved(c));
}

// Over the height, as the mass is.
double taylor_couette_error(int around, int p, double tolerance) {
  const double height = 4.0 / around;
  const auto exact = [=](double mass) { return taylor_couette(mass, height); };
  hdg::Case c = case_of(taylor_couette_in_space(around, height), p);
  c.start = exact(3 * M_PI * height);
  c.first_order = p;
  c.newton.cfl = 1e3;
  c.newton.tolerance = tolerance;
  return error_of_run(c, exact) / std::sqrt(height);
}

TEST(FlowsInSpace, CouetteConvergesWithItsOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  EXPECT_GE(std::log2(couette_error(2, 1) / couette_error(4, 1)), 1.6);
}

TEST(FlowsInSpace, TaylorCouetteConvergesWithItsOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  EXPECT_GE(std::log(taylor_couette_error(8, 1, 1e-5) / taylor_couette_error(12, 1, 1e-5)) / std::log(1.5), 1.6);
}

void expect_orders_in_space(const char* title, int geometry_order, const std::vector<int>& meshes,
                            double (*error)(int, int)) {
  for (int p = 1; p <= 3; ++p) {
    std::vector<double> errors;
    for (const int n : meshes) errors.push_back(error(n, p));
    for (std::size_t k = 1; k < meshes.size(); ++k)
      report_orders(title, p, geometry_order, fmt::format("{} to {}", meshes[k - 1], meshes[k]), k + 1 == meshes.size(),
                    {{"u", std::log(errors[k - 1] / errors[k]) / std::log(1.0 * meshes[k] / meshes[k - 1]), p + 0.6}});
  }
}

TEST(SlowHdg, CouetteInSpace) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  expect_orders_in_space("couette.toml, 3D", 1, {2, 4, 6}, couette_error);
}

TEST(SlowHdg, TaylorCouetteInSpace) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  expect_orders_in_space("taylor_couette.toml, 3D", 4, {8, 16, 24},
                         [](int n, int p) { return taylor_couette_error(n, p, 1e-9); });
}

// The same triangles, extruded. `around` cells along the wall, `across` to a far boundary at 30 radii.
double cylinder_drag(int around, int across, double height, int p, double tolerance = 1e-10) {
  const std::string plane =
      exchanged(text_of_example("cylinder.toml"),
                {{"mirrored = true\n", ""},
                 {"around = 32\nacross = 20\nfar = 60\nfirst_height = 0.03",
                  fmt::format("around = {}\nacross = {}\nfar = 15\nfirst_height = {}", around, across, 2.0 / around)}});
  const std::string text =
      height == 0 ? plane
                  : exchanged(plane, {{"around =", fmt::format("dim = 3\nheight = {}\naround =", height)}}) +
                        fmt::format("[periodic.z1]\npartner = \"z0\"\n[forces]\narea = {}\n", height);
  hdg::Case c = case_of(text, p);
  c.newton.tolerance = tolerance;
  return solved(c).orders.back().coefficients.drag;
}

TEST(FlowsInSpace, ACylinderBetweenPeriodicSidesHasNearlyTheDragOfThePlane) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const double plane = cylinder_drag(6, 3, 0, 1, 1e-3);
  EXPECT_NEAR(cylinder_drag(6, 3, 0.5, 1, 1e-3), plane, 0.1 * plane);
}

TEST(SlowFlowsInSpace, ACylinderBetweenPeriodicSidesHasTheDragOfThePlane) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const double plane = cylinder_drag(24, 12, 0, 2), layer = cylinder_drag(24, 12, 0.25, 2);
  fmt::print("drag of a cylinder: {:.5f} in the plane, {:.5f} in a layer of tets\n", plane, layer);
  EXPECT_NEAR(plane, 1.55, 0.1);
  EXPECT_NEAR(layer, plane, 0.005 * plane);
}

}  // namespace millrace::test
