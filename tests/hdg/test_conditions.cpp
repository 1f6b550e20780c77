// Symmetry, subsonic inflow, Sutherland's viscosity: what they must give, and what case files may say of them.
#include <gtest/gtest.h>

#include "case_tools.hpp"
#include "expect.hpp"
#include "hdg_tools.hpp"

namespace millrace::test {

using testing::error_of;

// The mesh and its image on the other side of x = 0, whose cells come last; of order 1.
Mesh with_image(const Mesh& half) {
  Mesh full = half.clone();
  std::vector<Index> image;
  std::vector<double> places(half.points.span().begin(), half.points.span().end());
  for (Index p = 0; p < half.num_points(); ++p) {
    const Point x = half.point(p);
    image.push_back(x[0] == 0 ? p : static_cast<Index>(std::ssize(places) / half.dim));
    if (x[0] == 0) continue;
    places.push_back(-x[0]);
    for (int d = 1; d < half.dim; ++d) places.push_back(x[to_size(d)]);
  }
  const auto array = []<class T>(const std::vector<T>& from) { return Array<T>(std::span<const T>(from)); };
  full.points = array(places);
  const auto mirror = [&](CellBlock& block, std::int32_t without) {
    std::vector<Index> nodes;
    std::vector<std::int32_t> tags;
    for (const bool mirrored : {false, true})
      for (Index c = 0; c < block.num_cells(); ++c) {
        if (block.tag.data()[c] == without) continue;
        const std::size_t first = nodes.size();
        for (const Index p : block.nodes_of(c)) nodes.push_back(mirrored ? image[to_size(p)] : p);
        if (mirrored) std::swap(nodes[first], nodes[first + 1]);
        tags.push_back(block.tag.data()[c]);
      }
    block.nodes = array(nodes);
    block.tag = array(tags);
  };
  for (CellBlock& block : full.blocks) mirror(block, -1);
  for (BoundaryBlock& block : full.boundary) mirror(block, 1);
  return full;
}

// A jet that comes in from above, falls on a wall and leaves to the sides.
template <class P>
hdg::State jet(const P& physics, const hdg::TraceSpace& space, bool half) {
  constexpr int dim = P::dim;
  const auto inflow = [](const double* x, double* data) {
    std::fill_n(data, P::comps, 0.0);
    data[0] = 1;
    data[2] = -0.5 - 0.3 * std::cos(M_PI * x[0]);
  };
  const auto pressure = [](const double*, double* data) {
    std::fill_n(data, P::comps, 0.0);
    data[0] = 1 / (1.4 * 0.25);
  };
  hdg::Problem problem{hdg::make_equation(physics),
                       {{"x1", "pressure-outlet", pressure},
                        {"y0", P::uses_gradient ? "adiabatic-wall" : "slip-wall", {}},
                        {"y1", "subsonic-inflow", inflow}},
                       {}};
  if (half) problem.conditions.push_back({"x0", "symmetry", {}});
  if (dim == 3)
    for (const char* side : {"z0", "z1"}) problem.conditions.push_back({side, "symmetry", {}});
  const hdg::LocalSolver solver(space, problem);
  hdg::State state = hdg::project(space, P::comps, [](const double*, double* u) {
    std::fill_n(u, P::comps, 0.0);
    u[0] = 1;
    u[P::comps - 1] = 1 / (1.4 * 0.25 * 0.4);
  });
  Queue queue;
  const hdg::NewtonReport report =
      newton(queue, solver, state,
             {.tolerance = 1e-11, .max_steps = 60, .cfl = 20, .cfl_growth = 4, .linear_tolerance = 1e-9});
  EXPECT_TRUE(report.converged) << report.reason;
  return state;
}

template <class P>
void expect_half_of_full(const P& physics, int n, int order) {
  const Mesh half = unit_mesh(P::dim, n), full = with_image(half);
  const hdg::TraceSpace on_half(half, order), on_full(full, order);
  const hdg::State one = jet(physics, on_half, true), both = jet(physics, on_full, false);
  double largest = 0, moving = 0;
  for (std::size_t i = 0; i < one.u.size(); ++i) {  // the cells of the half come first
    largest = std::max(largest, std::abs(one.u[i] - both.u[i]));
    moving = std::max(moving, std::abs(one.u[i] - one.u[i % to_size(P::comps * on_half.cell_modes())]));
  }
  EXPECT_LT(largest, 1e-8) << P::name << ' ' << P::dim;
  EXPECT_GT(moving, 0.01);
}

TEST(Symmetry, HalfOfASymmetricFlowIsThatHalf) {
  expect_half_of_full(hdg::NavierStokes<2>{.reynolds = 20}, 3, 2);
  hdg::NavierStokes<2> roe{.reynolds = 20, .law = hdg::ViscosityLaw::sutherland};
  roe.gas.stabilisation = hdg::Stabilisation::roe;
  expect_half_of_full(roe, 3, 1);
  expect_half_of_full(hdg::NavierStokes<3>{.reynolds = 10}, 2, 1);
}

// Made-up solutions; with the inflow on the side where gas enters.
double error_of_made(const Made& made, const hdg::Problem& problem, int n, int p) {
  const int dim = made.equation->dim();
  const Mesh mesh = unit_mesh(dim, n);
  const hdg::TraceSpace space(mesh, p);
  const hdg::LocalSolver solver(space, problem);
  hdg::State state = hdg::project(space, dim + 2, [&](const double*, double* u) {
    const double middle[] = {0.5, 0.5, 0.5};
    made.exact()(middle, u);
  });
  Queue queue;
  const hdg::NewtonReport report = newton(queue, solver, state, {.tolerance = 1e-9});
  EXPECT_TRUE(report.converged) << report.reason;
  return errors_of(solver, state, made.exact(), {}).u;
}

double inflow_error(const Made& made, int n, int p) {
  hdg::Problem problem = made.problem();
  problem.conditions[0].kind = "subsonic-inflow";
  problem.conditions[0].data = [exact = made.exact()](const double* x, double* data) {
    exact(x, data);
    for (const int d : {1, 2}) data[d] /= data[0];
  };
  return error_of_made(made, problem, n, p);
}

// No heat is conducted through x = 0.
TEST(Inflow, MadeUpFlowsConvergeWithTheirOrder) {
  const std::vector<Expression> values = made_up_gas({"0.6 + 0.2*cos(1.5*x - y)", "0.3 + 0.2*sin(x + 2*y)"},
                                                     "1 + 0.2*sin(2*x + y)", "1/(1.4*0.25) + 0.3*cos(1.5*x)*cos(y)");
  for (const int p : {1, 2, 3})
    for (const double reynolds : {1.0, 100.0}) {
      const Made flow{hdg::make_equation(hdg::NavierStokes<2>{.reynolds = reynolds}), values};
      const int n = p == 2 ? 6 : 4;  // the order of even ones rises slowly
      EXPECT_GE(std::log2(inflow_error(flow, n, p) / inflow_error(flow, 2 * n, p)), p + 0.6) << p << ' ' << reynolds;
    }
  const Made euler{hdg::make_equation(hdg::Euler<2>{}), values};
  EXPECT_GE(std::log2(inflow_error(euler, 4, 2) / inflow_error(euler, 8, 2)), 2.6);
}

TEST(Sutherland, IsOneFarAwayAndGrowsWithTheTemperature) {
  const hdg::NavierStokes<2> gas{.law = hdg::ViscosityLaw::sutherland};
  EXPECT_NEAR(gas.sutherland, 0.38313, 1e-5);
  EXPECT_DOUBLE_EQ(gas.relative_viscosity(1.0), 1);
  double stream[4];
  gas.gas.free_stream(gas.mach, 0.3, stream);
  EXPECT_NEAR(gas.temperature(stream), 1, 1e-15);
  // Air at 0 and 100 C: 1.716e-5 and 2.181e-5 Pa s, to the accuracy of the law
  EXPECT_NEAR(gas.relative_viscosity(373.15 / 288.15) / gas.relative_viscosity(273.15 / 288.15), 2.181 / 1.716, 0.005);
  const hdg::NavierStokes<2> plain{};
  const double q[] = {0.1, 0.3, -0.2, 0.7, 0.4, 0.2, 0.9, -0.5}, cold[] = {1.3, 0.5, 0.2, 3};
  using Viscous = hdg::NavierStokes<2>::Viscous<double>;
  const Viscous with(gas, cold, q), without(plain, cold, q);
  const double factor = gas.relative_viscosity(gas.temperature(cold));
  EXPECT_LT(factor, 0.9);
  EXPECT_NEAR(with.stress[0][1], factor * without.stress[0][1], 1e-15);
  EXPECT_NEAR(with.heat[1], factor * without.heat[1], 1e-15);
}

TEST(Sutherland, MadeUpFlowsConvergeWithTheirOrder) {
  for (const int p : {1, 2, 3}) {
    const Made flow = made_up_flow({.reynolds = 1, .law = hdg::ViscosityLaw::sutherland});
    const hdg::Problem problem = flow.problem();
    const int n = p == 2 ? 6 : 4;
    EXPECT_GE(std::log2(error_of_made(flow, problem, n, p) / error_of_made(flow, problem, 2 * n, p)), p + 0.6) << p;
  }
}

constexpr const char* channel = R"([mesh]
generator = "box"
cells = [3, 2]
[equation]
name = "navier-stokes"
mach = 0.4
reynolds = 50
viscosity = "sutherland"
[space]
order = 2
[exact]
density = 1
velocity = [1, 0]
temperature = 1
[boundary]
x0 = {kind = "subsonic-inflow"}
x1 = {kind = "pressure-outlet"}
y0 = {kind = "symmetry"}
y1 = {kind = "slip-wall"}
[start]
density = 1
velocity = [0.5, 0.1]
pressure = 5
)";

// Whatever it begins with, the channel fills with what comes in, at the pressure of the outlet.
TEST(Inflow, AChannelFillsWithWhatComesIn) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (const char* keys : {"", ", density = 1, velocity = [1, 0]"}) {
    const hdg::Case c = case_of(exchanged(channel, {{"\"subsonic-inflow\"", join("\"subsonic-inflow\"", keys)}}));
    EXPECT_FALSE(c.closed);
    EXPECT_LT(whole_error(solved(c)), 1e-8);
  }
  // Without an exact solution it is the free stream that comes in, and fills the box before the first step.
  std::string bare = channel;
  bare.erase(bare.find("[start]"));
  bare.erase(bare.find("[exact]"), bare.find("[boundary]") - bare.find("[exact]"));
  const hdg::CaseResult result = solved(case_of(exchanged(bare, {{"\"slip-wall\"", "\"symmetry\""}})));
  EXPECT_LE(result.steps.size(), 4U);
  for (const hdg::BoundaryFlux& side : result.fluxes)
    EXPECT_NEAR(side.flux[0], side.group == "x0" ? -1 : side.group == "x1" ? 1 : 0, 1e-9) << side.group;
}

TEST(Conditions, ErrorsOfCases) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto refused = [&](const Exchanges& pieces, const std::string& wanted) {
    const std::string text = error_of([&] { case_of(exchanged(channel, pieces)); });
    EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nwanted: " << wanted;
  };
  refused({{"\"sutherland\"", "\"thick\""}}, "'equation.viscosity' is 'thick'; accepted are: constant, sutherland");
  refused({{"\"sutherland\"", "\"sutherland\"\nsutherland = -1"}},
          "'equation.sutherland' is -1; a positive number is accepted");
  refused({{"\"sutherland\"", "\"constant\"\nsutherland = 0.4"}},
          "'equation.sutherland' needs viscosity = \"sutherland\"");
  refused({{"reynolds = 50\n", ""}}, "[equation] needs 'reynolds', a number");
  refused({{"\"subsonic-inflow\"", "\"subsonic-inflow\", density = 1"}},
          "[boundary.x0] needs 'velocity', an array of 2");
  refused({{"\"subsonic-inflow\"", "\"subsonic-inflow\", density = 1, velocity = [1, 0], pressure = 1"}},
          "'boundary.x0.pressure' is no key here");
  refused({{"\"symmetry\"", "\"symmetry\", velocity = [1, 0]"}}, "'boundary.y0.velocity' is no key here");
}

}  // namespace millrace::test
