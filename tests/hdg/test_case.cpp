// Cases: the examples against what is known of them, and one clear error for everything that can be wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "case_tools.hpp"
#include "expect.hpp"

namespace millrace::test {

using testing::error_of;

double error_of_case(const hdg::Case& c) { return whole_error(solved(c)); }

TEST(Case, CouetteAndVortexConvergeWithTheirOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (const int order : {1, 2, 3}) {
    const std::string couette = text_of_example("couette.toml"), vortex = text_of_example("vortex.toml");
    const double coarse = error_of_case(case_of(exchanged(couette, {{"[4, 4]", "[2, 2]"}}), order)),
                 fine = error_of_case(case_of(couette, order));
    EXPECT_GE(std::log2(coarse / fine), order + 0.6) << "couette " << order;
    const double long_cells = error_of_case(case_of(vortex, order)),
                 short_cells = error_of_case(case_of(exchanged(vortex, {{"[6, 3]", "[12, 6]"}}), order));
    EXPECT_GE(std::log2(long_cells / short_cells), order + 0.6) << "vortex " << order;
  }
}

TEST(Case, ManufacturedSourcesNeedNoPencil) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string text = text_of_example("manufactured.toml");
  const double coarse = error_of_case(case_of(exchanged(text, {{"[8, 8]", "[3, 3]"}}), 3)),
               fine = error_of_case(case_of(exchanged(text, {{"[8, 8]", "[6, 6]"}}), 3));
  EXPECT_GE(std::log2(coarse / fine), 3.6);
  const std::string space = exchanged(text_of_example("manufactured_3d.toml"), {{"[3, 3, 3]", "[2, 2, 2]"}});
  EXPECT_LT(error_of_case(case_of(space, 2)), 0.5 * error_of_case(case_of(space, 1)));
}

// Walls alone, one of them turning: mass is kept, and the moment is 4 pi mu B.
TEST(Case, TaylorCouetteKeepsItsMassAndHasTheRightMoment) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c = case_of(text_of_example("taylor_couette.toml"));
  EXPECT_TRUE(c.closed);
  const hdg::CaseResult result = solved(c);
  EXPECT_NEAR(result.mass_end, result.mass_start, 1e-12 * result.mass_start);
  const double moment = 4 * M_PI * 0.1 * 4 / 3;
  for (const hdg::BoundaryFlux& flux : result.fluxes)
    EXPECT_NEAR(std::abs(flux.moment[2]), moment, 1e-6 * moment) << flux.group;
}

// The exact heat through the walls of Couette's flow: conduction from the warm wall, and friction, half to each side.
// Another stabilisation gives the same.
TEST(Case, HeatThroughTheWallsOfCouetteFlow) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (const char* stabilisation : {"lax-friedrichs", "roe"}) {
    const hdg::Case c =
        case_of(exchanged(text_of_example("couette.toml"),
                          {{"reynolds = 10", join("reynolds = 10\nstabilisation = '", stabilisation, "'")}}));
    Queue queue;
    const hdg::CaseResult result = hdg::run_case(queue, c);
    ASSERT_TRUE(result.converged) << result.reason;
    constexpr double mu = 0.1, conductivity = mu / (0.4 * 0.25 * 0.72), rise = 0.05, friction = mu;
    const auto through = [&](const char* group) {  // out of the gas: heat, and work on the moving wall
      return std::ranges::find(result.fluxes, group, &hdg::BoundaryFlux::group)->flux[3];
    };
    EXPECT_NEAR(through("y0"), conductivity * rise + friction / 2, 1e-6) << stabilisation;
    EXPECT_NEAR(through("y1"), -conductivity * rise + friction / 2 - mu, 1e-6) << stabilisation;
  }
}

// What flows out is what the sources make.
TEST(Case, FluxesSumToTheSource) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string text =
      "[mesh]\ngenerator = 'box'\ncells = [3, 3]\n[equation]\nname = 'convection-diffusion'\n"
      "velocity = [1, 0.5]\n[space]\norder = 2\n[exact]\nsource = true\nvalue = 'x^2 * y'\n";
  std::string all = text;
  for (const char* side : {"x0", "x1", "y0", "y1"}) all += join("[boundary.", side, "]\nkind = 'dirichlet'\n");
  const hdg::Case c = case_of(all);
  const hdg::CaseResult result = solved(c);
  double out = 0;
  for (const hdg::BoundaryFlux& flux : result.fluxes) out += flux.flux[0];
  // of div(v u - grad u) = 2 x y + x^2 / 2 - 2 y over the square
  EXPECT_NEAR(out, 0.5 + 1.0 / 6 - 1, 1e-11);
}

TEST(Case, EveryExampleIsInOrder) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  for (const char* name : {"naca0012.toml", "cylinder.toml", "couette.toml", "taylor_couette.toml", "vortex.toml",
                           "manufactured.toml", "manufactured_3d.toml", "moving_vortex.toml"}) {
    const hdg::Case c = case_of(text_of_example(name));
    EXPECT_GT(c.mesh.num_cells(), 0) << name;
    EXPECT_FALSE(c.title.empty()) << name;
    const hdg::TraceSpace space(c.mesh, 1);
    const hdg::LocalSolver solver(space, c.problem);
  }
}

TEST(Case, SaysWhatIsWrong) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string good = text_of_example("cylinder.toml");
  const auto refused = [&](const Exchanges& pieces, const std::string& wanted) {
    const std::string text = error_of([&] {
      const hdg::Case c = case_of(exchanged(good, pieces));
      const hdg::TraceSpace space(c.mesh, c.first_order);
      const hdg::LocalSolver solver(space, c.problem);
    });
    EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nwanted: " << wanted;
  };
  refused({{"mach = 0.1", "mach = 0.1\nspeed = 3"}}, "case.toml:16:9: 'equation.speed' is no key here; accepted are: ");
  refused({{"mach = 0.1", "mach = 'fast'"}}, "case.toml:15:8: 'equation.mach' is a text; a number is accepted");
  refused({{"mach = 0.1", "mach = -1"}}, "'equation.mach' is -1; a positive number is accepted");
  refused({{"reynolds = 40", "reynolds = 0"}}, "'equation.reynolds' is 0; a positive number is accepted");
  refused({{"reynolds = 40", "viscosity = -0.1"}}, "'equation.viscosity' is -0.1; a positive number is accepted");
  refused({{"order = 3", "order = 7"}}, "'space.order' is 7; 1 to 6 are accepted");
  refused({{"o-mesh", "net"}}, "'mesh.generator' is 'net'; accepted are: box, annulus, o-mesh, c-mesh");
  refused({{"\"circle\"", "\"naca12\""}}, "accepted are: circle, and naca with four digits");
  refused({{"[boundary.wall]", "[boundary.hull]"}},
          "boundary groups without a condition: wall; conditions without a group on the boundary: hull; the mesh has: "
          "far, wall");
  refused({{"adiabatic-wall", "sticky"}}, "'boundary.wall.kind' is 'sticky'; accepted are: dirichlet, far-field");
  refused({{"\"adiabatic-wall\"", "\"adiabatic-wall\"\nvelocity = [1]"}}, "an array of 2 numbers or formulas");
  refused({{"\"adiabatic-wall\"", "\"adiabatic-wall\"\nvelocity = ['q', 0]"}}, "'q' is unknown; there are: x y z pi");
  refused({{"generator = \"o-mesh\"", "file = \"none.msh\""}, {"profile = \"circle\"\n", ""}}, "none.msh");
  refused({{"[space]", "[start]\ndensity = -1\nvelocity = [0, 0]\npressure = 1\n[extra]\na = 1\n[space]"}},
          "'extra' is no key here; accepted are: boundary, constants, equation, exact, forces, linear, mesh, periodic, "
          "solver, space");
  refused({{"[boundary.wall]", "[forces]\ngroups = [\"hull\"]\n[boundary.wall]"}},
          "'forces.groups' has 'hull', which has no condition");
  const std::string box = text_of_example("couette.toml");
  const std::string inverted = error_of([&] {
    const hdg::Case c = case_of(exchanged(box, {{"cells = [4, 4]", "cells = [4, 4]\nmap = ['-x', 'y']"}}));
    const hdg::TraceSpace space(c.mesh, 1);
  });
  EXPECT_NE(inverted.find("not positive everywhere"), std::string::npos) << inverted;
}

TEST(Case, AnImpossibleStartAndTooMuchMemoryAreRefused) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  Queue queue;
  const std::string start = "[start]\ndensity = -1\nvelocity = [0, 0]\npressure = 1\n[space]";
  const std::string text = error_of([&] {
    hdg::run_case(queue, case_of(exchanged(text_of_example("couette.toml"), {{"[space]", start}})));
  });
  EXPECT_NE(text.find("the start is no possible state of navier-stokes"), std::string::npos) << text;
  EXPECT_GT(hdg::estimate_memory(1000000, 2000000, 3, 5, 4).total(), 1e12);
}

// A limit on the steps is no Error, and the reason says so.
TEST(Case, ARunThatDoesNotConvergeSaysSo) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto with_steps = [](std::size_t steps) {
    const hdg::Case c = case_of(join(text_of_example("couette.toml"), "\n[solver]\nmax_steps = ", steps, "\n"), 1);
    Queue queue;
    return hdg::run_case(queue, c);
  };
  const hdg::CaseResult result = with_steps(2);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.steps.size(), 2U);
  EXPECT_NE(result.reason.find("after 2 steps, the most that were allowed"), std::string::npos) << result.reason;
  // A last step that reaches the tolerance is not one too few.
  const std::size_t enough = with_steps(100).steps.size();
  EXPECT_TRUE(with_steps(enough).converged);
  EXPECT_FALSE(with_steps(enough - 1).converged);
}

}  // namespace millrace::test
