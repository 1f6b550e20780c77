// Patches of plane meshes and of cuts: they cover what they should, lie where the cell's map puts them, and lines say
// what is on the boundary.
#include "millrace/mesh/patches.hpp"

#include <numbers>

#include "mesh_tools.hpp"

namespace millrace::testing {
namespace {

double patch_area(const Patch& p) {
  return ((p.places[1][0] - p.places[0][0]) * (p.places[2][1] - p.places[0][1]) -
          (p.places[1][1] - p.places[0][1]) * (p.places[2][0] - p.places[0][0])) /
         2;
}

double total_area(const PlaneFigure& figure) {
  double sum = 0;
  for (const Patch& p : figure.patches) {
    EXPECT_GE(patch_area(p), 0);
    sum += patch_area(p);
  }
  return sum;
}

double boundary_length(const PlaneFigure& figure) {
  double sum = 0;
  for (const PlaneLine& line : figure.lines)
    for (std::size_t i = 1; line.on_boundary && i < line.places.size(); ++i)
      sum += std::hypot(line.places[i][0] - line.places[i - 1][0], line.places[i][1] - line.places[i - 1][1]);
  return sum;
}

Point mapped(const Mesh& mesh, Index number, const Point& xi) {
  for (const CellBlock& block : mesh.blocks) {
    if (number < block.num_cells())
      return map_point(mesh, block.nodes_of(number), tabulate_geometry(block.cell, block.order, {&xi, 1}), 0);
    number -= block.num_cells();
  }
  ADD_FAILURE() << "cell " << number << " is none of the mesh";
  return {};
}

// Corners lie where the map of their cell puts them, and in the plane.
double worst_corner(const Mesh& mesh, const PlaneFigure& figure, const Plane& plane) {
  double worst = 0;
  const std::size_t every = 1 + figure.patches.size() / 2000;  // enough of them
  for (std::size_t i = 0; i < figure.patches.size(); i += every)
    for (std::size_t k = 0; k < 3; ++k) {
      const Patch& p = figure.patches[i];
      const Point x = mapped(mesh, p.cell, p.xi[k]);
      worst = std::max(worst, distance(x, plane.at(p.places[k])));
    }
  return worst;
}

Mesh two_kinds() {  // a quad and a triangle side by side
  Mesh mesh = make_box(Cell::quad, {1, 1, 0});
  const double places[] = {0, 0, 1, 0, 0, 1, 1, 1, 2, 0};
  mesh.points = Array<double>(Device::host(), 10);
  std::copy(std::begin(places), std::end(places), mesh.points.data());
  CellBlock triangle{Cell::triangle, 1, Array<Index>(Device::host(), 3), Array<std::int32_t>(Device::host(), 1)};
  const Index nodes[] = {1, 4, 3};
  std::copy(std::begin(nodes), std::end(nodes), triangle.nodes.data());
  triangle.tag.data()[0] = 0;
  mesh.blocks.push_back(std::move(triangle));
  mesh.boundary.clear();
  return mesh;
}

TEST(Patches, CoverStraightMeshesExactly) {
  for (const Cell cell : {Cell::triangle, Cell::quad})
    for (const int order : {1, 3}) {
      const Mesh mesh = make_box(cell, {4, 3, 0}, {{0, 0, 0}, {2, 1, 0}}, order);
      const PlaneFigure figure = patches_of(mesh);
      EXPECT_EQ(figure.patches.size(), 24u);  // straight cells are not subdivided
      EXPECT_NEAR(total_area(figure), 2, 1e-13);
      EXPECT_NEAR(boundary_length(figure), 6, 1e-13);
      EXPECT_EQ(figure.lines.size(), cell == Cell::quad ? 31u : 43u);
      for (const PlaneLine& line : figure.lines) EXPECT_EQ(line.places.size(), 2u);
      EXPECT_EQ(figure.lower, (Place{0, 0}));
      EXPECT_EQ(figure.upper, (Place{2, 1}));
      EXPECT_LT(worst_corner(mesh, figure, Plane{}), 1e-14);
    }
}

TEST(Patches, FollowCurvedCellsToTheTolerance) {
  for (const Cell cell : {Cell::triangle, Cell::quad})
    for (const int order : {2, 3, 4}) {
      const Mesh mesh = make_annulus(cell, 1, 2, {.around = 8, .across = 2}, order);
      for (const double tolerance : {1e-2, 1e-4}) {
        const PlaneFigure figure = patches_of(mesh, {.tolerance = tolerance});
        const double length = 2 * std::numbers::pi * 3;
        EXPECT_NEAR(total_area(figure), measure(mesh).volume, tolerance * length);
        EXPECT_LT(worst_corner(mesh, figure, Plane{}), 1e-13);
        // Lines and patches stay near the circles of the mesh, which itself is near the true ones.
        for (const PlaneLine& line : figure.lines)
          if (line.on_boundary)
            for (std::size_t i = 1; i < line.places.size(); ++i) {
              const double r = std::hypot((line.places[i][0] + line.places[i - 1][0]) / 2,
                                          (line.places[i][1] + line.places[i - 1][1]) / 2);
              EXPECT_LT(std::min(std::abs(r - 1), std::abs(r - 2)), tolerance + (order == 2 ? 0.01 : 2e-3));
            }
        EXPECT_EQ(figure.lines.size(), cell == Cell::quad ? 40u : 56u);
      }
      EXPECT_GT(patches_of(mesh, {.tolerance = 1e-4}).patches.size(),
                4 * patches_of(mesh, {.tolerance = 1e-2}).patches.size());
    }
}

TEST(Patches, CellsAreNumberedOverAllBlocks) {
  const Mesh mesh = two_kinds();
  const PlaneFigure figure = patches_of(mesh, {.subdivisions = 3});
  EXPECT_EQ(figure.patches.size(), 18u + 9u);
  EXPECT_NEAR(total_area(figure), 1.5, 1e-14);
  EXPECT_LT(worst_corner(mesh, figure, Plane{}), 1e-15);
  EXPECT_EQ(figure.patches.front().cell, 0);
  EXPECT_EQ(figure.patches.back().cell, 1);
  EXPECT_EQ(figure.lines.size(), 6u);
  EXPECT_NEAR(boundary_length(figure), 4 + std::sqrt(2.0), 1e-14);
}

TEST(Patches, AxesOfPlanes) {
  const auto expect_axes = [](const Point& normal, const Point& right, const Point& up) {
    for (const double sign : {2.0, -1.0}) {
      const Plane plane = make_plane({3, 4, 5}, {sign * normal[0], sign * normal[1], sign * normal[2]});
      EXPECT_LT(distance(plane.right, right), 1e-15);
      EXPECT_LT(distance(plane.up, up), 1e-15);
      EXPECT_NEAR(plane.distance({3, 4, 5}), 0, 1e-14);
      EXPECT_LT(distance(plane.at(plane.place({3, 4, 5})), {3, 4, 5}), 1e-14);
    }
  };
  const double h = std::sqrt(0.5);
  expect_axes({0, 0, 1}, {1, 0, 0}, {0, 1, 0});
  expect_axes({0, 1, 0}, {1, 0, 0}, {0, 0, 1});
  expect_axes({1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  expect_axes({1, 1, 0}, {h, -h, 0}, {0, 0, 1});
  expect_axes({1, 0, 1}, {h, 0, -h}, {0, 1, 0});
  EXPECT_EQ(make_plane({9, 8, 0.25}, {0, 0, 1}).place({3, 4, 0.25}), (Place{3, 4}));
}

TEST(Cut, BoxesAtAnyPlane) {
  for (const Cell cell : {Cell::tet, Cell::hex}) {
    const Mesh mesh = make_box(cell, {4, 3, 5}, {{0, 0, 0}, {2, 1, 1}});
    struct Case {
      Point point, normal;
      double area, length;
    };
    for (const Case& one :
         {Case{{0, 0, 0.37}, {0, 0, 1}, 2, 6}, Case{{0, 0.4, 0}, {0, -1, 0}, 2, 6}, Case{{0.7, 0, 0}, {3, 0, 0}, 1, 4},
          Case{{0, 0.5, 0.5}, {0, 1, 1}, 2 * std::sqrt(2.0), 4 + 2 * std::sqrt(2.0)},
          // through the middle, along x + y = 1.5
          Case{{1, 0.5, 0}, {1, 1, 0}, std::sqrt(2.0), 2 + 2 * std::sqrt(2.0)}}) {
      const Plane plane = make_plane(one.point, one.normal);
      const PlaneFigure figure = cut(mesh, plane);
      EXPECT_NEAR(total_area(figure), one.area, 1e-12) << name(cell);
      EXPECT_NEAR(boundary_length(figure), one.length, 1e-11) << name(cell);
      EXPECT_LT(worst_corner(mesh, figure, plane), 1e-13);
    }
  }
}

TEST(Cut, PlanesAlongFacesShowThemOnce) {
  for (const Cell cell : {Cell::tet, Cell::hex})
    for (const int order : {1, 2}) {
      const Mesh mesh = make_box(cell, {2, 2, 2}, {}, order);
      for (const double z : {0.0, 0.5, 1.0})
        for (const double sign : {1.0, -1.0}) {
          const PlaneFigure figure = cut(mesh, make_plane({0, 0, z}, {0, 0, sign}));
          EXPECT_NEAR(total_area(figure), 1, 1e-13) << name(cell) << " at " << z;
          EXPECT_NEAR(boundary_length(figure), 4, 1e-12) << name(cell) << " at " << z;
        }
      EXPECT_TRUE(cut(mesh, make_plane({0, 0, 1.01}, {0, 0, 1})).patches.empty());
      EXPECT_TRUE(cut(mesh, make_plane({0, 0, -1e9}, {0, 0, 1})).lines.empty());
    }
}

// The cube as a ball: every layer of cubes around the middle becomes a sphere.
Point to_ball(const Point& x) {
  const double a = 2 * x[0] - 1, b = 2 * x[1] - 1, c = 2 * x[2] - 1;
  return {a * std::sqrt(1 - b * b / 2 - c * c / 2 + b * b * c * c / 3),
          b * std::sqrt(1 - c * c / 2 - a * a / 2 + c * c * a * a / 3),
          c * std::sqrt(1 - a * a / 2 - b * b / 2 + a * a * b * b / 3)};
}

TEST(Cut, BallsOfCurvedCells) {
  for (const Cell cell : {Cell::tet, Cell::hex})
    for (const int order : {2, 4}) {
      Mesh mesh = make_box(cell, {3, 3, 3}, {}, order);
      deform(mesh, to_ball);
      for (const double at : {0.0, 0.3}) {
        const Plane plane = make_plane({at * 2 / 3, at * 2 / 3, at / 3}, {2, 2, 1});
        const PlaneFigure figure = cut(mesh, plane, {.tolerance = 2e-3});
        const double geometry = order == 2 ? 0.03 : 4e-3;
        EXPECT_NEAR(total_area(figure), std::numbers::pi * (1 - at * at), geometry) << name(cell) << order;
        EXPECT_NEAR(boundary_length(figure), 2 * std::numbers::pi * std::sqrt(1 - at * at), 2 * geometry);
        EXPECT_LT(worst_corner(mesh, figure, plane), 1e-13);
      }
    }
}

TEST(Cut, BentBoxesKeepTheAreaWhateverTheOrderOfPoints) {
  for (const Cell cell : {Cell::tet, Cell::hex}) {
    Mesh mesh = make_box(cell, {3, 3, 3}, {}, 3);
    deform(mesh, bend);
    const Plane plane = make_plane({0.5, 0.5, 0.5}, {1, 2, 3});
    const double area = total_area(cut(mesh, plane, {.tolerance = 1e-3}));
    shuffle_points(mesh, 5);
    turn_cells(mesh, 7);
    EXPECT_NEAR(total_area(cut(mesh, plane, {.tolerance = 1e-3})), area, 2e-3);
    EXPECT_NEAR(total_area(cut(mesh, plane, {.tolerance = 1e-4})), area, 2e-3);
  }
}

double all_length(const PlaneFigure& figure) {
  double sum = 0;
  for (const PlaneLine& line : figure.lines)
    for (std::size_t i = 1; i < line.places.size(); ++i)
      sum += std::hypot(line.places[i][0] - line.places[i - 1][0], line.places[i][1] - line.places[i - 1][1]);
  return sum;
}

TEST(Clip, WindowsOfStraightCells) {
  for (const Cell cell : {Cell::triangle, Cell::quad}) {
    const Mesh mesh = make_box(cell, {5, 4, 0}, {{0, 0, 0}, {2, 1, 0}});
    const PlaneFigure whole = patches_of(mesh);
    struct Case {
      Place lower, upper;
      double area, length;  // of the window and of the boundary in it
    };
    for (const Case& one :
         {Case{{-1, -1}, {3, 3}, 2, 6}, Case{{0.31, 0.17}, {1.43, 0.66}, 1.12 * 0.49, 0},
          Case{{0.8, -1}, {3, 2}, 1.2, 3.4}, Case{{0.41, 0.26}, {0.42, 0.27}, 1e-4, 0}, Case{{2.5, 0}, {3, 1}, 0, 0}}) {
      const PlaneFigure figure = clip(whole, one.lower, one.upper);
      EXPECT_NEAR(total_area(figure), one.area, 1e-14);
      EXPECT_NEAR(boundary_length(figure), one.length, 1e-13);
      EXPECT_LT(worst_corner(mesh, figure, Plane{}), 1e-14);
      for (std::size_t d = 0; d < 2 && !figure.patches.empty(); ++d) {
        EXPECT_DOUBLE_EQ(figure.lower[d], std::max(one.lower[d], 0.0));
        EXPECT_DOUBLE_EQ(figure.upper[d], std::min(one.upper[d], d == 0 ? 2.0 : 1.0));
      }
    }
    EXPECT_TRUE(clip(whole, {2.5, 0}, {3, 1}).lines.empty());
  }
}

// Windows that share sides take a curved figure apart, patches and lines.
TEST(Clip, PiecesMakeTheWhole) {
  Mesh mesh = make_box(Cell::triangle, {4, 4, 0}, {}, 3);
  deform(mesh, bend);
  const PlaneFigure whole = patches_of(mesh);
  double area = 0, length = 0;
  for (const double x : {-1.0, 0.347})
    for (const double y : {-1.0, 0.511}) {
      const PlaneFigure piece = clip(whole, {x, y}, {x < 0 ? 0.347 : 3, y < 0 ? 0.511 : 3});
      area += total_area(piece);
      length += all_length(piece);
    }
  EXPECT_NEAR(area, total_area(whole), 1e-12);
  EXPECT_NEAR(length, all_length(whole), 1e-11);
  EXPECT_NE(error_of([&] { clip(whole, {0, 1}, {1, 1}); }).find("a window from 1 to 1 upwards"), std::string::npos);
  EXPECT_NE(error_of([&] { clip(whole, {NAN, 0}, {1, 1}); }).find("to the right"), std::string::npos);
}

TEST(Patches, ErrorsAndEmptyMeshes) {
  const Mesh plane = make_box(Cell::quad, {1, 1, 0}), space = make_box(Cell::hex, {1, 1, 1});
  EXPECT_NE(error_of([&] { patches_of(space); }).find("patches_of: the mesh has the dimension 3"), std::string::npos);
  EXPECT_NE(error_of([&] { cut(plane, Plane{}); }).find("cut: the mesh has the dimension 2"), std::string::npos);
  EXPECT_NE(error_of([&] { patches_of(plane, {.tolerance = -1}); }).find("the tolerance is -1"), std::string::npos);
  EXPECT_NE(error_of([&] { patches_of(plane, {.subdivisions = 65}); }).find("65 subdivisions of a cell; 1 to 64"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_plane({0, 0, 0}, {0, 0, 0});
            }).find("the normal (0, 0, 0) has no direction"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_plane({0, 0, HUGE_VAL}, {0, 0, 1});
            }).find("a coordinate of its point is inf"),
            std::string::npos);
  Mesh empty;
  empty.dim = 2;
  EXPECT_TRUE(patches_of(empty).patches.empty());
  empty.dim = 3;
  EXPECT_TRUE(cut(empty, Plane{}).patches.empty());
}

}  // namespace
}  // namespace millrace::testing
