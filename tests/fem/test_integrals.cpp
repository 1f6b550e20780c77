// Integrals over cells and boundaries: exact for polynomials, areas and lengths of curved shapes, Gauss's theorem,
// groups, and the same bits for any number of threads.
#include "fem/mixed_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/integrals.hpp"

namespace millrace::testing {
namespace {

/// The integral of x^a y^b z^c over the unit square or cube.
double monomial_integral(int a, int b, int c, int dim) { return 1.0 / ((a + 1) * (b + 1) * (dim == 3 ? c + 1 : 1)); }

TEST(Integrals, PolynomialsOverBoxes) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {3, 2, dim(cell) == 3 ? 2 : 1});
    const int a = 3, b = 2, c = dim(cell) == 3 ? 2 : 0;
    const auto f = [&](const FieldPoint& p) { return std::pow(p.x[0], a) * std::pow(p.x[1], b) * std::pow(p.x[2], c); };
    EXPECT_NEAR(integrate(queue, mesh, f), monomial_integral(a, b, c, mesh.dim), 1e-14) << name(cell);

    const Space space = make_space(mesh, 2, 2);  // (x^2, x y), and the gradient of the second
    const std::vector<double> u = interpolate(queue, space, [](const Point& x, std::span<double> value) {
      value[0] = x[0] * x[0];
      value[1] = x[0] * x[1];
    });
    const std::vector<double> all =
        integrate(queue, {mesh, space, u}, 4, [](const FieldPoint& p, std::span<double> density) {
          density[0] = p.value[0] * p.value[1];             // x^3 y
          density[1] = p.grad(1, 0);                        // y
          density[2] = p.grad(1, 1) * p.grad(0, 0);         // 2 x^2
          density[3] = p.normal[0] + (p.cell < 0 ? 1 : 0);  // nothing
        });
    EXPECT_NEAR(all[0], 1.0 / 8, 1e-14);
    EXPECT_NEAR(all[1], 1.0 / 2, 1e-14);
    EXPECT_NEAR(all[2], 2.0 / 3, 1e-14);
    EXPECT_EQ(all[3], 0);
  }
}

TEST(Integrals, GroupsOfCellsAndFaces) {
  Queue queue;
  for (const Cell cell : all_cells) {
    Mesh mesh = make_box(cell, {4, 2, dim(cell) == 3 ? 2 : 1}, {{0, 0, 0}, {2, 1, 1}});
    CellBlock& block = mesh.blocks[0];
    for (Index c = 0; c < block.num_cells(); ++c) {  // halves
      const Point middle = place_of(mesh, {0, c, {0.25, 0.25, dim(cell) == 3 ? 0.25 : 0}, 0});
      block.tag.data()[c] = middle[0] < 1 ? 7 : 9;
    }
    const auto one = [](const FieldPoint&) { return 1.0; };
    const auto tag = [](const FieldPoint& p) { return double(p.tag); };
    EXPECT_NEAR(integrate(queue, mesh, one, {.groups = {9}}), 1, 1e-14);
    EXPECT_NEAR(integrate(queue, mesh, tag, {.groups = {9, 7}}), 16, 1e-13);
    EXPECT_EQ(error_of([&] {
                integrate(queue, mesh, one, {.groups = {7, 8}});
              }),
              "integrate: no cell has the tag 8; groups of cells are: 7, 9");
    const double whole = mesh.dim == 2 ? 6 : 10;
    EXPECT_NEAR(integrate_boundary(queue, mesh, one), whole, 1e-13);
    EXPECT_NEAR(integrate_boundary(queue, mesh, one, {.groups = {1, 3, 1}}), 3, 1e-13);  // x0 and y0
    const auto expect_known = mesh.dim == 2 ? "1 x0, 2 x1, 3 y0, 4 y1" : "1 x0, 2 x1, 3 y0, 4 y1, 5 z0, 6 z1";
    EXPECT_EQ(error_of([&] { integrate_boundary(queue, mesh, one, {.groups = {12}}); }),
              join("integrate_boundary: no face has the tag 12; groups of faces are: ", expect_known));
    const Topology topology = make_topology(mesh);
    EXPECT_NEAR(integrate_boundary(queue, mesh, [](const FieldPoint& p) { return p.normal[0] * p.x[0]; },
                                   {.groups = {2}, .topology = &topology}),
                2, 1e-13);
  }
}

/// A ring is a polynomial of the geometry's order times a curved side: area and length fall as h^(g + 1) or better.
TEST(Integrals, AreasAndLengthsOfRings) {
  Queue queue;
  const auto one = [](const FieldPoint&) { return 1.0; };
  for (const Cell cell : {Cell::triangle, Cell::quad})
    for (const int order : {1, 2, 3, 4}) {
      double area[2], length[2];
      for (const int fine : {0, 1}) {
        const Mesh mesh = make_annulus(cell, 1, 2, {.around = fine == 0 ? 12 : 24, .across = 2}, order);
        area[fine] = std::abs(integrate(queue, mesh, one) - 3 * M_PI);
        length[fine] = std::abs(integrate_boundary(queue, mesh, one, {.groups = "outer"}) - 4 * M_PI);
      }
      EXPECT_GT(std::log2(area[0] / area[1]), order + 0.7) << name(cell) << ' ' << order;
      EXPECT_GT(std::log2(length[0] / length[1]), order + 0.7) << name(cell) << ' ' << order;
      EXPECT_LT(length[1], 0.2 * std::pow(0.3, order));
    }
}

/// The integral of div u over the cells is that of u . n over the boundary, here group by group, on curved cells.
TEST(Integrals, GaussTheorem) {
  Queue queue;
  for (const Cell cell : all_cells)
    for (const int geometry : {1, 2}) {
      Mesh mesh = make_box(cell, {2, 2, dim(cell) == 3 ? 2 : 1}, {}, geometry);
      deform(mesh, [](const Point& x) {
        const double a = 0.1 * std::sin(3 * x[0] + 1) * std::sin(2 * x[1] + 1) * std::cos(x[2]);
        return Point{x[0] + a, x[1] - 0.7 * a, x[2] == 0 ? 0 : x[2] + 0.5 * a};
      });
      const int d = mesh.dim;
      const Space space = make_space(mesh, 3, d);
      const std::vector<double> u = random_vector<double>(space.num_dofs(), 11);
      const FieldView field(mesh, space, u);
      const double inside = integrate(queue, field, [d](const FieldPoint& p) {
        double sum = 0;
        for (int i = 0; i < d; ++i) sum += p.grad(i, i);
        return sum;
      });
      const auto flux = [d](const FieldPoint& p) {
        double sum = 0;
        for (int i = 0; i < d; ++i) sum += p.value[to_size(i)] * p.normal[to_size(i)];
        return sum;
      };
      double through = 0, sizes = 0;
      for (std::int32_t tag = 1; tag <= 2 * d; ++tag)
        through += integrate_boundary(queue, field, flux, {.groups = {tag}});
      sizes = integrate_boundary(queue, field, [&](const FieldPoint& p) { return std::abs(flux(p)); });
      EXPECT_NEAR(inside, through, 1e-12 * (1 + sizes)) << name(cell) << ' ' << geometry;
      EXPECT_NEAR(through, integrate_boundary(queue, field, flux), 1e-12 * (1 + sizes));
    }
}

/// Gradients on faces: those of the cell, at the same places as evaluate gives them.
TEST(Integrals, GradientsOnFaces) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {2, 2, dim(cell) == 3 ? 2 : 1});
    const Space space = make_space(mesh, 3);
    const std::vector<double> u = interpolate(queue, space, [](const Point& x) { return x[0] * x[0] * x[1] + x[2]; });
    const double slope = integrate_boundary(queue, {mesh, space, u},
                                            [](const FieldPoint& p) {
                                              EXPECT_NEAR(p.value[0], p.x[0] * p.x[0] * p.x[1] + p.x[2], 1e-13);
                                              return p.grad(0, 0) * p.normal[0];
                                            },
                                            {.groups = "x1"});
    EXPECT_NEAR(slope, 1, 1e-12) << name(cell);  // 2 y over the side x = 1
  }
}

/// A face between cells that carries a tag is seen from its lower cell, and is not part of the boundary.
TEST(Integrals, FacesBetweenCells) {
  Queue queue;
  Mesh mesh = make_box(Cell::quad, {2, 1, 1});
  BoundaryBlock inner{Cell::segment, 1, Array<Index>{1, 4}, Array<std::int32_t>{33}};
  mesh.boundary.push_back(std::move(inner));
  const auto along = [](const FieldPoint& p) { return p.normal[0]; };
  EXPECT_NEAR(integrate_boundary(queue, mesh, along, {.groups = {33}}), 1, 1e-15);
  EXPECT_NEAR(integrate_boundary(queue, mesh, along), 0, 1e-15);
}

/// Sides that the space glues are no boundary, but each is still a group, with its own places and normals.
TEST(Integrals, PeriodicSides) {
  Queue queue;
  const auto one = [](const FieldPoint&) { return 1.0; };
  const auto outwards = [](const FieldPoint& p) { return p.normal[0]; };
  const auto place = [](const FieldPoint& p) { return p.x[0]; };
  const auto expect_sides = [&](const Mesh& mesh) {
    const Space glued = make_space(mesh, 2), open = make_space(mesh, 2, 1, PeriodicSides::ignored);
    const std::vector<double> u(to_size(glued.num_dofs()), 1.0), v(to_size(open.num_dofs()), 1.0);
    const FieldView round(mesh, glued, u), cut(mesh, open, v);
    const double all = 2 * mesh.dim;
    const Topology with_sides = make_topology(mesh), without = make_topology(mesh, PeriodicSides::glued);
    EXPECT_NEAR(integrate_boundary(queue, mesh, one), all, 1e-13);
    EXPECT_NEAR(integrate_boundary(queue, cut, one), all, 1e-13);
    EXPECT_NEAR(integrate_boundary(queue, cut, one, {.topology = &with_sides}), all, 1e-13);
    for (const Topology* topology : {&without, static_cast<const Topology*>(nullptr)}) {
      const auto over = [&](const Functional& f, const Groups& groups) {
        return integrate_boundary(queue, round, f, {.groups = groups, .topology = topology});
      };
      EXPECT_NEAR(over(one, {}), all - 2, 1e-13);
      EXPECT_NEAR(over(outwards, "x0"), -1, 1e-13);
      EXPECT_NEAR(over(place, "x0"), 0, 1e-13);
      EXPECT_NEAR(over(outwards, "x1"), 1, 1e-13);
      EXPECT_NEAR(over(place, "x1"), 1, 1e-13);
      EXPECT_NEAR(over(one, {"x0", "x1", "y0"}), 3, 1e-13);
    }
    EXPECT_EQ(error_of([&] { integrate_boundary(queue, round, one, {.topology = &with_sides}); }),
              "integrate_boundary: the topology has the periodic sides of the mesh as boundaries, the space glued; "
              "make_topology(mesh, space.sides) is right");
    EXPECT_EQ(error_of([&] { make_whole_boundary(mesh, open, {.topology = &without}); }),
              "boundary: the topology has the periodic sides of the mesh glued, the space as boundaries; "
              "make_topology(mesh, space.sides) is right");
    Mesh untagged = mesh.clone();
    untagged.boundary.clear();
    EXPECT_NEAR(integrate_boundary(queue, FieldView(untagged, glued, u), one, {.groups = {0}}), all - 2, 1e-13);
    // from one way to take the sides to the other
    const std::vector<double> wave =
        interpolate(queue, open, [](const Point& x) { return std::cos(2 * M_PI * x[0]) + x[1]; });
    const std::vector<double> on_glued = interpolate(queue, FieldView(mesh, open, wave), glued),
                              back = interpolate(queue, FieldView(mesh, glued, on_glued), open);
    for (std::size_t i = 0; i < wave.size(); ++i) EXPECT_NEAR(back[i], wave[i], 1e-13);
  };
  for (const Cell cell : all_cells)
    expect_sides(make_box(cell, {3, 2, dim(cell) == 3 ? 2 : 1}, {{}, {1, 1, 1}, {true, false, false}}));
  expect_sides(cut_left_half(make_box(Cell::quad, {4, 2, 1}, {{}, {1, 1, 1}, {true, false, false}})));
}

TEST(Integrals, SameBitsForAnyNumberOfThreads) {
  const Mesh mesh = warped_box(Cell::hex, 5, 2);
  const Space space = make_space(mesh, 2);
  const std::vector<double> u = random_vector<double>(space.num_dofs(), 3);
  const FieldView field(mesh, space, u);
  const auto f = [](const FieldPoint& p) { return std::sin(p.value[0]) + p.grad(0, 1); };
  double results[3][2];
  for (const int threads : {1, 2, 3}) {
    Queue queue(Device::host(), threads);
    results[threads - 1][0] = integrate(queue, field, f);
    results[threads - 1][1] = integrate_boundary(queue, field, f);
  }
  EXPECT_TRUE(same_bits<double>(results[0], results[1]));
  EXPECT_TRUE(same_bits<double>(results[0], results[2]));
}

TEST(Integrals, WhatIsRefused) {
  Queue queue;
  Mesh mesh = make_box(Cell::triangle, {1, 1, 1});
  const Space space = make_space(mesh, 1);
  const std::vector<double> u(4, 1.0);
  EXPECT_EQ(error_of([&] { integrate(queue, mesh, Functional()); }), "integrate: the functional is empty");
  EXPECT_EQ(error_of([&] {
              integrate(queue, {mesh, space, u}, 0, [](const FieldPoint&, std::span<double>) {});
            }),
            "integrate: 0 functionals were asked for; 1 or more are right");
  const Topology other = make_topology(make_box(Cell::tet, {1, 1, 1}));
  EXPECT_EQ(
      error_of([&] { integrate_boundary(queue, mesh, [](const FieldPoint&) { return 1.0; }, {.topology = &other}); }),
      "integrate_boundary: the topology is of another mesh");
  deform(mesh, [](const Point& x) { return Point{-x[0], x[1], 0}; });
  EXPECT_EQ(error_of([&] { integrate(queue, mesh, [](const FieldPoint&) { return 1.0; }); }),
            "element geometry: the map of triangle 0 has a Jacobian that is not positive at a quadrature point; mend "
            "the mesh or turn the element");
}

}  // namespace
}  // namespace millrace::testing
