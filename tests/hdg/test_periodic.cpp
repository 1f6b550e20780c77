// Periodic sides: one trace for two faces, uniform flow, orders of convergence, case files, and sides that do not fit.
#include <gtest/gtest.h>

#include <map>

#include "case_tools.hpp"
#include "expect.hpp"
#include "io/gmsh_tools.hpp"
#include "mesh/mesh_tools.hpp"
#include "periodic_tools.hpp"

namespace millrace::test {

using testing::error_of;

// Points in any order, and cells turned, so that faces lie on their partners in all ways.
TEST(Periodic, BothSidesSeeTheSamePointsButForATranslation) {
  for (const auto& [dim, n, geometry_order] : {std::tuple{2, 1, 1}, {2, 3, 3}, {3, 1, 1}, {3, 2, 2}}) {
    Mesh mesh = periodic_mesh(dim, n, geometry_order);
    testing::shuffle_points(mesh, 3);
    if (geometry_order == 1) testing::turn_cells(mesh, 4);
    const hdg::TraceSpace space(mesh, 2);
    EXPECT_TRUE(space.topology().boundary_faces.empty());
    EXPECT_EQ(space.num_faces() * 2, space.num_cells() * space.faces_per_cell());
    hdg::CellGeometry geometry(space);
    const int per_face = space.num_face_points();
    std::map<Index, std::vector<double>> seen;
    for (Index cell = 0; cell < space.num_cells(); ++cell) {
      geometry.evaluate(cell);
      const int all = geometry.num_face_points();
      for (int f = 0; f < space.faces_per_cell(); ++f) {
        std::vector<double> mine;
        for (int d = 0; d < dim; ++d)
          for (int p = 0; p < per_face; ++p) {
            mine.push_back(geometry.face_x[to_size(d * all + f * per_face + p)]);
            mine.push_back(geometry.normals[to_size(d * all + f * per_face + p)]);
          }
        const auto [other, first] = seen.emplace(space.trace(cell, f), mine);
        if (first) continue;
        for (std::size_t i = 0; i < mine.size(); i += 2) {
          const double shift = mine[i] - other->second[i];
          EXPECT_NEAR(shift, std::round(shift), 1e-13);
          EXPECT_NEAR(mine[i + 1], -other->second[i + 1], 1e-12);
        }
      }
    }
  }
}

TEST(Periodic, SidesCanBeIgnored) {
  const Mesh mesh = periodic_mesh(2, 2);
  const hdg::TraceSpace glued(mesh, 1), apart(mesh, 1, PeriodicSides::ignored);
  EXPECT_EQ(glued.num_faces(), 12);
  EXPECT_EQ(apart.num_faces(), 16);
  EXPECT_EQ(apart.one_order_more().num_faces(), 16);
  EXPECT_EQ(glued.one_order_more().num_faces(), 12);
}

// No residual in cells or on faces, whatever the constant, also where a cell meets itself.
template <class P>
void expect_uniform(const P& physics, const double* constant, int n, int geometry_order) {
  const Mesh mesh = periodic_mesh(P::dim, n, geometry_order);
  const hdg::TraceSpace space(mesh, 2);
  const hdg::Problem problem{hdg::make_equation(physics), {}, {}};
  const hdg::LocalSolver solver(space, problem);
  const hdg::State state =
      hdg::project(space, P::comps, [&](const double*, double* u) { std::copy_n(constant, P::comps, u); });
  hdg::LocalWork work(space, solver.equation());
  const int block = P::comps * space.face_modes();
  std::vector<double> faces(state.trace.size());
  double largest = 0;
  for (Index cell = 0; cell < space.num_cells(); ++cell) {
    solver.residual(cell, state, {}, work);
    for (const double r : work.residual) largest = std::max(largest, std::abs(r));
    for (int i = 0; i < work.m; ++i)
      faces[to_size(Offset{space.trace(cell, i / block)} * block + i % block)] += work.trace_residual[to_size(i)];
  }
  for (const double r : faces) largest = std::max(largest, std::abs(r));
  EXPECT_LT(largest, 1e-12) << P::name << ' ' << P::dim << ' ' << n;
}

TEST(Periodic, UniformFlowIsASolution) {
  const double plane[] = {1, 0.8, 0.3, 4}, space[] = {1, 0.8, 0.3, -0.2, 4};
  for (const int n : {1, 2, 3}) {
    expect_uniform(hdg::Euler<2>{}, plane, n, 1);
    expect_uniform(hdg::NavierStokes<2>{}, plane, n, 2);
    if (n < 3) expect_uniform(hdg::NavierStokes<3>{}, space, n, 1);
  }
}

TEST(Periodic, WavesConvergeWithTheirOrder) {
  for (const auto& [dim, p, coarse] : {std::tuple{2, 1, 6}, {2, 2, 6}, {2, 3, 4}, {3, 1, 3}}) {
    const Made wave = periodic_wave(dim);
    const Errors low = periodic_errors(wave, periodic_mesh(dim, coarse), p),
                 high = periodic_errors(wave, periodic_mesh(dim, 2 * coarse), p);
    EXPECT_GE(std::log2(low.u / high.u), p + 0.6) << dim << ' ' << p;
    EXPECT_GE(std::log2(low.q / high.q), p + 0.6) << dim << ' ' << p;
  }
}

TEST(Periodic, NavierStokesConvergesWithItsOrder) {
  for (const int p : {1, 2}) {
    const Made flow = periodic_flow(2);
    const Errors low = periodic_errors(flow, periodic_mesh(2, 6), p),
                 high = periodic_errors(flow, periodic_mesh(2, 12), p);
    EXPECT_GE(std::log2(low.u / high.u), p + 0.6) << p;
  }
}

// Faces that lie on their partners in other ways have the same solution.
TEST(Periodic, TheNumbersOfPointsDoNotMatter) {
  for (const int dim : {2, 3}) {
    const Made wave = periodic_wave(dim);
    Mesh mesh = periodic_mesh(dim, 3);
    const double straight = periodic_errors(wave, mesh, 2).u;
    testing::shuffle_points(mesh, 11);
    testing::turn_cells(mesh, 12);
    EXPECT_NEAR(periodic_errors(wave, mesh, 2).u, straight, 1e-8 * straight);
  }
}

TEST(Periodic, FacesThatDoNotMatchAreRefused) {
  // The nodes between vertices differ: gmsh says nothing of them.
  Mesh mesh = make_box(Cell::triangle, {2, 2, 1}, {{0, 0, 0}, {1, 1, 1}, {true, false, false}}, 2);
  deform(mesh, [](const Point& x) {
    return Point{x[0] + (x[0] == 1 ? 0.04 * std::sin(2 * M_PI * x[1]) * std::sin(2 * M_PI * x[1]) : 0), x[1], 0};
  });
  const std::string bent = error_of([&] { hdg::TraceSpace(mesh, 2); });
  EXPECT_NE(bent.find("hdg: periodic face "), std::string::npos) << bent;
  EXPECT_NE(bent.find(" off its partner; both must be the same within 1e-6 of their size"), std::string::npos) << bent;
  EXPECT_NO_THROW(hdg::TraceSpace(mesh, 2, PeriodicSides::ignored));
  // Two sides that meet in a right angle, as those of a quarter of a ring: turned, not moved.
  Mesh turned = make_box(Cell::triangle, {2, 2, 1});
  PeriodicSide& side = turned.periodic.emplace_back();
  for (Index p = 0; p < turned.num_points(); ++p)
    for (Index q = 0; q < turned.num_points(); ++q)
      if (turned.point(p)[0] == 1 && turned.point(q)[1] == 0 && turned.point(p)[1] == 1 - turned.point(q)[0])
        side.pairs.push_back({p, q});
  EXPECT_NE(error_of([&] { hdg::TraceSpace(turned, 1); }).find("off its partner"), std::string::npos);
}

constexpr const char* wave_case = R"([mesh]
generator = "box"
cells = [4, 3]
upper = [2, 1]
[constants]
L = 2
[equation]
name = "convection-diffusion"
velocity = [1, 0.5]
[space]
order = 3
[exact]
source = true
value = "cos(pi*x) * y * y"
[periodic.x1]
partner = "x0"
translation = ["-L", 0]
[boundary]
y0 = {kind = "dirichlet"}
y1 = {kind = "dirichlet"}
)";

TEST(Periodic, PairsOfGroupsInACase) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c = case_of(wave_case), fine = case_of(exchanged(wave_case, {{"[4, 3]", "[8, 6]"}}));
  ASSERT_EQ(c.mesh.periodic.size(), 1U);
  EXPECT_EQ(c.mesh.periodic[0].pairs.size(), 4U);
  EXPECT_GE(std::log2(whole_error(solved(c)) / whole_error(solved(fine))), 3.6);
  // The translation can be left out, and either side can be the master.
  const hdg::Case bare = case_of(exchanged(wave_case, {{"translation = [\"-L\", 0]\n", ""}}));
  EXPECT_EQ(bare.mesh.periodic[0].pairs, c.mesh.periodic[0].pairs);
  const hdg::Case other =
      case_of(exchanged(wave_case, {{"periodic.x1", "periodic.x0"}, {"\"x0\"", "\"x1\""}, {"\"-L\"", "\"L\""}}));
  EXPECT_NEAR(whole_error(solved(other)), whole_error(solved(c)), 1e-10);
}

TEST(Periodic, ErrorsOfCases) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const auto refused = [&](const Exchanges& pieces, const std::string& wanted) {
    const std::string text = error_of([&] { case_of(exchanged(wave_case, pieces)); });
    EXPECT_NE(text.find(wanted), std::string::npos) << text << "\nwanted: " << wanted;
  };
  refused({{"\"-L\"", "-1.9"}},
          "case.toml:15:1: periodic: face 0 of group 'x1' around (2, 0.166667), moved by (-1.9, 0), is 0.1 off the "
          "nearest face of group 'x0'; the faces of both must match within 1e-06 of their size");
  refused({{"partner = \"x0\"", "partner = \"left\""}},
          "case.toml:16:11: [periodic] has the group 'left'; the mesh has: x0, x1, y0, y1");
  refused({{"periodic.x1", "periodic.right"}}, "[periodic] has the group 'right'; the mesh has: x0, x1, y0, y1");
  refused({{"partner = \"x0\"", "partner = \"x1\""}}, "group 'x1' is in two pairs of [periodic]; one is accepted");
  refused({{"partner = \"x0\"\n", ""}}, "[periodic.x1] needs 'partner', a text");
  refused({{"\"-L\", 0]", "\"-L\", 0]\nrotation = 3"}}, "'periodic.x1.rotation' is no key here");
  refused({{"[boundary]", "[boundary]\nx0 = {kind = 'dirichlet'}"}},
          "group 'x0' is periodic and has a condition in [boundary]; one of them is accepted");
}

// The pairs of a file count where its groups have no condition.
TEST(Periodic, PairsOfAMeshFile) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const TemporaryFolder folder("millrace-case");
  const Mesh mesh = make_box(Cell::triangle, {4, 3, 1}, {{0, 0, 0}, {2, 1, 1}, {true, false, false}});
  std::ofstream(folder.path() / "box.msh", std::ios::binary) << GmshWriter(gmsh_forms[1]).write(mesh);
  const std::string file = exchanged(wave_case,
                                     {{"generator = \"box\"\ncells = [4, 3]\nupper = [2, 1]", "file = 'box.msh'"}}),
                    pairs = "[periodic.x1]\npartner = \"x0\"\ntranslation = [\"-L\", 0]\n";
  const auto read = [&](const std::string& text) {
    const std::string path = (folder.path() / "case.toml").string();
    std::ofstream(path) << text;
    return hdg::read_case(path);
  };
  const hdg::Case both = read(file), from_file = read(exchanged(file, {{pairs, ""}})),
                  conditions = read(exchanged(
                      file, {{pairs, ""},
                             {"[boundary]", "[boundary]\nx0 = {kind = 'dirichlet'}\nx1 = {kind = 'dirichlet'}"}}));
  EXPECT_EQ(both.mesh.periodic.size(), 1U);
  EXPECT_EQ(from_file.mesh.periodic.size(), 1U);
  EXPECT_TRUE(conditions.mesh.periodic.empty());
  const double error = whole_error(solved(case_of(wave_case)));
  EXPECT_NEAR(whole_error(solved(both)), error, 1e-9);
  EXPECT_NEAR(whole_error(solved(from_file)), error, 1e-9);
  EXPECT_LT(whole_error(solved(conditions)), 2 * error);
}

// Couette's flow is the same at all x: periodic, it is closed, and its mass is kept.
TEST(Periodic, CouetteFlowBetweenPeriodicSides) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string whole = text_of_example("couette.toml"), text = whole.substr(0, whole.find("[boundary.x0]"));
  const hdg::Case c = case_of(text + "\n[periodic.x1]\npartner = \"x0\"\n[start]\nkind = \"exact\"\n", 2);
  EXPECT_TRUE(c.closed);
  const hdg::CaseResult result = solved(c);
  EXPECT_NEAR(result.mass_end, result.mass_start, 1e-12);
  EXPECT_LT(whole_error(result), 2e-3);
}

// Nothing but periodic sides: a shear layer comes to rest in a uniform flow, and mass is kept.
TEST(Periodic, AGasWithoutABoundary) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const hdg::Case c = case_of(R"toml([mesh]
generator = "box"
cells = [3, 3]
[equation]
name = "navier-stokes"
mach = 0.5
reynolds = 10
[space]
order = 2
[start]
density = 1
velocity = ["0.5 + 0.1*sin(2*pi*y)", 0]
pressure = 3
[periodic]
x1 = {partner = "x0"}
y1 = {partner = "y0"}
)toml");
  const hdg::CaseResult result = solved(c);
  EXPECT_NEAR(result.mass_end, 1, 1e-12);
  EXPECT_TRUE(result.fluxes.empty());
  const hdg::TraceSpace space(c.mesh, 2);
  const hdg::LocalSolver solver(space, c.problem);
  double first[4] = {};  // each cell has its step of pseudo-time, so momentum is kept roughly
  hdg::for_each_point(solver, result.state, [&](const double*, double, const double* u, const double*) {
    if (first[0] == 0) std::copy_n(u, 4, first);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(u[i], first[i], 1e-8);
  });
  EXPECT_NEAR(first[0], 1, 1e-8);
  EXPECT_NEAR(first[1], 0.5, 0.01);
}

// A layer of curved tets between two planes: the same flow as in the plane.
TEST(Periodic, ALayerOfTetsIsTheFlowOfThePlane) {
  if (!reads_cases()) GTEST_SKIP() << "this build has no toml++";
  const std::string plane = R"([mesh]
generator = "annulus"
inner = 1
outer = 2
around = 8
across = 2
geometry_order = 3
[equation]
name = "convection-diffusion"
velocity = [0, 0]
[space]
order = 3
[exact]
source = true
value = "log(x*x + y*y) + x"
[boundary]
inner = {kind = "dirichlet"}
outer = {kind = "dirichlet"}
)";
  const hdg::Case flat = case_of(plane),
                  layer =
                      case_of(exchanged(plane, {{"around", "dim = 3\nheight = 0.5\naround"}, {"[0, 0]", "[0, 0, 0]"}}) +
                              "[periodic.z1]\npartner = \"z0\"\n");
  EXPECT_EQ(layer.mesh.dim, 3);
  const double found = whole_error(solved(layer)) / std::sqrt(0.5), wanted = whole_error(solved(flat));
  EXPECT_LT(found, 2 * wanted);
  EXPECT_GT(found, wanted / 2);
}

}  // namespace millrace::test
