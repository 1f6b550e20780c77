// p-multigrid: iterations that depend neither on the order nor on the mesh, a symmetric positive map, physics and cells
// of all kinds, and what is refused.
#include "millrace/fem/p_multigrid.hpp"

#include "fem/fem_tools.hpp"
#include "millrace/fem/dirichlet.hpp"
#include "millrace/fem/pointwise.hpp"
#include "millrace/solve/cg.hpp"
#include "on_gpu.hpp"

namespace millrace::testing {
namespace {

/// Iterations of CG to 1e-8 for a random right-hand side.
template <class T, class P>
int p_iterations(const Mesh& mesh, const Space& space, const P& physics, const ElementOptions& element,
                 const PMultigridOptions& options = {}, double tolerance = 1e-8) {
  Queue queue;
  const auto a = make_element_operator<T>(mesh, space, physics, element);
  const auto m = make_p_multigrid<T>(queue, mesh, space, physics, element, options);
  auto b = random_vector<T>(space.num_dofs(), 3);
  std::vector<T> x(b.size(), T{0});
  const SolveReport report = cg(queue, a, m, b, x, {.tolerance = tolerance, .max_iterations = 200});
  EXPECT_TRUE(report.ok()) << report.reason;
  return report.iterations;
}

/// Of Poisson's equation with Dirichlet conditions all around.
int poisson_iterations(const Mesh& mesh, int order, const Points& points = {}, const PMultigridOptions& options = {}) {
  const Space space = make_space(mesh, order);
  const ElementOptions element{.points = points, .constrained = space.all_boundary_nodes};
  return mesh.dim == 3 ? p_iterations<double>(mesh, space, fem::Diffusion<3>{}, element, options)
                       : p_iterations<double>(mesh, space, fem::Diffusion<2>{}, element, options);
}

TEST(PMultigrid, TheDeformedCubeOfOrderSevenNeedsFewIterations) {
  const Mesh mesh = make_kershaw(Cell::hex, {6, 6, 6}, 0.3);
  EXPECT_LE(poisson_iterations(mesh, 7, Points::on_nodes()), 45);  // BP5
  EXPECT_LE(poisson_iterations(mesh, 7), 45);                      // BP3
}

TEST(PMultigrid, IterationsDoNotDependOnTheOrder) {
  const Mesh uniform = make_box(Cell::hex, {4, 4, 4});
  for (int order = 2; order <= 8; ++order)
    EXPECT_LE(poisson_iterations(uniform, order, Points::on_nodes()), 8) << order;
  // On squeezed cells the algebraic levels count, too, which are exact on few cells: as many unknowns for all.
  struct Size {
    int order, cells;
  };
  int fewest = 1000, most = 0;
  for (const auto [order, cells] : {Size{2, 18}, {3, 12}, {5, 6}, {8, 6}}) {
    const int found =
        poisson_iterations(make_kershaw(Cell::hex, {cells, cells, cells}, 0.3), order, Points::on_nodes());
    fewest = std::min(fewest, found), most = std::max(most, found);
  }
  EXPECT_LE(most, 1.5 * fewest) << "from " << fewest << " to " << most;
}

TEST(PMultigrid, BlocksOfElementsSmoothOnSqueezedCells) {
  const Mesh mesh = make_kershaw(Cell::hex, {6, 4, 4}, 0.3);
  const int blocks = poisson_iterations(mesh, 5, Points::on_nodes());
  const int points = poisson_iterations(mesh, 5, Points::on_nodes(), {.blocks = PMultigridBlocks::points});
  EXPECT_LT(1.5 * blocks, points);
}

TEST(PMultigrid, IterationsDoNotDependOnTheMesh) {
  int fewest = 1000, most = 0;
  for (const int cells : {3, 6, 12}) {
    const int found = poisson_iterations(warped_box(Cell::hex, cells, 2), 3);
    fewest = std::min(fewest, found), most = std::max(most, found);
  }
  EXPECT_LE(most, 1.5 * fewest);
}

TEST(PMultigrid, TetsAreWithinTwiceOfHexes) {
  for (int order = 2; order <= 5; ++order) {
    const int hexes = poisson_iterations(warped_box(Cell::hex, 4, 2), order);
    const int tets = poisson_iterations(warped_box(Cell::tet, 4, 2), order);
    EXPECT_LE(tets, 2 * hexes) << order;
  }
}

// With small steps between orders; on coarse meshes such as this one they need a little more than twice as many.
TEST(PMultigrid, TetsAreNotFarFromHexesOnTheMeshOfKershaw) {
  for (const int order : {3, 4}) {
    const auto iterations = [&](Cell cell) { return poisson_iterations(make_kershaw(cell, {6, 6, 6}, 0.3), order); };
    EXPECT_LE(iterations(Cell::tet), 2.4 * iterations(Cell::hex)) << order;
  }
}

TEST(PMultigrid, StepsOfSimplicesAreSmall) {
  Queue queue;
  const auto orders_of = [&](Cell cell, int order) {
    const Mesh mesh = make_box(cell, {2, 2, 2});
    const Space space = make_space(mesh, order);
    return make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{}, {}).options().orders;
  };
  EXPECT_EQ(orders_of(Cell::tet, 8), (std::vector<int>{8, 6, 4, 3, 2, 1}));
  EXPECT_EQ(orders_of(Cell::tet, 1), (std::vector<int>{1}));
  EXPECT_EQ(orders_of(Cell::hex, 5), (std::vector<int>{5, 2, 1}));
}

TEST(PMultigrid, PlaneCellsAndLevelsByChoice) {
  for (const Cell cell : {Cell::quad, Cell::triangle})
    for (const int order : {1, 4, 6}) EXPECT_LE(poisson_iterations(warped_box(cell, 12, 2), order), 25) << name(cell);
  const Mesh mesh = warped_box(Cell::hex, 4, 1);
  for (const std::vector<int>& orders : {std::vector<int>{6, 4, 2, 1}, {6, 1}, {6, 3}, {6}})
    EXPECT_LE(poisson_iterations(mesh, 6, {}, {.orders = orders}), 40) << orders.size();
}

struct Wave {
  MILLRACE_HD double operator()(const fem::PointGeometry<double, 3>& g) const {
    return 1.5 + std::sin(7 * g.x[0]) * std::cos(5 * g.x[1] + g.x[2]);
  }
};

/// A user's own: -div((1 + 2 x) grad u) + (3 + y) u.
struct Own {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = (T(3) + x[1]) * u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = (T(1) + T(2) * x[0]) * grad[0][d];
  }
};

TEST(PMultigrid, TakesWhatTheOperatorTakes) {
  const Mesh mesh = warped_box(Cell::hex, 4, 2);
  const Space space = make_space(mesh, 5);
  const ElementOptions none, side{.constrained = space.boundary[2].nodes};
  EXPECT_LE((p_iterations<double>(mesh, space, fem::Diffusion<3, Wave>{}, side)), 25);
  for (const double mass : {0.1, 10.0, 1e6})
    EXPECT_LE(p_iterations<double>(mesh, space, fem::Helmholtz<3>{{1.0}, {mass}}, none), 25) << mass;
  EXPECT_LE(p_iterations<double>(mesh, space, fem::Pointwise<Own>{}, none), 25);
  EXPECT_LE(p_iterations<double>(mesh, space, fem::Mass<3>{}, none), 25);
  EXPECT_LE((p_iterations<double>(mesh, space, fem::Diffusion<3>{},
                                  {.factors = GeometricFactors::recomputed, .constrained = space.boundary[2].nodes})),
            25);
  EXPECT_LE(p_iterations<float>(mesh, space, fem::Diffusion<3>{}, side, {}, 1e-4), 15);
}

TEST(PMultigrid, ASingularProblemIsSolvedAsFarAsItCanBe) {
  for (const Cell cell : {Cell::hex, Cell::tet}) {
    const Mesh mesh = warped_box(cell, 4, 1);
    const Space space = make_space(mesh, 4);
    Queue queue;
    const auto a = make_element_operator<double>(mesh, space, fem::Diffusion<3>{});  // Neumann all around
    const auto m = make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{});
    const auto b = product(a, random_vector<double>(space.num_dofs(), 4));
    std::vector<double> x(b.size(), 0.0);
    const SolveReport report = cg(queue, a, m, b, x, {.tolerance = 1e-8, .max_iterations = 100});
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_LE(report.iterations, 25) << name(cell);
  }
}

TEST(PMultigrid, ElasticityHasRigidBodyModes) {
  for (const Cell cell : {Cell::hex, Cell::tet})
    for (const int order : {1, 2, 4}) {
      const Mesh mesh = warped_box(cell, 4, 1);
      const Space space = make_space(mesh, order, 3), scalar = make_space(mesh, order, 1);
      const ElementOptions side{.constrained = space.boundary[0].nodes};
      const fem::Elasticity<3> elasticity{{1.0}, {1.0}};
      EXPECT_LE(p_iterations<double>(mesh, space, elasticity, side), 45) << name(cell) << ' ' << order;
      Queue queue;
      const auto m = make_p_multigrid<double>(queue, mesh, space, elasticity, side);
      EXPECT_EQ(m.report().amg.levels[0].rows, 3 * make_space(mesh, 1).num_nodes);
    }
  const Mesh mesh = warped_box(Cell::hex, 4, 1);
  const Space space = make_space(mesh, 4, 3);
  EXPECT_LE(p_iterations<double>(mesh, space, fem::VectorDiffusion<3>{}, {.constrained = space.all_boundary_nodes}),
            25);
}

TEST(PMultigrid, IsLinearSymmetricAndPositive) {
  for (const Cell cell : {Cell::hex, Cell::tet}) {
    const Mesh mesh = warped_box(cell, 3, 1);
    const Space space = make_space(mesh, 4);
    const ElementOptions element{.constrained = space.boundary[0].nodes};
    Queue queue;
    const auto m =
        make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{}, element, {.precision = Precision::full});
    const auto x = random_vector<double>(space.num_dofs(), 1), y = random_vector<double>(space.num_dofs(), 2);
    const auto mx = product(m, x), my = product(m, y);
    const double scale = std::sqrt(dot(mx, mx) * dot(y, y));
    EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-12 * scale);
    EXPECT_GT(dot(mx, x), 0);
    std::vector<double> both(x.size()), z(x.size(), 1.0);
    for (std::size_t i = 0; i < x.size(); ++i) both[i] = 2 * x[i] - y[i];
    m.apply(queue, {.alpha = 0.5, .x = both, .beta = 3, .y = z});
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(z[i], mx[i] - my[i] / 2 + 3, 1e-12 * (1 + scale));
    std::vector<double> pair(x), answers(2 * x.size(), NAN);
    pair.insert(pair.end(), y.begin(), y.end());
    const std::int64_t n = space.num_dofs();
    m.apply(queue, {.x = {Device::host(), pair.data(), n, 2}, .y = {Device::host(), answers.data(), n, 2}});
    EXPECT_TRUE(same_bits<double>(mx, {answers.data(), x.size()}));
    EXPECT_TRUE(same_bits<double>(my, {answers.data() + x.size(), x.size()}));
    const auto narrow = make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{}, element);
    const auto nx = product(narrow, x);  // the same in float
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(nx[i], mx[i], 1e-4 * std::sqrt(dot(mx, mx)));
  }
}

TEST(PMultigrid, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Mesh mesh = warped_box(Cell::hex, 5, 1);
  const Space space = make_space(mesh, 5);
  const ElementOptions element{.constrained = space.all_boundary_nodes};
  std::vector<double> one;
  for (const int threads : {1, 2}) {
    Queue queue(Device::host(), threads);
    const auto m = make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{}, element);
    const auto y = product(m, random_vector<double>(space.num_dofs(), 1), threads);
    if (threads == 1) one = y;
    EXPECT_TRUE(same_bits<double>(one, y));
  }
}

TEST(PMultigrid, ReportsItsLevels) {
  const Mesh mesh = make_box(Cell::hex, {4, 4, 4});
  const Space space = make_space(mesh, 7);
  Queue queue;
  const auto m = make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{}, {});
  const PMultigridReport& report = m.report();
  ASSERT_EQ(report.levels.size(), 3U);
  EXPECT_EQ(m.options().orders, (std::vector<int>{7, 3, 1}));
  for (std::size_t l = 0; l < 3; ++l) {
    const int line = 4 * m.options().orders[l] + 1;
    EXPECT_EQ(report.levels[l].order, m.options().orders[l]);
    EXPECT_EQ(report.levels[l].unknowns, line * line * line);
    EXPECT_EQ(report.levels[l].largest_eigenvalue > 1, l < 2);
    EXPECT_GT(report.levels[l].bytes, 0);
  }
  EXPECT_EQ(report.amg.levels[0].rows, 125);
  EXPECT_GE(report.total, report.spaces + report.operators + report.transfers + report.algebraic);
  const std::string text = report.text();
  for (const char* word : {"order 7: 24389 unknowns", "order 3: 2197 unknowns", "order 1: 125 unknowns", "set-up"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_GT(m.traffic().total(), 6 * make_element_operator<float>(mesh, space, fem::Diffusion<3>{}).traffic().total());
}

struct Negative {
  MILLRACE_HD double operator()(const fem::PointGeometry<double, 3>&) const { return -1; }
};

TEST(PMultigrid, SaysWhatItDoesNotTake) {
  const Mesh mesh = make_box(Cell::hex, {2, 2, 2});
  const Space space = make_space(mesh, 4);
  const auto text = [&](const PMultigridOptions& options) {
    return error_of([&] {
      Queue queue;
      make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3>{}, {}, options);
    });
  };
  const auto expect = [](const std::string& found, const char* part) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect(text({.orders = {5, 2, 1}}), "the first level has order 5, the space has order 4; both must be the same");
  expect(text({.orders = {4, 4}}), "level 1 has order 4 after 4; orders of 1 and more that fall are accepted");
  expect(text({.orders = {4, 0}}), "level 1 has order 0 after 4");
  expect(text({.smoother = AmgSmoother::l1_jacobi}), "l1-Jacobi was asked for, which needs the rows of a matrix");
  expect(text({.smoother = AmgSmoother::block_jacobi}), "block Jacobi was asked for, which needs the rows of a matrix");
  expect(text({.smoother = AmgSmoother::fourth_kind_optimal, .degree = 7}),
         "a smoother of 7 products; 1 or more, with optimal weights up to 6, are accepted");
  expect(text({.degrees = {2}}), "1 degrees of smoothers for 3 levels; one for each but the last, or none");
  expect(error_of([&] {
           Queue queue;
           const Mesh tets = make_box(Cell::tet, {2, 2, 2});
           make_p_multigrid<double>(queue, tets, make_space(tets, 2), fem::Diffusion<3>{}, {},
                                    {.blocks = PMultigridBlocks::elements});
         }),
         "blocks of elements were asked for, of tets; quads and hexes with gradients are accepted");
  expect(text({.ratio = 1}), "a ratio of 1");
  expect(text({.precision = Precision::bfloat16}), "compute in float or in full");
  expect(error_of([&] {
           Queue queue;
           make_p_multigrid<double>(queue, mesh, space, fem::Diffusion<3, Negative>{}, {});
         }),
         "on its diagonal at unknown 0; positive numbers are accepted");
}

TEST(GpuPMultigrid, SolvesAsTheHostDoes) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  for (const Cell cell : {Cell::hex, Cell::tet}) {
    const Mesh mesh = cell == Cell::hex ? make_kershaw(cell, {6, 6, 6}, 0.3) : warped_box(cell, 4, 2);
    const Space space = make_space(mesh, cell == Cell::hex ? 7 : 4);
    const ElementOptions element{.constrained = space.all_boundary_nodes};
    const int on_host = p_iterations<double>(mesh, space, fem::Diffusion<3>{}, element);
    Queue gpu(Device::gpu());
    const auto a = make_element_operator<double>(mesh, space, fem::Diffusion<3>{}, element).to(Device::gpu());
    const auto m = make_p_multigrid<double>(gpu, mesh, space, fem::Diffusion<3>{}, element);
    const Array<double> b = on_gpu(random_vector<double>(space.num_dofs(), 3));
    std::vector<std::vector<double>> found;
    for (int run = 0; run < 2; ++run) {
      Array<double> x = on_gpu(std::vector<double>(static_cast<std::size_t>(space.num_dofs()), 0.0));
      const SolveReport report = cg(gpu, a, m, b, x, {.tolerance = 1e-8, .max_iterations = 200});
      EXPECT_TRUE(report.ok()) << report.reason;
      EXPECT_NEAR(report.iterations, on_host, 2);
      found.push_back(x.to_vector());
    }
    EXPECT_TRUE(same_bits<double>(found[0], found[1]));
  }
}

}  // namespace
}  // namespace millrace::testing
