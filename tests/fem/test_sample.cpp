// Samples of fields: polynomials at all lattice points, curved cells as they are, functions on cells.
#include "millrace/fem/sample.hpp"

#include "fem/fem_tools.hpp"
#include "fem/mixed_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::testing {
namespace {

/// A polynomial of degree p (in each coordinate together), of size about 1 on the unit box.
double polynomial(const double* x, int dim, int p) {
  const double s = 0.3 + 0.5 * x[0] - 0.4 * x[1] + (dim == 3 ? 0.3 * x[2] : 0);
  return std::pow(s, p) + x[1];
}

TEST(Sample, PolynomialsAtAllLatticePoints) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 6; ++order) {
      const Mesh mesh = cell == Cell::hex ? turned_box() : make_box(cell, {2, 3, 2});
      const Space space = make_space(mesh, order);
      const auto u =
          values_at_nodes<double>(space, [&](const double* x, int) { return polynomial(x, mesh.dim, order); });
      const CellSamples samples = sample(mesh, {{"u", &space, u}});
      ASSERT_EQ(samples.blocks.size(), 1u);
      EXPECT_EQ(samples.blocks[0].order, order);
      EXPECT_EQ(samples.blocks[0].cell, cell);
      const auto num_points = std::ssize(samples.points) / mesh.dim;
      EXPECT_EQ(num_points, space.num_nodes);
      ASSERT_EQ(std::ssize(samples.fields.at(0).values), num_points);
      for (std::int64_t n = 0; n < num_points; ++n)
        ASSERT_NEAR(samples.fields[0].values[to_size(n)],
                    polynomial(samples.points.data() + n * mesh.dim, mesh.dim, order), 1e-13)
            << name(cell) << " order " << order;
    }
}

/// Every node of every cell, also of those that did not give the point its place.
TEST(Sample, CurvedCellsKeepTheirMap) {
  for (const Cell cell : all_cells)
    for (int geometry = 1; geometry <= 4; ++geometry)
      for (const int order : {1, 3, 5}) {
        const Mesh mesh = warped_box(cell, 2, geometry);
        const Space space = make_space(mesh, order);
        const std::vector<double> u(to_size(space.num_dofs()), 1.0);
        const CellSamples samples = sample(mesh, {{"u", &space, u}});
        const CellSamples::Block& block = samples.blocks.at(0);
        ASSERT_EQ(block.order, std::max(order, geometry));
        const auto table = tabulate_geometry(cell, geometry, lattice_points(cell, block.order));
        const auto per_cell = to_size(num_nodes(cell, block.order));
        for (Index c = 0; c < mesh.num_cells(); ++c)
          for (int n = 0; n < table.num_points; ++n) {
            const Point x = map_point(mesh, mesh.blocks[0].nodes_of(c), table, n);
            const Index at = block.nodes[to_size(c) * per_cell + to_size(n)];
            for (int d = 0; d < mesh.dim; ++d)
              ASSERT_NEAR(samples.points[to_size(at * mesh.dim + d)], x[to_size(d)], 1e-14)
                  << name(cell) << " geometry " << geometry << " order " << order;
          }
        for (const double value : samples.fields[0].values) ASSERT_NEAR(value, 1, 1e-13);
      }
}

TEST(Sample, OnlyGeometryTellsOrderAndGroups) {
  Mesh mesh = warped_box(Cell::hex, 2, 3);
  for (Index c = 0; c < mesh.num_cells(); ++c) mesh.blocks[0].tag.data()[c] = 10 + c;
  const CellSamples samples = sample(mesh, {});
  EXPECT_EQ(samples.blocks[0].order, 3);
  EXPECT_EQ(samples.groups, (std::vector<std::int32_t>{10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_TRUE(samples.fields.empty());
}

TEST(Sample, FieldsOfSeveralOrdersAndComponents) {
  const Mesh mesh = warped_box(Cell::triangle, 3, 2);
  const Space coarse = make_space(mesh, 1, 2), fine = make_space(mesh, 4);
  const auto f = [](const double* x, int c) { return 1 + x[0] - 2 * x[1] + 10 * c; };
  const auto v = values_at_nodes<double>(coarse, f), u = values_at_nodes<double>(fine, f);
  const CellSamples samples = sample(mesh, {{"v", &coarse, v, true}, {"u", &fine, u}});
  EXPECT_EQ(samples.blocks[0].order, 4);
  ASSERT_EQ(samples.fields.size(), 2u);
  EXPECT_EQ(samples.fields[0].name, "v");
  EXPECT_TRUE(samples.fields[0].vector);
  EXPECT_EQ(samples.fields[0].comps, 2);
  EXPECT_FALSE(samples.fields[1].vector);
  const auto num_points = samples.points.size() / 2;
  ASSERT_EQ(samples.fields[0].values.size(), 2 * num_points);
  for (std::size_t n = 0; n < num_points; ++n) {
    EXPECT_NEAR(samples.fields[0].values[2 * n + 1] - samples.fields[0].values[2 * n], 10, 1e-13);
    // Of degree 1 in x and y, so of degree 2 in the cell: order 4 has it.
    EXPECT_NEAR(samples.fields[1].values[n], f(samples.points.data() + 2 * n, 0), 1e-13);
  }
}

TEST(Sample, AnotherOrderOnRequest) {
  const Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  const Space space = make_space(mesh, 2);
  const auto u = values_at_nodes<double>(space, [](const double* x, int) { return x[0] * x[1]; });
  EXPECT_EQ(sample(mesh, {{"u", &space, u}}, 1).points.size(), 2u * 9);
  EXPECT_EQ(sample(mesh, {{"u", &space, u}}, 12).points.size(), 2u * 25 * 25);
  EXPECT_EQ(error_of([&] { sample(mesh, {}, 17); }), "space: order 17 was asked for; orders of a quad are 1 to 16");
}

/// The shape of warped cells is not in the way: the function knows reference coordinates alone.
TEST(Sample, FunctionsOnCells) {
  for (const Cell cell : all_cells)
    for (const int order : {1, 2, 5, 8}) {
      const Mesh mesh = make_box(cell, {2, 2, 2});
      const Space space = make_space(mesh, order, 2);
      const auto f = [&](const double* x, int c) { return polynomial(x, mesh.dim, order) * (c == 0 ? 3 : -4); };
      std::function<double(Index, const Point&)> first, second, size;
      {
        const auto u = values_at_nodes<double>(space, f);
        first = cell_function(space, u);
        second = cell_function(space, u, 1);
        size = cell_magnitude(space, u);
      }
      const std::vector<Point> places{{0, 0, 0}, {1, 0, 0}, {0.25, 0.5, 0}, {0.2, 0.3, mesh.dim == 3 ? 0.4 : 0}};
      const auto table = tabulate_geometry(cell, 1, places);
      for (Index c = 0; c < mesh.num_cells(); ++c)
        for (int k = 0; k < table.num_points; ++k) {
          const Point x = map_point(mesh, mesh.blocks[0].nodes_of(c), table, k);
          const Point& at = places[to_size(k)];
          ASSERT_NEAR(first(c, at), f(x.data(), 0), 1e-12) << name(cell) << " order " << order;
          ASSERT_NEAR(second(c, at), f(x.data(), 1), 1e-12) << name(cell) << " order " << order;
          ASSERT_NEAR(size(c, at), 5 * std::abs(polynomial(x.data(), mesh.dim, order)), 1e-12);
        }
    }
}

TEST(Sample, FunctionsOfHighOrderStayExact) {
  const Mesh mesh = make_box(Cell::quad, {1, 1, 1});
  const Space space = make_space(mesh, 16);
  const auto f = [](const double* x, int) { return std::pow(2 * x[0] - 1, 16) - std::pow(x[1], 15); };
  const auto u = cell_function(space, values_at_nodes<double>(space, f));
  for (int i = 0; i <= 20; ++i) {
    const Point at{0.05 * i, 1 - 0.03 * i, 0};
    EXPECT_NEAR(u(0, at), f(at.data(), 0), 1e-13);
  }
}

TEST(Sample, SeveralBlocksAndGluedSides) {
  for (int order = 1; order <= 4; ++order) {
    const Mesh mesh = mixed_box(4, 1, 0);
    const Space space = make_space(mesh, order);
    const auto f = [&](const double* x, int) { return polynomial(x, 2, order); };
    const auto u = values_at_nodes<double>(space, f);
    const CellSamples samples = sample(mesh, {{"u", &space, u}});
    ASSERT_EQ(samples.blocks.size(), 2u);
    ASSERT_EQ(std::ssize(samples.points), 2 * space.num_nodes);
    EXPECT_EQ(std::ssize(samples.groups), mesh.num_cells());
    for (Index n = 0; n < space.num_nodes; ++n)
      ASSERT_NEAR(samples.fields[0].values[to_size(n)], f(samples.points.data() + 2 * n, 0), 1e-13);
    const auto at = cell_function(space, u);
    const Index last = mesh.num_cells() - 1;  // of the second block
    const CellBlock& block = mesh.blocks[1];
    const Point xi{0.2, 0.3, 0};
    const Point x = map_point(mesh, block.nodes_of(block.num_cells() - 1),
                              tabulate_geometry(block.cell, block.order, std::vector<Point>{xi}), 0);
    EXPECT_NEAR(at(last, xi), f(x.data(), 0), 1e-13);
    EXPECT_EQ(error_of([&] { at(last + 1, xi); }),
              join("cell function: cell ", last + 1, " was asked for; there are ", last + 1));
  }
  const Mesh ring = make_box(Cell::quad, {3, 2, 1}, {.periodic = {true, false, false}});
  const Space glued = make_space(ring, 2);
  const auto u = values_at_nodes<double>(glued, [](const double* x, int) { return x[1]; });
  const CellSamples samples = sample(ring, {{"u", &glued, u}});
  ASSERT_EQ(std::ssize(samples.points), 2 * 7 * 5);  // both sides are there
  for (std::size_t n = 0; n < samples.fields[0].values.size(); ++n)
    EXPECT_NEAR(samples.fields[0].values[n], samples.points[2 * n + 1], 1e-14);
}

TEST(Sample, Refusals) {
  const Mesh mesh = make_box(Cell::quad, {2, 2, 1}), other = make_box(Cell::triangle, {2, 2, 1});
  const Space space = make_space(mesh, 2), triangles = make_space(other, 1);
  const std::vector<double> u(25), v(9);
  EXPECT_EQ(error_of([&] {
              sample(mesh, {{"u", &space, v}});
            }),
            "sample: field 'u': the space has 25 unknowns; the vector has 9");
  EXPECT_EQ(error_of([&] { sample(mesh, {{"u", nullptr, u}}); }), "sample: field 'u' has no space");
  EXPECT_EQ(error_of([&] {
              sample(mesh, {{"v", &triangles, v}});
            }),
            "sample: field 'v': the space has 8 triangle elements, the mesh 4 quads; make the space on this mesh");
  EXPECT_EQ(error_of([&] { cell_function(space, v); }), "cell function: the space has 25 unknowns; the vector has 9");
  EXPECT_EQ(error_of([&] { cell_function(space, u, 1); }),
            "cell function: component 1 was asked for; the field has 0 to 0");
  EXPECT_EQ(error_of([&] { cell_function(space, u)(4, {}); }), "cell function: cell 4 was asked for; there are 4");
}

}  // namespace
}  // namespace millrace::testing
