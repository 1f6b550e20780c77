// Fields of solutions inside cells: polynomials are met everywhere in curved cells, fields of a gas are what they are
// defined to be, samples agree with functions, and what is not there is refused.
#include "millrace/hdg/fields.hpp"

#include <gtest/gtest.h>

#include "expect.hpp"
#include "hdg_tools.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::test {
namespace {

using testing::error_of;
using testing::Random;

/// A place in the reference triangle or tet.
Point random_place(int dim, Random& random) {
  Point xi{};
  double left = 1;
  for (int d = 0; d < dim; ++d) {
    xi[to_size(d)] = left * (1 + random.uniform()) / 2;
    left -= xi[to_size(d)];
  }
  return xi;
}

Point place_in(const Mesh& mesh, Index cell, const Point& xi) {
  const CellBlock& block = mesh.blocks[0];
  return map_point(mesh, block.nodes_of(cell), tabulate_geometry(block.cell, block.order, {&xi, 1}), 0);
}

/// The largest difference between a field and a function of the place, at some random places of all cells.
template <class F>
double worst_difference(const hdg::LocalSolver& solver, const hdg::State& state, const std::string& name,
                        const F& exact) {
  const auto field = hdg::cell_function(solver, state, name);
  const Mesh& mesh = solver.space().mesh();
  Random random(3);
  double worst = 0;
  for (Index cell = 0; cell < mesh.num_cells(); ++cell)
    for (int i = 0; i < 4; ++i) {
      const Point xi = random_place(mesh.dim, random);
      worst = std::max(worst, std::abs(field(cell, xi) - exact(place_in(mesh, cell, xi))));
    }
  return worst;
}

struct PolynomialCase {
  int dim, geometry, order;
  const char* solution;
};

// On cells of geometry order g a polynomial of degree k is one of degree g k in the reference cell.
TEST(HdgFields, SolutionsThatArePolynomialsAreMetInsideCurvedCells) {
  for (const PolynomialCase& one : {PolynomialCase{2, 1, 3, "1 + x^3 - 2*x*y^2 + y"},
                                    {2, 2, 2, "1 + x - 3*y"},
                                    {2, 2, 4, "x^2 - x*y + 2*y"},
                                    {2, 3, 6, "x*y - y^2"},
                                    {3, 1, 2, "x*y - z^2 + z"},
                                    {3, 2, 2, "1 + x - 2*y + 3*z"}}) {
    const Mesh mesh = unit_mesh(one.dim, 2, one.geometry);
    const Made made{one.dim == 2 ? hdg::make_equation(hdg::Poisson<2>{}) : hdg::make_equation(hdg::Poisson<3>{}),
                    {Expression::parse(one.solution)}};
    const hdg::Problem problem = made.problem();
    const hdg::TraceSpace space(mesh, one.order);
    const hdg::LocalSolver solver(space, problem);
    hdg::State state = hdg::project(space, 1, [](const double*, double* u) { u[0] = 0; });
    Queue queue;
    EXPECT_TRUE(newton(queue, solver, state).converged) << one.solution;
    const auto jet = [&](const Point& x) { return made.values[0].jet_at(x); };
    const auto length = [&](const Point& x) { return std::hypot(jet(x).first[0], jet(x).first[1], jet(x).first[2]); };
    constexpr double bound = 1e-8;  // Newton's tolerance is 1e-10
    EXPECT_LT(worst_difference(solver, state, "u", [&](const Point& x) { return jet(x).value; }), bound)
        << one.solution;
    EXPECT_LT(worst_difference(solver, state, "gradient", length), bound) << one.solution;
    EXPECT_LT(worst_difference(solver, state, "gradient_y", [&](const Point& x) { return jet(x).first[1]; }), bound);
  }
}

// Density, momentum and energy that are linear in the place, and the fields that follow.
template <int Dim>
void check_gas_fields() {
  const Mesh mesh = unit_mesh(Dim, 2, 2);
  const hdg::NavierStokes<Dim> physics{.mach = 0.4, .reynolds = 50};
  const auto linear = [](int i, const Point& x) {
    return (i == 0 ? 1.0 : i == Dim + 1 ? 9.0 : 0.3 * i) + 0.2 * x[0] - 0.1 * i * x[1] + 0.3 * x[2];
  };
  const hdg::PointFunction state_at = [&](const double* x, double* u) {
    for (int i = 0; i < Dim + 2; ++i) u[i] = linear(i, {x[0], x[1], x[2]});
  };
  const hdg::Problem problem{hdg::make_equation(physics), on_all_sides(Dim, "dirichlet", state_at)};
  const hdg::TraceSpace space(mesh, 2);
  const hdg::LocalSolver solver(space, problem);
  const hdg::State state = hdg::project(space, Dim + 2, state_at);
  const auto expect_field = [&](const std::string& name, const auto& exact) {
    EXPECT_LT(worst_difference(solver, state, name, exact), 1e-10) << name << " in " << Dim << " dimensions";
  };
  const auto velocity = [&](int d, const Point& x) { return linear(1 + d, x) / linear(0, x); };
  const auto speed = [&](const Point& x) {
    return std::hypot(velocity(0, x), velocity(1, x), Dim == 3 ? velocity(2, x) : 0);
  };
  const auto pressure = [&](const Point& x) {
    return 0.4 * (linear(Dim + 1, x) - 0.5 * linear(0, x) * speed(x) * speed(x));
  };
  // d v_i / d x_j by the rule for quotients; slopes of the linear functions are known.
  const auto slope = [&](int i, int j, const Point& x) {
    const auto by = [&](int k) { return j == 0 ? 0.2 : j == 1 ? -0.1 * k : 0.3; };
    return (by(1 + i) - velocity(i, x) * by(0)) / linear(0, x);
  };
  expect_field("density", [&](const Point& x) { return linear(0, x); });
  expect_field("velocity", speed);
  expect_field("velocity_x", [&](const Point& x) { return velocity(0, x); });
  expect_field("velocity_y", [&](const Point& x) { return velocity(1, x); });
  expect_field("pressure", pressure);
  expect_field("mach", [&](const Point& x) { return speed(x) / std::sqrt(1.4 * pressure(x) / linear(0, x)); });
  expect_field("temperature", [&](const Point& x) { return 1.4 * 0.16 * pressure(x) / linear(0, x); });
  expect_field("entropy", [&](const Point& x) { return pressure(x) / std::pow(linear(0, x), 1.4); });
  expect_field("vorticity", [&](const Point& x) {
    const double about_z = slope(1, 0, x) - slope(0, 1, x);
    return Dim == 2 ? about_z : std::hypot(slope(2, 1, x) - slope(1, 2, x), slope(0, 2, x) - slope(2, 0, x), about_z);
  });
}

TEST(HdgFields, OfAGas) {
  check_gas_fields<2>();
  check_gas_fields<3>();
}

/// An Euler solver on a small curved mesh, with jumps between its cells.
struct JumpingGas {
  Mesh mesh = unit_mesh(2, 2, 3);
  hdg::PointFunction stream = [](const double* x, double* u) {
    const double state[] = {1 + 0.1 * x[0], 0.5, 0.2 * x[1], 4};
    std::copy_n(state, 4, u);
  };
  hdg::Problem problem{hdg::make_equation(hdg::Euler<2>{}), on_all_sides(2, "far-field", stream)};
  hdg::TraceSpace space{mesh, 2};
  hdg::LocalSolver solver{space, problem};
  hdg::State state = hdg::project(space, 4, stream);
  JumpingGas() {
    for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] += 0.01 * std::sin(double(5 * i));
  }
};

TEST(HdgFields, SamplesHavePointsOfTheirOwnAndAgreeWithFunctions) {
  const JumpingGas gas;
  for (const int order : {0, 1, 5}) {
    const CellSamples samples = hdg::sample(gas.solver, gas.state, order);
    const int k = order == 0 ? 3 : order, per_cell = num_nodes(Cell::triangle, k);
    ASSERT_EQ(samples.blocks.size(), 1U);
    EXPECT_EQ(samples.blocks[0].order, k);
    EXPECT_EQ(std::ssize(samples.points), gas.mesh.num_cells() * per_cell * 2);
    EXPECT_EQ(std::ssize(samples.groups), gas.mesh.num_cells());
    std::vector<std::string> names;
    for (const CellSamples::Field& field : samples.fields) {
      names.push_back(field.name);
      EXPECT_EQ(field.comps, field.name == "velocity" ? 2 : 1);
      EXPECT_EQ(field.vector, field.name == "velocity");
    }
    EXPECT_EQ(names, (std::vector<std::string>{"mach", "density", "pressure", "entropy", "velocity"}));
    const auto mach = hdg::cell_function(gas.solver, gas.state, "mach");
    const auto upward = hdg::cell_function(gas.solver, gas.state, "velocity_y");
    const std::vector<Point> lattice = lattice_points(Cell::triangle, k);
    for (Index cell = 0; cell < gas.mesh.num_cells(); ++cell)
      for (int p = 0; p < per_cell; ++p) {
        const Point& xi = lattice[to_size(p)];
        const auto at = to_size(samples.blocks[0].nodes[to_size(cell * per_cell + p)]);
        const Point x = place_in(gas.mesh, cell, xi);
        EXPECT_NEAR(samples.points[2 * at], x[0], 1e-14);
        EXPECT_NEAR(samples.points[2 * at + 1], x[1], 1e-14);
        EXPECT_NEAR(samples.fields[0].values[at], mach(cell, xi), 1e-13);
        EXPECT_NEAR(samples.fields[4].values[2 * at + 1], upward(cell, xi), 1e-13);
      }
  }
}

TEST(HdgFields, FunctionsKeepWhatTheyNeed) {
  std::function<double(Index, const Point&)> density;
  double before = 0;
  {
    const JumpingGas gas;
    density = hdg::cell_function(gas.solver, gas.state, "density");
    before = density(5, {0.2, 0.3, 0});
  }
  EXPECT_EQ(density(5, {0.2, 0.3, 0}), before);
}

TEST(HdgFields, WhatIsNotThereIsRefused) {
  const JumpingGas gas;
  EXPECT_EQ(error_of([&] { hdg::cell_function(gas.solver, gas.state, "temperatur"); }),
            "unknown field 'temperatur' of euler; there are: mach density pressure entropy velocity velocity_x "
            "velocity_y");
  hdg::State cut = gas.state;
  cut.u.pop_back();
  EXPECT_NE(error_of([&] { hdg::sample(gas.solver, cut); }).find("192 numbers of u and "), std::string::npos);
  EXPECT_NE(error_of([&] { hdg::sample(gas.solver, gas.state, 9); }).find("samples of order 9; 1 to 8"),
            std::string::npos);
  const auto mach = hdg::cell_function(gas.solver, gas.state, "mach");
  EXPECT_EQ(error_of([&] { mach(8, {}); }), "hdg fields: cell 8 was asked for; there are 8");
}

}  // namespace
}  // namespace millrace::test
