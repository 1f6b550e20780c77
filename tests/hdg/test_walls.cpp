// Curves along walls: their order, lengths, pressure and friction.
#include "millrace/hdg/walls.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>

#include "expect.hpp"
#include "hdg/hdg_tools.hpp"
#include "temporary_folder.hpp"

namespace millrace::test {
namespace {

using testing::error_of;

/// v = (2 y, 0), density 1, pressure 3.
void shear(const double* x, double* u) { u[0] = 1, u[1] = 2 * x[1], u[2] = 0, u[3] = 3 / 0.4 + 0.5 * u[1] * u[1]; }
/// A gas at rest.
void rest(const double*, double* u) { u[0] = 1, u[1] = u[2] = 0, u[3] = 3 / 0.4; }

TEST(HdgWalls, ShearOnAStraightWall) {
  const Mesh mesh = unit_mesh(2, 4);
  const hdg::TraceSpace space(mesh, 2);
  const hdg::Problem problem{hdg::make_equation(hdg::NavierStokes<2>{.reynolds = 50}),
                             on_all_sides(2, "dirichlet", shear)};
  const hdg::LocalSolver solver(space, problem);
  const hdg::State state = hdg::project(space, 4, shear);
  const auto curves = hdg::wall_curves(solver, state, {"y0", "y1", "x0"});
  ASSERT_EQ(curves.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const hdg::WallCurve& curve = curves[k];
    EXPECT_FALSE(curve.closed);
    EXPECT_NEAR(curve.length, 1, 1e-14);
    ASSERT_EQ(curve.points.size(), 4u * to_size(space.num_face_points()));
    double last = 0;
    for (const hdg::WallPoint& p : curve.points) {
      EXPECT_GT(p.s, last);
      last = p.s;
      EXPECT_NEAR(p.pressure, 3, 1e-12);
      // The gas is to the left: along y0 to larger x, along y1 to smaller x, along x0 to smaller y.
      EXPECT_NEAR(p.s, k == 0 ? p.x : k == 1 ? 1 - p.x : 1 - p.y, 1e-13);
      // mu dv/dy drags the lower wall along, and the upper one back: along s, both; the side x0 upwards, against it.
      EXPECT_NEAR(p.friction, k == 2 ? -2.0 / 50 : 2.0 / 50, 1e-12) << curve.group;
    }
  }
}

TEST(HdgWalls, AClosedCurveBeginsBehind) {
  const Mesh mesh = make_annulus(Cell::triangle, 1, 3, {.around = 16, .across = 3}, 3);
  const hdg::TraceSpace space(mesh, 2);
  hdg::Problem problem{hdg::make_equation(hdg::NavierStokes<2>{}), {}};
  for (const char* group : {"inner", "outer"}) problem.conditions.push_back({group, "dirichlet", rest});
  const hdg::LocalSolver solver(space, problem);
  const auto curves = hdg::wall_curves(solver, hdg::project(space, 4, rest), {"inner"});
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_TRUE(curves[0].closed);
  EXPECT_NEAR(curves[0].length, 2 * std::numbers::pi, 1e-3);
  EXPECT_GT(curves[0].points.front().x, 0.9);
  double last = -1;
  for (const hdg::WallPoint& p : curves[0].points) {
    EXPECT_GT(p.s, last);
    last = p.s;
    EXPECT_NEAR(std::hypot(p.x, p.y), 1, 1e-3);
    EXPECT_NEAR(p.pressure, 3, 1e-11);
    EXPECT_NEAR(p.friction, 0, 1e-11);
    // The gas is outside, so the way goes clockwise.
    const double angle = std::atan2(-p.y, p.x);
    EXPECT_NEAR(angle < 0 ? angle + 2 * std::numbers::pi : angle, p.s, 1e-2);
  }
}

TEST(HdgWalls, FilesAndErrors) {
  const Mesh mesh = unit_mesh(2, 2), cube = unit_mesh(3, 1);
  const hdg::TraceSpace space(mesh, 1), space3(cube, 1);
  const hdg::Problem problem{hdg::make_equation(hdg::NavierStokes<2>{}), on_all_sides(2, "dirichlet", rest)};
  const hdg::LocalSolver solver(space, problem);
  const TemporaryFolder folder("millrace-walls");
  const auto curves = hdg::wall_curves(solver, hdg::project(space, 4, rest), {"y0"});
  hdg::write_wall_table(folder.path() / "w.csv", curves);
  std::ifstream file(folder.path() / "w.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "group,part,s,x,y,pressure,friction");
  std::size_t lines = 0;
  while (std::getline(file, line)) {
    EXPECT_TRUE(line.starts_with("y0,0,")) << line;
    ++lines;
  }
  EXPECT_EQ(lines, curves[0].points.size());
  hdg::write_wall_plot(folder.path() / "w.svg", curves, "a < b");
  std::ifstream svg(folder.path() / "w.svg");
  std::stringstream text;
  text << svg.rdbuf();
  EXPECT_TRUE(text.str().starts_with("<svg") && text.str().find("a &lt; b") != std::string::npos);
  EXPECT_NE(error_of<IoError>([&] { hdg::write_wall_plot(folder.path() / "w.png", curves, ""); }).find(".svg"),
            std::string::npos);
  const hdg::Problem heat{hdg::make_equation(hdg::Poisson<2>{}), on_all_sides(2, "dirichlet", {})};
  const hdg::LocalSolver other(space, heat);
  EXPECT_NE(error_of<Unsupported>([&] {
              hdg::wall_curves(other, hdg::project(space, 1, [](const double*, double* u) { u[0] = 0; }), {"y0"});
            }).find("has no pressure"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::test
