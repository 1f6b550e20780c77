// Cells by place: what is mapped is found again, on curved and stretched cells of all shapes; places on faces, outside
// and nearest; the same for any number of threads.
#include "mesh/mesh_tools.hpp"
#include "millrace/mesh/locate.hpp"

namespace millrace::testing {
namespace {

Point random_reference(Cell cell, Random& random) {
  Point xi{};
  do {
    for (int d = 0; d < dim(cell); ++d) xi[at(d)] = (random.uniform() + 1) / 2;
  } while (!is_tensor(cell) && xi[0] + xi[1] + xi[2] > 1);
  return xi;
}

/// Random points of random cells, and where they lie.
struct Sample {
  std::vector<Location> at;
  std::vector<Point> places;
};
Sample sample(const Mesh& mesh, int num, std::uint64_t seed) {
  Random random(seed);
  Sample s;
  for (int i = 0; i < num; ++i) {
    const auto block = static_cast<std::int32_t>(random.below(static_cast<Index>(mesh.blocks.size())));
    const CellBlock& cells = mesh.blocks[at(block)];
    s.at.push_back({block, random.below(cells.num_cells()), random_reference(cells.cell, random), 0});
    s.places.push_back(place_of(mesh, s.at.back()));
  }
  return s;
}

/// What is found lies where it was asked for, to rounding; and is the very cell, unless the place is on its side. The
/// reference coordinates may differ by the rounding of places, over the height of the thinnest cells.
void expect_found(const Mesh& mesh, int num, double thinnest = 1e-3) {
  const Sample s = sample(mesh, num, 5);
  Queue queue(Device::host(), 2);
  const CellFinder finder(mesh);
  const std::vector<Location> found = finder.locate(queue, s.places, Outside::refuse);
  double scale = 1;
  for (const double x : mesh.points.span()) scale = std::max(scale, std::abs(x));
  const double rounding = 100 * static_cast<double>(epsilon<double>) * scale, slack = 1e-11 + rounding / thinnest;
  int num_same = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT(distance(place_of(mesh, found[i]), s.places[i]), rounding);
    EXPECT_EQ(found[i].distance, 0);
    if (found[i].block != s.at[i].block || found[i].cell != s.at[i].cell) continue;
    ++num_same;
    EXPECT_LT(distance(found[i].reference, s.at[i].reference), slack) << "place " << i;
  }
  EXPECT_GT(num_same, 0.99 * num);
}

TEST(Locate, FindsWhatWasMapped) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= max_geometry_order; ++order) {
      SCOPED_TRACE(join(name(cell), " of order ", order));
      Mesh mesh = make_box(cell, {5, 4, dim(cell) == 3 ? 3 : 1}, {}, order);
      deform(mesh, bend);
      turn_cells(mesh, 3);
      expect_found(mesh, 1000);
    }
}

TEST(Locate, StretchedCells) {
  const AroundOptions thin{.around = 24, .across = 24, .wake = 12, .first_height = 1e-6, .layers = 2};
  for (const Cell cell : all_cells)
    for (const int order : {1, 3}) {
      SCOPED_TRACE(join(name(cell), " of order ", order));
      expect_found(make_o_mesh(cell, make_circle(0.5), thin, order), 1000, 1e-7);
      if (cell != Cell::tet) expect_found(make_c_mesh(cell, make_naca(2412), thin, order), 1000, 1e-7);
    }
  Mesh plate = make_box(Cell::hex, {6, 6, 6}, {{1000, 0, 0}, {1001, 1, 1e-5}}, 2);
  deform(plate, [](const Point& x) { return Point{x[0], x[1] + 0.2 * std::sin(x[0]), x[2] + 0.3 * x[0] * x[1]}; });
  expect_found(plate, 1000, 1e-7);
}

TEST(Locate, SharedSidesBelongToTheLowestCell) {
  for (const Cell cell : all_cells) {
    Mesh mesh = make_box(cell, {3, 3, dim(cell) == 3 ? 3 : 1}, {}, 2);
    deform(mesh, bend);
    const CellBlock& block = mesh.only_block();
    std::vector<Index> lowest(at(mesh.num_points()), block.num_cells());
    for (Index c = block.num_cells(); c-- > 0;)
      for (const Index n : block.nodes_of(c)) lowest[at(n)] = c;
    const CellFinder finder(mesh);
    for (Index p = 0; p < mesh.num_points(); ++p) {
      const Location found = finder.locate(mesh.point(p), Outside::refuse);
      EXPECT_EQ(found.cell, lowest[at(p)]) << name(cell) << " point " << p;
    }
  }
}

TEST(Locate, TwoKindsOfCells) {
  Mesh mesh = make_box(Cell::quad, {3, 3, 1});
  Mesh right = make_box(Cell::triangle, {3, 3, 1}, {{1, 0, 0}, {2, 1, 0}});
  const Index before = mesh.num_points();
  std::vector<double> points = mesh.points.to_vector();
  const std::vector<double> more = right.points.to_vector();
  points.insert(points.end(), more.begin(), more.end());
  mesh.points = Array<double>(std::span<const double>(points));
  mesh.blocks.push_back(std::move(right.blocks[0]));
  for (Index& n : mesh.blocks[1].nodes.span()) n += before;
  expect_found(mesh, 300);
  EXPECT_EQ(CellFinder(mesh).locate({1, 0.5, 0}).block, 0);  // both have the place
}

TEST(Locate, PlacesOutside) {
  const Mesh mesh = make_annulus(Cell::quad, 1, 2, {.around = 40, .across = 3}, 4);
  const CellFinder finder(mesh);
  EXPECT_FALSE(finder.locate({0, 0, 0}).found());
  EXPECT_FALSE(finder.locate({5, 0, 0}).found());
  EXPECT_TRUE(finder.locate({1.5, 0, 7}).found());  // the third coordinate of the plane
  for (const double radius : {0.2, 0.9, 2.1, 3.0, 50.0})
    for (const double angle : {0.1, 1.0, 4.0}) {
      const Point place{radius * std::cos(angle), radius * std::sin(angle), 0};
      const Location near = finder.locate(place, Outside::nearest);
      const double expected = radius < 1 ? 1 - radius : radius - 2;  // the sides are circles to about 1e-8
      EXPECT_NEAR(near.distance, expected, 1e-7) << radius << ' ' << angle;
      const Point there = place_of(mesh, near);
      EXPECT_NEAR(distance(there, place), near.distance, 1e-12);
      EXPECT_NEAR(std::atan2(there[1], there[0]), std::atan2(place[1], place[0]), 1e-5);
    }
  const std::vector<Point> places{{1.5, 0, 0}, {0.5, 0.25, 0}, {9, 9, 0}};
  Queue queue;
  EXPECT_EQ(error_of([&] { finder.locate(queue, places, Outside::refuse); }),
            "locate: 2 of 3 places lie outside of the mesh; the first is place 1, (0.5, 0.25); Outside::nearest takes "
            "the nearest point of the mesh instead");
}

TEST(Locate, NearestPointInSpace) {
  for (const Cell cell : {Cell::tet, Cell::hex}) {
    const Mesh mesh = make_box(cell, {3, 3, 3});
    const CellFinder finder(mesh);
    Random random(4);
    for (int i = 0; i < 200; ++i) {
      const Point place{3 * random.uniform(), 3 * random.uniform(), 3 * random.uniform()};
      Point clamped = place;
      for (double& x : clamped) x = std::clamp(x, 0.0, 1.0);
      const Location near = finder.locate(place, Outside::nearest);
      EXPECT_NEAR(near.distance, distance(place, clamped), 1e-12);
      EXPECT_LT(distance(place_of(mesh, near), clamped), 1e-7);
    }
  }
}

TEST(Locate, ToleranceAndRounding) {
  Mesh mesh = make_box(Cell::quad, {10, 10, 1});
  const double h = 0.1;
  const CellFinder strict(mesh, 0), generous(mesh, 1e-3);
  EXPECT_TRUE(strict.locate({1, 0.33, 0}).found());
  EXPECT_TRUE(strict.locate({1 + 1e-16, 0.33, 0}).found());
  EXPECT_FALSE(strict.locate({1 + 1e-12, 0.33, 0}).found());
  EXPECT_TRUE(generous.locate({1 + 0.9e-3 * h, 0.33, 0}).found());
  EXPECT_FALSE(generous.locate({1 + 1.1e-3 * h, 0.33, 0}).found());
  EXPECT_EQ(error_of([&] { CellFinder(mesh, 0.5); }),
            "cell finder: the tolerance is 0.5; 0 to 0.01 of a reference cell is accepted");
  EXPECT_EQ(error_of([&] { strict.locate({NAN, 0, 0}); }), "locate: place 0, (nan, 0), is not finite");
  EXPECT_EQ(error_of([&] { place_of(mesh, {}); }), "place_of: cell -1 of block -1 is not in the mesh of 100 quads");
}

TEST(Locate, SameForAnyNumberOfThreads) {
  Mesh mesh = make_box(Cell::tet, {6, 6, 6}, {}, 2);
  deform(mesh, bend);
  Random random(8);
  std::vector<Point> places;
  for (int i = 0; i < 500; ++i)
    places.push_back({(1 + random.uniform()) / 1.8, (1 + random.uniform()) / 1.8, (1 + random.uniform()) / 1.8});
  const CellFinder finder(mesh);
  Queue one(Device::host(), 1), two(Device::host(), 2);
  EXPECT_EQ(finder.locate(one, places, Outside::nearest), finder.locate(two, places, Outside::nearest));
  EXPECT_EQ(finder.locate(one, places), CellFinder(mesh).locate(two, places));
}

TEST(Locate, MeshWithoutCells) {
  Mesh mesh;
  mesh.dim = 2;
  const CellFinder finder(mesh);
  EXPECT_FALSE(finder.locate({0, 0, 0}).found());
  EXPECT_EQ(error_of([&] {
              finder.locate({0, 0, 0}, Outside::nearest);
            }),
            "locate: the nearest point of a mesh without cells was asked for");
}

}  // namespace
}  // namespace millrace::testing
