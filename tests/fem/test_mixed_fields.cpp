// Looking at fields on triangles beside quads, straight and curved: places, interpolation, coefficients.
#include "fem/mixed_tools.hpp"
#include "fem/polynomials.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/fields.hpp"
#include "millrace/fem/norms.hpp"
#include "millrace/fem/sample.hpp"
#include "millrace/mesh/patches.hpp"

namespace millrace::testing {
namespace {

std::vector<Point> random_places(int num) {
  Random random(5);
  std::vector<Point> places;
  for (int i = 0; i < num; ++i) places.push_back({(random.uniform() + 1) / 2, (random.uniform() + 1) / 2, 0});
  return places;
}

TEST(MixedFields, PolynomialsAtPlaces) {
  Queue one(Device::host(), 1), three(Device::host(), 3);
  const Mesh mesh = straight_mixed_box(4);
  const CellFinder finder(mesh);
  const std::vector<Point> places = random_places(200);
  for (const int order : {1, 2, 3, 5, 8}) {
    const Space space = make_space(mesh, order, 2);
    const std::vector<double> u = interpolate(one, space, components(order));
    const FieldView field(mesh, space, u);
    const PlaceValues found = evaluate(one, field, finder, places, {.gradients = true});
    for (std::size_t i = 0; i < places.size(); ++i)
      for (int c = 0; c < 2; ++c) {
        const std::size_t k = 2 * i + to_size(c);
        ASSERT_NEAR(found.values[k], polynomial(places[i], order, c), rounding_of(order));
        for (std::size_t d = 0; d < 2; ++d)
          ASSERT_NEAR(found.gradients[2 * k + d], polynomial_gradient(places[i], order, c)[d],
                      40 * order * rounding_of(order));
      }
    const PlaceValues again = evaluate(three, field, finder, places, {.gradients = true});
    EXPECT_TRUE(same_bits<double>(found.values, again.values));
    EXPECT_TRUE(same_bits<double>(found.gradients, again.gradients));
  }
}

/// In curved cells of order 2 a space of order 4 has the polynomials of degree 2.
TEST(MixedFields, PolynomialsInCurvedCells) {
  Queue queue;
  const Mesh mesh = curved_mixed_box(4, 2);
  const Space space = make_space(mesh, 4);
  const std::vector<double> u = interpolate(queue, space, [](const Point& x) { return polynomial(x, 2); });
  const std::vector<float> single(u.begin(), u.end());
  std::vector<Location> at;  // by turns in both blocks
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Point xi{(random.uniform() + 1) / 4, (random.uniform() + 1) / 4, 0};
    at.push_back({i % 2, random.below(mesh.blocks[to_size(i % 2)].num_cells()), xi, 0});
  }
  const PlaceValues found = evaluate(queue, {mesh, space, u}, at, {.gradients = true}),
                    rough = evaluate(queue, {mesh, space, single}, at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Point x = place_of(mesh, at[i]);
    EXPECT_NEAR(found.values[i], polynomial(x, 2), rounding_of(4));
    EXPECT_NEAR(rough.values[i], polynomial(x, 2), 1e-5);
    for (std::size_t d = 0; d < 2; ++d)
      EXPECT_NEAR(found.gradients[2 * i + d], polynomial_gradient(x, 2)[d], 100 * rounding_of(4));
  }
}

/// Locations, functionals, pictures and samples count the cells in one way.
TEST(MixedFields, CellsAreCountedOverTheBlocks) {
  Queue queue;
  const Mesh mesh = curved_mixed_box(4, 2);
  const Space space = make_space(mesh, 3);
  const std::vector<double> u = random_vector<double>(space.num_dofs(), 4);
  const FieldView field(mesh, space, u);
  const Index triangles = mesh.blocks[0].num_cells();
  const auto of_cell = cell_function(space, u);
  const auto location = [&](Index cell, const Point& xi) {
    return Location{cell < triangles ? 0 : 1, cell < triangles ? cell : cell - triangles, xi, 0};
  };
  for (const Patch& patch : patches_of(mesh).patches) {
    Point middle{};
    for (const Point& xi : patch.xi)
      for (std::size_t d = 0; d < 2; ++d) middle[d] += xi[d] / 3;
    const std::vector<Location> at{location(patch.cell, middle)};
    EXPECT_NEAR(evaluate(queue, field, at).values[0], of_cell(patch.cell, middle), 1e-13);
  }
  std::vector<double> areas(to_size(mesh.num_cells()));
  Queue one(Device::host(), 1);
  const CellFinder finder(mesh);
  integrate(one, field, [&](const FieldPoint& p) {
    const Location at = finder.locate(p.x);
    EXPECT_EQ(at, location(p.cell, at.reference));
    EXPECT_NEAR(p.value[0], of_cell(p.cell, at.reference), 1e-9);
    areas[to_size(p.cell)] += 1;
    return 0.0;
  });
  EXPECT_EQ(std::count(areas.begin(), areas.end(), 0.0), 0);
  integrate_boundary(one, field, [&](const FieldPoint& p) {
    const std::vector<Location> at{location(p.cell, finder.locate(p.x, Outside::nearest).reference)};
    EXPECT_NEAR(p.value[0], evaluate(one, field, at).values[0], 1e-7);
    return 0.0;
  });
}

TEST(MixedFields, InterpolationToOtherSpaces) {
  Queue queue(Device::host(), 3);
  for (const Mesh& mesh : {straight_mixed_box(4), curved_mixed_box(4, 3)}) {
    const Space low = make_space(mesh, 3, 2), high = make_space(mesh, 6, 2);
    const std::vector<double> u = random_vector<double>(low.num_dofs(), 7);
    const std::vector<double> up = interpolate(queue, {mesh, low, u}, high);
    const std::vector<double> back = interpolate(queue, {mesh, high, up}, low);
    for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(back[i], u[i], rounding_of(6));
    const IntegralOptions as_high{.points = {.num = 9, .degree = 16}};
    EXPECT_NEAR(l2_norm(queue, {mesh, low, u}, as_high), l2_norm(queue, {mesh, high, up}), 1e-12);
  }
}

TEST(MixedFields, InterpolationBetweenMeshes) {
  Queue queue;
  const Mesh mixed = straight_mixed_box(4), quads = make_box(Cell::quad, {5, 3, 1}),
             triangles = warped_box(Cell::triangle, 3, 4), other = mixed_box(6, 3);
  const auto expect_exact = [&](const Mesh& from, const Mesh& to) {
    const Space there = make_space(to, 4, 2), here = make_space(from, 3, 2);
    const std::vector<double> u = interpolate(queue, here, components(3));
    const CellFinder finder(from);
    const std::vector<double> moved = interpolate(queue, {from, here, u}, finder, there),
                              exact = interpolate(queue, there, components(3));
    for (std::size_t i = 0; i < moved.size(); ++i) ASSERT_NEAR(moved[i], exact[i], rounding_of(4));
  };
  expect_exact(mixed, triangles);
  expect_exact(mixed, other);
  expect_exact(quads, other);
}

struct TiltedPlane {
  template <class T>
  T operator()(const T* x) const {
    return T(1) + x[0] + T(2) * x[1];
  }
};

/// (w u, v) with a given w.
struct WeightedByGiven {
  static constexpr int dim = 2, comps = 1, num_given = 1;
  template <class T>
  void operator()(const fem::FieldsAt<T, 2>& at, const T* u, const T (*)[2], T* v, T (*)[2]) const {
    v[0] = at.given[0] * u[0];
  }
};

TEST(MixedFields, NodalFieldsAsCoefficients) {
  Queue queue;
  const Mesh mesh = straight_mixed_box(4);
  const Space space = make_space(mesh, 2);
  const auto by_place = make_element_sum<double>(mesh, space, fem::Mass<2, TiltedPlane>{});
  const std::vector<double> x = random_vector<double>(space.num_dofs(), 3), y = product<double>(by_place, x);
  for (const int order : {1, 3}) {
    const Space of_field = make_space(mesh, order);
    const auto w = values_at_nodes<double>(of_field, [](const double* at, int) { return TiltedPlane()(at); });
    const auto nodal =
        make_element_sum<double>(mesh, space, fem::Mass<2, fem::NodalField>{fem::NodalField(of_field, w)});
    const auto z = product<double>(nodal, x);
    std::vector<double> given(z.size());
    for (const int block : {0, 1}) {
      auto part = make_element_operator<double>(mesh, space, fem::Pointwise<WeightedByGiven>{}, {.block = block});
      part.set_given(queue, 0, of_field, w);
      const auto mine = product<double>(part, x);
      for (std::size_t i = 0; i < mine.size(); ++i) given[i] += mine[i];
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(z[i], y[i], 1e-14);
      ASSERT_NEAR(given[i], y[i], 1e-14);
    }
  }
}

TEST(MixedFields, WhatIsRefused) {
  Queue queue;
  const Mesh mesh = straight_mixed_box(2), other = straight_mixed_box(4);
  const Space space = make_space(mesh, 1), elsewhere = make_space(other, 1);
  const std::vector<double> u(9, 1.0), many(25, 1.0);
  const FieldView field(mesh, space, u);
  EXPECT_EQ(error_of([&] { FieldView(other, space, u); }),
            "field: the space has 4 triangle elements, 2 quad elements, the mesh 16 triangles, 8 quads; make the space "
            "on this mesh");
  for (const std::int32_t block : {-1, 2})
    EXPECT_EQ(error_of([&] {
                evaluate(queue, field, std::vector<Location>{{1, 1, {}, 0}, {block, 1, {}, 0}});
              }),
              join("evaluate: location 1 has cell 1 of block ", block, "; the mesh has 4 triangles, 2 quads"));
  EXPECT_EQ(error_of([&] {
              evaluate(queue, field, std::vector<Location>{{1, 3, {}, 0}});
            }),
            "evaluate: location 0 has cell 3 of block 1; the mesh has 4 triangles, 2 quads");
  EXPECT_EQ(error_of([&] { interpolate(queue, field, elsewhere); }),
            "interpolate without a CellFinder: the space has 16 triangle elements, 8 quad elements, the mesh 4 "
            "triangles, 2 quads; make the space on this mesh");
  EXPECT_EQ(error_of([&] {
              make_element_sum<double>(mesh, space, fem::Mass<2, fem::NodalField>{fem::NodalField(elsewhere, many)});
            }),
            "nodal field: the space of the field has 16 triangle and 8 quad elements, the mesh of the operator 4 "
            "triangle cells; make it on this mesh");
  EXPECT_EQ(
      error_of([&] { make_element_sum<double>(mesh, space, fem::Mass<2, fem::PointField>{fem::PointField(many)}); }),
      "point field: 4 triangle elements with 3 points each and 1 components need 12 numbers; there are 25 (on a "
      "mesh with several blocks each block has an operator and a field of its own)");

  // Two blocks of one shape: which one a field of the operator's block is in can be told by their numbers of cells.
  for (const Index first : {1, 2}) {
    const Mesh box = make_box(Cell::quad, {2, 2, 1});
    Mesh parts = box.clone();
    parts.blocks.clear();
    const auto add = [&](Index begin, Index end) {
      const auto nodes = std::span<const Index>(box.blocks[0].nodes.data() + begin * 4, to_size((end - begin) * 4));
      parts.blocks.push_back({Cell::quad, 1, Array<Index>(nodes), Array<std::int32_t>(end - begin, 0)});
    };
    add(0, first), add(first, 4);
    const Space both = make_space(parts, 1);
    const auto make = [&] {
      return make_element_sum<double>(parts, both, fem::Mass<2, fem::NodalField>{fem::NodalField(both, u)});
    };
    if (first == 1) {
      EXPECT_NEAR(energy_norm(queue, make(), u), 1, 1e-14);
    } else {
      EXPECT_EQ(error_of<Unsupported>(make),
                "nodal field: the space of the field has two blocks of 2 quad elements, and which of them are the "
                "operator's cannot be told; accepted are blocks that differ in shape or number");
    }
    EXPECT_NEAR(l2_norm(queue, {parts, both, u}), 1, 1e-14);  // everything else knows the blocks
  }
}

}  // namespace
}  // namespace millrace::testing
