// Rings and meshes around bodies: areas, closed boundaries, tags, positive Jacobians for every cell and order.
#include <numbers>
#include <set>

#include "mesh/mesh_tools.hpp"

namespace millrace {
namespace {
using namespace testing;

constexpr double pi = std::numbers::pi;
constexpr double naca_0012_area = 0.081706;  // the integral of its thickness

// Every face on the boundary has a tag, tagged faces are on the boundary, and it is closed.
void expect_closed(const Mesh& mesh) {
  check(mesh);
  check_jacobians(mesh);
  const Topology topology = make_topology(mesh);
  EXPECT_EQ(std::ssize(topology.boundary_faces), mesh.num_boundary_faces());
  Point sum{};
  for (const Index f : topology.boundary_faces) {
    EXPECT_NE(mesh.name_of(mesh.dim - 1, topology.face_tags[at(f)]), "");
    const FaceSide side = topology.face_sides[at(f)][0];
    const Point area = outward_area(mesh, mesh.blocks[0], side.cell, side.face);
    for (std::size_t d = 0; d < 3; ++d) sum[d] += area[d];
  }
  EXPECT_LT(distance(sum, {}), 1e-11);
}

// Largest distance of nodes with a tag from what `wrong` measures.
template <class F>
double worst_on(const Mesh& mesh, const char* group, F&& wrong) {
  double worst = 0;
  Index found = 0;
  const std::int32_t tag = mesh.tag_of(mesh.dim - 1, group);
  for (const BoundaryBlock& block : mesh.boundary)
    for (Index f = 0; f < block.num_cells(); ++f)
      if (block.tag.data()[f] == tag) {
        ++found;
        for (const Index p : block.nodes_of(f)) worst = std::max(worst, std::abs(wrong(mesh.point(p))));
      }
  EXPECT_GT(found, 0) << group;
  return worst;
}

double radius(const Point& x) { return std::hypot(x[0], x[1]); }

// Curves of order 1, 2, 3, 4 enclose an area with an error of h^2, h^4, h^4, h^6.
template <class Make>
void expect_area_converges(Make&& make, double exact) {
  for (const Cell cell : {Cell::triangle, Cell::quad})
    for (int order = 1; order <= 4; ++order) {
      const double coarse = measure(make(cell, 24, order)).volume - exact,
                   fine = measure(make(cell, 48, order)).volume - exact;
      const int rate = order == 1 ? 2 : order < 4 ? 4 : 6;
      EXPECT_GT(std::abs(coarse / fine), 0.9 * std::pow(2, rate)) << name(cell) << " of order " << order;
      EXPECT_LT(std::abs(fine), 0.01 * exact);
    }
}

// In space a mesh is that of the plane times the height.
template <class Make>
void expect_sound(Make&& make, std::initializer_list<Cell> cells) {
  for (const Cell cell : cells)
    for (int order = 1; order <= 4; ++order) {
      SCOPED_TRACE(join(name(cell), " of order ", order));
      const Mesh mesh = make(cell, 24, order);
      expect_closed(mesh);
      if (mesh.dim == 2) continue;
      const Mesh plane = make(face_cell(cell), 24, order);
      EXPECT_NEAR(measure(mesh).volume, 0.5 * measure(plane).volume, 1e-12 * measure(plane).volume);
    }
}

AroundOptions options_for(int around) {
  return {.around = around,
          .across = around / 4,
          .wake = around / 4,
          .far = 6,
          .wake_length = 5,
          .growth = std::pow(1.3, 48.0 / around),
          .height = 0.5};
}

TEST(Annulus, AreaBoundaryAndTags) {
  const auto make = [](Cell cell, int n, int order) { return make_annulus(cell, 1, 2, options_for(n), order); };
  expect_sound(make, {Cell::triangle, Cell::quad, Cell::tet, Cell::hex});
  expect_area_converges(make, 3 * pi);
  for (int order = 1; order <= 4; ++order) {
    const Mesh mesh = make(Cell::hex, 12, order);
    EXPECT_LT(worst_on(mesh, "inner", [](const Point& x) { return radius(x) - 1; }), 1e-14);
    EXPECT_LT(worst_on(mesh, "outer", [](const Point& x) { return radius(x) - 2; }), 1e-14);
    EXPECT_LT(worst_on(mesh, "z0", [](const Point& x) { return x[2]; }), 1e-14);
    EXPECT_LT(worst_on(mesh, "z1", [](const Point& x) { return x[2] - 0.5; }), 1e-14);
  }
  EXPECT_NEAR(measure(make(Cell::quad, 12, 1)).volume, 12 * std::sin(pi / 6) / 2 * 3, 1e-12);  // two polygons
}

TEST(OMesh, AroundACylinder) {
  const auto make = [](Cell cell, int n, int order) {
    return make_o_mesh(cell, make_circle(0.5), options_for(n), order);
  };
  expect_sound(make, {Cell::triangle, Cell::quad, Cell::tet, Cell::hex});
  expect_area_converges(make, pi * (36 - 0.25));
  EXPECT_LT(worst_on(make(Cell::quad, 12, 3), "wall", [](const Point& x) { return radius(x) - 0.5; }), 1e-14);
}

TEST(OMesh, AroundAnAerofoil) {
  const auto make = [](Cell cell, int n, int order) { return make_o_mesh(cell, make_naca(12), options_for(n), order); };
  expect_sound(make, {Cell::triangle, Cell::quad, Cell::tet, Cell::hex});
  expect_area_converges(make, pi * 36 - naca_0012_area);
  EXPECT_LT(worst_on(make(Cell::quad, 24, 2), "far", [](const Point& x) { return std::hypot(x[0] - 0.5, x[1]) - 6; }),
            1e-14);
}

// Nodes of the vertices of all cells that lie on a line y = 0 beyond the trailing edge, by x.
std::vector<double> on_the_wake(const Mesh& mesh) {
  std::vector<double> found;
  for (const Index p : make_topology(mesh).vertex_points)
    if (const Point x = mesh.point(p); x[0] >= 1 - 1e-12 && std::abs(x[1]) < 1e-12) found.push_back(x[0]);
  std::sort(found.begin(), found.end());
  return found;
}

TEST(CMesh, TheWakeGrowsGeometricallyFromTheLastCellOfTheProfile) {
  const AroundOptions options{.around = 40, .across = 4, .wake = 16, .far = 50, .wake_length = 50, .growth = 3};
  const std::vector<double> x = on_the_wake(make_c_mesh(Cell::triangle, make_naca(12), options));
  ASSERT_EQ(x.size(), 17u);
  EXPECT_NEAR(x.back(), 51, 1e-9);
  EXPECT_NEAR(x[1] - x[0], 1 - make_naca(12).at(1.0 / 40)[0], 1e-9);
  for (std::size_t i = 2; i < x.size(); ++i)
    EXPECT_NEAR((x[i] - x[i - 1]) / (x[i - 1] - x[i - 2]), (x[2] - x[1]) / (x[1] - x[0]), 1e-6);
}

TEST(CMesh, AFirstHeightTakesThePlaceOfGrowth) {
  const AroundOptions options{.around = 32, .across = 12, .far = 20, .first_height = 0.01};
  const Mesh mesh =
      make_o_mesh(Cell::triangle, make_circle(1), {.around = 32, .across = 12, .far = 20, .first_height = 0.01});
  std::vector<double> heights;
  for (Index p = 0; p < mesh.num_points(); ++p)
    if (const Point x = mesh.point(p); x[0] > 0 && std::abs(x[1]) < 1e-12) heights.push_back(x[0] - 1);
  std::sort(heights.begin(), heights.end());
  ASSERT_EQ(heights.size(), 13u);
  EXPECT_NEAR(heights[1], 0.01 * 19 / 20, 1e-9);  // of a distance of 19 where the centre is the circle's own
  EXPECT_NE(error_of([&] {
              AroundOptions both = options;
              both.growth = 2;
              make_o_mesh(Cell::triangle, make_circle(1), both);
            }).find("no growth besides"),
            std::string::npos);
}

TEST(CMesh, MirroredDiagonalsMakeASymmetricMesh) {
  const AroundOptions options{.around = 12, .across = 4, .wake = 4, .far = 10, .growth = 2, .mirrored = true};
  for (const int order : {1, 3}) {
    const Mesh mesh = make_c_mesh(Cell::triangle, make_naca(12), options, order);
    expect_closed(mesh);
    std::multiset<std::array<long, 2>> above, below;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      Point middle{};
      for (const Index p : mesh.blocks[0].nodes_of(c))
        for (std::size_t d = 0; d < 2; ++d) middle[d] += mesh.point(p)[d];
      (middle[1] > 0 ? above : below).insert({std::lround(middle[0] * 1e7), std::lround(std::abs(middle[1]) * 1e7)});
    }
    EXPECT_EQ(above, below);
  }
  EXPECT_NE(error_of([] { make_o_mesh(Cell::quad, make_circle(1), {.mirrored = true}); }).find("triangles and an even"),
            std::string::npos);
}

TEST(CMesh, RandomDiagonalsTurnAboutHalf) {
  const AroundOptions plain{.around = 24, .across = 6, .wake = 8, .far = 10, .growth = 2};
  AroundOptions turned = plain, other = plain;
  turned.random_diagonals = 3, other.random_diagonals = 4;
  for (const int order : {1, 3}) {
    const Mesh mesh = make_c_mesh(Cell::triangle, make_naca(12), turned, order),
               again = make_c_mesh(Cell::triangle, make_naca(12), turned, order),
               straight = make_c_mesh(Cell::triangle, make_naca(12), plain, order);
    expect_closed(mesh);
    EXPECT_EQ(measure(mesh).num_inverted, 0);
    EXPECT_NEAR(measure(mesh).volume, measure(straight).volume, 1e-2 * measure(straight).volume);
    Index same = 0, same_again = 0;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const auto equal = [&](const Mesh& a) {
        return std::ranges::equal(a.blocks[0].nodes_of(c), mesh.blocks[0].nodes_of(c)) ? 1 : 0;
      };
      same += equal(straight), same_again += equal(again);
    }
    EXPECT_EQ(same_again, mesh.num_cells());
    EXPECT_NEAR(same, mesh.num_cells() / 2, mesh.num_cells() / 8);
    const Mesh differs = make_c_mesh(Cell::triangle, make_naca(12), other, order);
    EXPECT_FALSE(std::ranges::equal(differs.blocks[0].nodes.span(), mesh.blocks[0].nodes.span()));
  }
  EXPECT_NE(error_of([] { make_o_mesh(Cell::quad, make_circle(1), {.random_diagonals = 1}); }).find("triangles and a"),
            std::string::npos);
  EXPECT_NE(error_of([] { make_o_mesh(Cell::triangle, make_circle(1), {.random_diagonals = -1}); }).find("seed -1"),
            std::string::npos);
}

TEST(CMesh, AroundAerofoils) {
  const auto make = [](Cell cell, int n, int order) { return make_c_mesh(cell, make_naca(12), options_for(n), order); };
  expect_sound(make, {Cell::triangle, Cell::quad, Cell::hex});
  expect_area_converges(make, pi * 18 + 60 - naca_0012_area);  // half a circle and the wake
  for (const int digits : {2412, 4415, 6709})
    for (int order = 1; order <= 4; ++order) {
      const AroundOptions options = options_for(32);
      const Mesh mesh = make_c_mesh(Cell::quad, make_naca(digits), options, order);
      expect_closed(mesh);
      EXPECT_LT(worst_on(mesh, "outflow", [](const Point& x) { return x[0] - 6; }), 1e-14);
      // The wake is welded: both sides of it are one.
      const Index line = (options.around + 2 * options.wake) * order + 1;
      EXPECT_EQ(mesh.num_points(), line * (options.across * order + 1) - (options.wake * order + 1));
    }
}

TEST(Profile, NacaIsWhatTheFormulaSays) {
  const Profile thin = make_naca(12);
  EXPECT_LT(distance(thin.at(0), {1, 0, 0}), 1e-15);
  EXPECT_LT(distance(thin.at(1), {1, 0, 0}), 1e-15);
  EXPECT_LT(distance(thin.at(0.5), {0, 0, 0}), 1e-15);
  double top = 0, camber = 0;
  const Profile bent = make_naca(4412);
  for (int k = 0; k <= 1000; ++k) {
    top = std::max(top, thin.at(1 - k * 0.0005)[1]);
    camber = std::max(camber, (bent.at(k * 0.0005)[1] + bent.at(1 - k * 0.0005)[1]) / 2);
  }
  EXPECT_NEAR(top, 0.06, 5e-5);
  EXPECT_NEAR(camber, 0.04, 1e-6);
}

TEST(Around, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { make_naca(0); }),
            "make_naca: no aerofoil has the digits 0; four are needed, such as 0012 or 2412: camber, its place, "
            "thickness (two)");
  EXPECT_EQ(error_of([] { make_c_mesh(Cell::quad, make_circle(1)); }),
            "make_c_mesh: the profile is not sharp where the wake begins; make_o_mesh fits it");
  EXPECT_EQ(error_of<Unsupported>([] { make_c_mesh(Cell::tet, make_naca(12)); }),
            "make_c_mesh: faces of tets do not match across the wake; hexes can be had");
  EXPECT_EQ(error_of([] { make_annulus(Cell::quad, 2, 1); }),
            "make_annulus: the radii are 2 and 1; both must be positive and the second larger");
  EXPECT_EQ(
      error_of([] { make_o_mesh(Cell::triangle, make_naca(12), options_for(16), 2); }),
      "make_o_mesh: 16 cells around, 4 across and a growth of 2.197 bend 1 of 128 cells inside out at order 2; more "
      "cells around, or a lower order, avoid that");
  EXPECT_EQ(error_of([] { make_o_mesh(Cell::quad, make_circle(1), {.far = 0.5}); }),
            "make_o_mesh: the far boundary has the radius 0.5, which does not go around a body of length 2");
}

}  // namespace
}  // namespace millrace
