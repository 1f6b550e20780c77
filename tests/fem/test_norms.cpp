// Norms: exact for polynomials, equal to those of the mass and stiffness operators, zero errors where there are none.
#include "fem/fem_tools.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/evaluate.hpp"
#include "millrace/fem/norms.hpp"

namespace millrace::testing {
namespace {

/// Against u^T M u and u^T K u of operators with the same rule.
template <int D>
void expect_norms_of_operators(Cell cell) {
  Queue queue;
  const Mesh mesh = warped_box(cell, 2, 2);
  const Space space = make_space(mesh, 3), pair = make_space(mesh, 3, 2);
  const Points points = is_tensor(cell) ? Points{.num = 6} : Points{.degree = 10};
  const auto mass = make_element_operator<double>(mesh, space, fem::Mass<D>{}, {.points = points});
  const auto stiffness = make_element_operator<double>(mesh, space, fem::Diffusion<D>{}, {.points = points});
  const std::vector<double> u = random_vector<double>(space.num_dofs(), 2);
  const FieldView field(mesh, space, u);
  const double l2 = l2_norm(queue, field), h1 = h1_seminorm(queue, field);
  EXPECT_NEAR(l2, energy_norm(queue, mass, u), 1e-12 * l2) << name(cell);
  EXPECT_NEAR(h1, energy_norm(queue, stiffness, u), 1e-12 * h1) << name(cell);
  std::vector<double> twice = u;
  twice.insert(twice.end(), u.begin(), u.end());
  EXPECT_NEAR(l2_norm(queue, {mesh, pair, twice}), std::sqrt(2.0) * l2, 1e-12 * l2);
  EXPECT_NEAR(h1_seminorm(queue, {mesh, pair, twice}), std::sqrt(2.0) * h1, 1e-12 * h1);
  const std::vector<float> single(u.begin(), u.end());
  EXPECT_NEAR(l2_norm(queue, {mesh, space, single}), l2, 1e-6 * l2);
}

TEST(Norms, AgreeWithOperators) {
  for (const Cell cell : {Cell::triangle, Cell::quad}) expect_norms_of_operators<2>(cell);
  for (const Cell cell : {Cell::tet, Cell::hex}) expect_norms_of_operators<3>(cell);
}

TEST(Norms, ErrorsOfPolynomials) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {2, 2, dim(cell) == 3 ? 2 : 1});
    const Space space = make_space(mesh, 2);
    const auto f = [](const Point& x) { return x[0] * x[0] - x[1] + x[0] * x[2]; };
    const VectorFunction gradient = [](const Point& x, std::span<double> g) {
      g[0] = 2 * x[0] + x[2];
      g[1] = -1;
      if (g.size() > 2) g[2] = x[0];
    };
    const std::vector<double> u = interpolate(queue, space, f);
    const FieldView field(mesh, space, u);
    EXPECT_LT(l2_error(queue, field, f), 1e-14);
    EXPECT_LT(h1_seminorm_error(queue, field, gradient), 1e-13);
    EXPECT_NEAR(l2_error(queue, field, [&](const Point& x) { return f(x) + x[1]; }), 1 / std::sqrt(3.0), 1e-13);
    const VectorFunction shifted = [&](const Point& x, std::span<double> g) {
      gradient(x, g);
      g[1] += 2 * x[0];
    };
    EXPECT_NEAR(h1_seminorm_error(queue, field, shifted), 2 / std::sqrt(3.0), 1e-13);
    const std::vector<double> zero(u.size());
    EXPECT_EQ(l2_norm(queue, {mesh, space, zero}), 0);
  }
}

TEST(Norms, ManyComponents) {
  Queue queue;
  const Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  const Space space = make_space(mesh, 1, 20);
  const VectorFunction f = [](const Point& x, std::span<double> value) {
    for (std::size_t c = 0; c < value.size(); ++c) value[c] = x[0] + static_cast<double>(c);
  };
  const std::vector<double> u = interpolate(queue, space, f);
  EXPECT_LT(l2_error(queue, {mesh, space, u}, f), 1e-13);
  const VectorFunction nothing = [](const Point&, std::span<double>) {};
  EXPECT_NEAR(h1_seminorm_error(queue, {mesh, space, u}, nothing), std::sqrt(20.0), 1e-12);
}

TEST(Norms, EnergyOfConstantsAndOfNegativeOperators) {
  Queue queue;
  const Mesh mesh = warped_box(Cell::quad, 3, 2);
  const Space space = make_space(mesh, 3);
  const auto stiffness = make_element_operator<double>(mesh, space, fem::Diffusion<2>{});
  const std::vector<double> ones(to_size(space.num_dofs()), 1.0);
  EXPECT_LT(energy_norm(queue, stiffness, ones), 1e-6);  // the square is rounding, of either sign
  const auto negative = make_element_operator<double>(mesh, space, fem::Mass<2>{.rho = {-1}});
  const std::string text = error_of([&] { energy_norm(queue, negative, ones); });
  EXPECT_EQ(text.substr(0, 26), "energy_norm: <u, A u> is -");
  EXPECT_NE(text.find("; an operator that is not negative has an energy"), std::string::npos) << text;
}

TEST(Norms, WhatIsRefused) {
  Queue queue;
  const Mesh mesh = make_box(Cell::quad, {1, 1, 1});
  const Space space = make_space(mesh, 1, 2);
  const std::vector<double> u(8, 1.0);
  EXPECT_EQ(error_of([&] {
              l2_error(queue, {mesh, space, u}, [](const Point&) { return 0.0; });
            }),
            "l2_error: the field has 2 components; a function of the place and a span writes them all");
  EXPECT_EQ(error_of([&] {
              h1_seminorm_error(queue, {mesh, space, u}, VectorFunction());
            }),
            "h1_seminorm_error: the exact gradient is empty");
  EXPECT_EQ(error_of([&] {
              l2_norm(queue, {mesh, space, u}, {.groups = {5}});
            }),
            "integrate: no cell has the tag 5; groups of cells are: 0");
}

}  // namespace
}  // namespace millrace::testing
