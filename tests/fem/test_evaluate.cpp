// Fields at places and interpolation: polynomials are reproduced, errors fall as the order says, and what cannot be
// done is refused.
#include "fem/fem_tools.hpp"
#include "fem/polynomials.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/norms.hpp"

namespace millrace::testing {
namespace {

Point random_place(int dim, Random& random) {
  Point x{};
  for (int d = 0; d < dim; ++d) x[to_size(d)] = (random.uniform() + 1) / 2;
  return x;
}

TEST(Evaluate, PolynomialsAtRandomPlaces) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {4, 3, dim(cell) == 3 ? 2 : 1});
    const CellFinder finder(mesh);
    for (const int order : {1, 2, 3, 5, (is_tensor(cell) ? 10 : 8)}) {
      const Space space = make_space(mesh, order, 2);
      const std::vector<double> u = interpolate(queue, space, components(order));
      Random random(1);
      std::vector<Point> places;
      for (int i = 0; i < 100; ++i) places.push_back(random_place(space.dim, random));
      const PlaceValues found = evaluate(queue, {mesh, space, u}, finder, places, {.gradients = true});
      ASSERT_EQ(found.values.size(), 200u);
      ASSERT_EQ(found.gradients.size(), 200 * to_size(space.dim));
      for (std::size_t i = 0; i < places.size(); ++i)
        for (int c = 0; c < 2; ++c) {
          const std::size_t k = 2 * i + to_size(c);
          EXPECT_NEAR(found.values[k], polynomial(places[i], order, c), rounding_of(order));
          const Point gradient = polynomial_gradient(places[i], order, c);
          for (std::size_t d = 0; d < to_size(space.dim); ++d)
            EXPECT_NEAR(found.gradients[k * to_size(space.dim) + d], gradient[d], 20 * order * rounding_of(order));
        }
    }
  }
}

/// In a curved cell a space of order p * g has the polynomials of degree p (the map has order g).
TEST(Evaluate, PolynomialsInCurvedCells) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Mesh mesh = warped_box(cell, 2, 2);
    const Space space = make_space(mesh, 4);
    const std::vector<double> u = interpolate(queue, space, [](const Point& x) { return polynomial(x, 2); });
    Random random(2);
    std::vector<Location> at;
    for (int i = 0; i < 100; ++i) {
      Point xi = random_place(space.dim, random);
      if (!is_tensor(cell))
        for (double& x : xi) x /= space.dim;
      at.push_back({0, random.below(space.only_block().restriction.num_elem), xi, 0});
    }
    const PlaceValues found = evaluate(queue, {mesh, space, u}, at, {.gradients = true});
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Point x = place_of(mesh, at[i]), gradient = polynomial_gradient(x, 2);
      EXPECT_NEAR(found.values[i], polynomial(x, 2), rounding_of(4));
      for (std::size_t d = 0; d < to_size(space.dim); ++d)
        EXPECT_NEAR(found.gradients[i * to_size(space.dim) + d], gradient[d], 100 * rounding_of(4));
    }
  }
}

TEST(Evaluate, FloatsAndThreads) {
  const Mesh mesh = warped_box(Cell::tet, 3, 3);
  const Space space = make_space(mesh, 3);
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const ScalarFunction f = [](const Point& x) { return std::sin(3 * x[0]) + x[1] * x[2]; };
  const std::vector<double> u = interpolate(one, space, f);
  const std::vector<float> single = interpolate<float>(two, space, f);
  const CellFinder finder(mesh);
  Random random(3);
  std::vector<Point> places;
  for (int i = 0; i < 300; ++i) places.push_back(random_place(3, random));
  const PlaceValues a = evaluate(one, {mesh, space, u}, finder, places, {.gradients = true}),
                    b = evaluate(two, {mesh, space, u}, finder, places, {.gradients = true}),
                    c = evaluate(two, {mesh, space, single}, finder, places);
  EXPECT_TRUE(same_bits<double>(a.values, b.values));
  EXPECT_TRUE(same_bits<double>(a.gradients, b.gradients));
  EXPECT_TRUE(c.gradients.empty());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_NEAR(a.values[i], c.values[i], 1e-6);
}

TEST(Interpolate, UpwardsNothingIsLost) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Mesh mesh = warped_box(cell, 2, 3);
    const Space low = make_space(mesh, 3, 2), high = make_space(mesh, 6, 2);
    const std::vector<double> u = random_vector<double>(low.num_dofs(), 7);
    const std::vector<double> up = interpolate(queue, {mesh, low, u}, high);
    const std::vector<double> back = interpolate(queue, {mesh, high, up}, low);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(back[i], u[i], rounding_of(6)) << name(cell);
    const IntegralOptions as_high{.points = is_tensor(cell) ? Points{.num = 9} : Points{.degree = 16}};
    EXPECT_NEAR(l2_norm(queue, {mesh, low, u}, as_high), l2_norm(queue, {mesh, high, up}), 1e-12);
  }
}

TEST(Interpolate, BetweenMeshes) {
  Queue queue;
  const Mesh quads = make_box(Cell::quad, {5, 4, 1}), triangles = warped_box(Cell::triangle, 3, 4);
  const Space from = make_space(quads, 3, 2), to = make_space(triangles, 4, 2);
  const std::vector<double> u = interpolate(queue, from, components(3));
  const CellFinder finder(quads);
  const FieldView field(quads, from, u);
  const std::vector<double> there = interpolate(queue, field, finder, to),
                            exact = interpolate(queue, to, components(3));
  for (std::size_t i = 0; i < there.size(); ++i) EXPECT_NEAR(there[i], exact[i], rounding_of(4));

  const Mesh larger = make_box(Cell::quad, {4, 4, 1}, {{0, 0, 0}, {2, 1, 0}});
  const Space beyond = make_space(larger, 1, 2);
  EXPECT_EQ(error_of([&] { interpolate(queue, field, finder, beyond); }),
            "locate: 10 of 25 places lie outside of the mesh; the first is place 6, (1.5, 0); Outside::nearest takes "
            "the nearest point of the mesh instead");
  const std::vector<double> clamped = interpolate(queue, field, finder, beyond, Outside::nearest);
  for (Index n = 0; n < beyond.num_nodes; ++n)
    EXPECT_NEAR(clamped[to_size(n)], polynomial({std::min(beyond.place(n)[0], 1.0), beyond.place(n)[1], 0}, 3), 1e-12);
}

/// sin, and its gradient: errors of interpolation fall as h^(p + 1) in L2 and h^p in H1, straight or curved.
TEST(Interpolate, OrdersOfErrors) {
  Queue queue;
  const auto f = [](const Point& x) { return std::sin(2 * x[0] + x[1]) * std::cos(x[2]); };
  const VectorFunction gradient = [](const Point& x, std::span<double> g) {
    g[0] = 2 * std::cos(2 * x[0] + x[1]) * std::cos(x[2]);
    g[1] = g[0] / 2;
    if (g.size() > 2) g[2] = -std::sin(2 * x[0] + x[1]) * std::sin(x[2]);
  };
  for (const Cell cell : all_cells)
    for (const int order : {1, 2, 3, 4}) {
      double l2[2] = {}, h1[2] = {};
      for (const int fine : {0, 1}) {
        const Mesh mesh = warped_box(cell, fine == 0 ? 3 : 6, std::min(order, 4), 0.04);
        const Space space = make_space(mesh, order);
        const std::vector<double> u = interpolate(queue, space, f);
        l2[fine] = l2_error(queue, {mesh, space, u}, f);
        h1[fine] = h1_seminorm_error(queue, {mesh, space, u}, gradient);
      }
      EXPECT_GT(std::log2(l2[0] / l2[1]), order + 0.7) << name(cell) << ' ' << order << ": " << l2[0] << ' ' << l2[1];
      EXPECT_GT(std::log2(h1[0] / h1[1]), order - 0.3) << name(cell) << ' ' << order << ": " << h1[0] << ' ' << h1[1];
    }
}

TEST(Evaluate, WhatIsRefused) {
  Queue queue;
  const Mesh mesh = make_box(Cell::quad, {2, 2, 1}), other = make_box(Cell::quad, {2, 2, 1}, {{0, 0, 0}, {2, 1, 0}});
  const Space space = make_space(mesh, 2), vector = make_space(mesh, 1, 2);
  const std::vector<double> u(to_size(space.num_dofs()), 1.0);
  const FieldView field(mesh, space, u);
  const CellFinder finder(mesh), elsewhere(other);
  const std::vector<Point> places{{0.5, 0.5, 0}, {3, 4, 0}};
  EXPECT_EQ(error_of([&] { FieldView(mesh, space, std::span<const double>(u).first(3)); }),
            "field: the space has 25 unknowns (1 x 25), so one vector of that size is right; 1 of 3 came");
  EXPECT_EQ(error_of([&] {
              FieldView(make_box(Cell::triangle, {2, 2, 1}), space, u);
            }),
            "field: the space has 4 quad elements, the mesh 8 triangles; make the space on this mesh");
  EXPECT_EQ(error_of<Unsupported>([&] { FieldView(mesh, space, Vectors<const double>(Device::gpu(0), u.data(), 25)); }),
            "field: the vector lies on a GPU; values, norms and integrals are computed on the host, to which "
            "to(Device::host()) brings it");
  EXPECT_EQ(error_of([&] { evaluate(queue, field, finder, places); }),
            "locate: 1 of 2 places lie outside of the mesh; the first is place 1, (3, 4); Outside::nearest takes the "
            "nearest point of the mesh instead");
  const PlaceValues skipped = evaluate(queue, field, finder, places, {.outside = Outside::skip});
  EXPECT_NEAR(skipped.values[0], 1, 1e-15);
  EXPECT_TRUE(std::isnan(skipped.values[1]));
  EXPECT_NEAR(evaluate(queue, field, finder, places, {.outside = Outside::nearest}).values[1], 1, 1e-15);
  EXPECT_EQ(error_of([&] { evaluate(queue, field, elsewhere, places); }),
            "evaluate: the finder is of another mesh than the field");
  EXPECT_EQ(error_of([&] {
              evaluate(queue, field, std::vector<Location>{{0, 4, {}, 0}});
            }),
            "evaluate: location 0 has cell 4 of block 0; the mesh has 4 quads");
  EXPECT_EQ(error_of([&] { interpolate(queue, vector, [](const Point&) { return 1.0; }); }),
            "interpolate: the space has 2 components; a function of the place and a span writes them all");
  EXPECT_EQ(error_of([&] { interpolate(queue, field, vector); }),
            "interpolate: the field has 1 components, the space 2; as many are right");
  EXPECT_EQ(error_of([&] { interpolate(queue, field, make_space(other, 2)); }),
            "interpolate: corner 1 of quad 0 is elsewhere in the other space, so that is on another mesh; give a "
            "CellFinder to go from mesh to mesh");
  EXPECT_EQ(error_of([&] { interpolate(queue, field, finder, space, Outside::skip); }),
            "interpolate: places outside cannot be skipped, for every node needs a value; Outside::refuse or "
            "Outside::nearest is right");
  EXPECT_EQ(error_of([&] { interpolate(queue, space, ScalarFunction()); }), "interpolate: the function is empty");
}

}  // namespace
}  // namespace millrace::testing
