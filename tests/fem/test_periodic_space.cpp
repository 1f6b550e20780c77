// Spaces on meshes with periodic sides: numbers of nodes, what both sides see, and solutions that go round.
#include "fem/mixed_tools.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"

namespace millrace::testing {
namespace {

constexpr std::array<bool, 3> all_round{true, true, true};

/// The unit box with congruent curved sides: what is moved at x = 0 is moved in the same way at x = 1.
Mesh wavy_box(Cell cell, std::array<int, 3> cells, std::array<bool, 3> periodic, int order, double amount = 0.04) {
  Mesh mesh = make_box(cell, cells, {{0, 0, 0}, {1, 1, 1}, periodic}, order);
  deform(mesh, [&](const Point& x) {
    const bool plane = dim(cell) == 2;
    const double s = 2 * M_PI;
    Point y = x;
    y[0] += amount * std::sin(s * x[1]) * (plane ? 1 : std::cos(s * x[2]));
    y[1] += amount * std::sin(s * x[0]);
    if (!plane) y[2] += amount * std::cos(s * (x[0] + x[1]));
    return y;
  });
  return mesh;
}

TEST(PeriodicSpace, CountsNodes) {
  for (const Cell cell : all_cells)
    for (int mask = 0; mask < (dim(cell) == 2 ? 4 : 8); ++mask)
      for (int order = 1; order <= (dim(cell) == 2 ? 8 : 4); ++order) {
        const std::array<bool, 3> periodic{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
        const std::array<int, 3> cells{3, 2, 2};
        const Mesh mesh = make_box(cell, cells, {{}, {1, 1, 1}, periodic});
        const Space space = make_space(mesh, order), open = make_space(mesh, order, 1, PeriodicSides::ignored);
        Index nodes = 1, inside = 1, all = 1;
        for (std::size_t d = 0; d < static_cast<std::size_t>(space.dim); ++d) {
          const int line = cells[d] * order;
          nodes *= line + (periodic[d] ? 0 : 1);
          inside *= line - (periodic[d] ? 0 : 1);
          all *= line + 1;
        }
        EXPECT_EQ(space.num_nodes, nodes) << name(cell) << " order " << order << " mask " << mask;
        EXPECT_EQ(std::ssize(space.all_boundary_nodes), nodes - inside);
        EXPECT_EQ(open.num_nodes, all);
        // A side that is glued is still a group, of nodes inside, and the same one on either side.
        const std::int32_t left[] = {1}, right[] = {2};
        if (periodic[0]) {
          EXPECT_EQ(std::ssize(boundary_nodes(space, left)) * cells[0] * order, nodes);
          EXPECT_EQ(boundary_nodes(space, left), boundary_nodes(space, right));
        }
      }
}

TEST(PeriodicSpace, ElementsSeeNodesUpToAPeriod) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= (dim(cell) == 2 ? 8 : 6); ++order) {
      const Mesh mesh = wavy_box(cell, {2, 3, 2}, all_round, 1 + order % 3);
      const Space space = make_space(mesh, order);
      Quadrature nodes;
      nodes.dim = space.dim;
      nodes.points = reference_nodes(cell, order, NodeKind::fem);
      nodes.weights.assign(nodes.points.size() / static_cast<std::size_t>(space.dim), 0);
      const ElementMap map(cell, mesh.blocks[0].order, nodes);
      std::vector<double> work(static_cast<std::size_t>(map.work_size()));
      for (Index e = 0; e < mesh.num_cells(); ++e) {
        const ElementPoints at = map.evaluate(mesh.points.data(), mesh.blocks[0].nodes_of(e), work.data());
        for (int n = 0; n < at.num_points; ++n)
          for (int d = 0; d < space.dim; ++d) {
            const auto node = static_cast<Index>(space.only_block().restriction.entry(e, 0, n));
            const double gap = at.places[d * at.num_points + n] - space.place(node)[d];
            ASSERT_NEAR(gap, std::round(gap), 1e-13) << name(cell) << " order " << order << " element " << e;
          }
      }
    }
}

TEST(PeriodicSpace, RefusesACellThatReachesItsOwnImage) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = make_box(cell, {3, 1, 2}, {{}, {1, 1, 1}, all_round});
    EXPECT_EQ(error_of([&] { make_space(mesh, 2); }),
              join("space: ", name(cell),
                   " 0 reaches from a periodic side to its image; at least 2 cells are needed between them"));
    EXPECT_GT(make_space(mesh, 2, 1, PeriodicSides::ignored).num_nodes, 0);
  }
}

TEST(PeriodicSpace, ConstantsHaveNoGradientAndMassIsTheVolume) {
  for (const Cell cell : all_cells)
    for (int order = 1; order <= 4; ++order) {
      const Mesh mesh = wavy_box(cell, {2, 3, 2}, all_round, 2, 0.02);
      const Space space = make_space(mesh, order);
      const std::vector<double> ones(static_cast<std::size_t>(space.num_nodes), 1.0);
      const auto check = [&](const auto& stiffness, const auto& mass) {
        const auto flux = product<double>(stiffness, ones), volume = product<double>(mass, ones);
        for (const double f : flux) ASSERT_NEAR(f, 0, 1e-12);
        EXPECT_NEAR(std::accumulate(volume.begin(), volume.end(), 0.0), 1, 1e-12);  // sides are congruent
        Queue queue;
        std::vector<double> diagonal(ones.size());
        mass.diagonal(queue, diagonal);
        const Csr<double> matrix = mass.assemble(queue);
        for (Index r = 0; r < matrix.num_rows; ++r)
          for (Offset k = matrix.row_begin(r); k < matrix.row_begin(r + 1); ++k)
            if (matrix.cols.data()[k] == r) {
              ASSERT_NEAR(matrix.vals.data()[k], diagonal[static_cast<std::size_t>(r)], 1e-15);
            }
      };
      const ElementOptions fine = fine_rules(order + 1);
      if (space.dim == 2)
        check(make_element_sum<double>(mesh, space, fem::Diffusion<2>{}, fine),
              make_element_sum<double>(mesh, space, fem::Mass<2>{}, fine));
      else
        check(make_element_sum<double>(mesh, space, fem::Diffusion<3>{}, fine),
              make_element_sum<double>(mesh, space, fem::Mass<3>{}, fine));
    }
}

/// Of period 1 in every direction, and odd nowhere.
double wave(const double* x, int dim) {
  const double s = 2 * M_PI;
  return std::sin(s * x[0] + 0.3) * std::cos(s * x[1] - 0.5) * (dim == 3 ? std::sin(s * x[2] + 0.9) : 1.0);
}
template <int D>
struct WaveLoad {  // -lap u + u
  static constexpr int dim = D, comps = 1;
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[unsigned(D)], T* v, T (*)[unsigned(D)]) const {
    v[0] = static_cast<T>((4 * D * M_PI * M_PI + 1) * wave(x, D)) * u[0];
  }
};
template <int D>
struct WaveError {
  static constexpr int dim = D, comps = 2;
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[unsigned(D)], T* v, T (*)[unsigned(D)]) const {
    const T error = u[0] - static_cast<T>(wave(x, D));
    v[1] = error * error;
  }
};

template <int D>
double error_round(const Mesh& mesh, int order) {
  const Space space = make_space(mesh, order);
  EXPECT_TRUE(space.all_boundary_nodes.empty());
  const ElementOptions fine = fine_rules(order);
  const auto a = make_element_sum<double>(mesh, space, fem::Helmholtz<D>{}, fine);
  const auto b = product<double>(make_element_sum<double>(mesh, space, fem::Pointwise<WaveLoad<D>>{}, fine),
                                 std::vector<double>(static_cast<std::size_t>(space.num_nodes), 1.0));
  std::vector<double> u(b.size(), 0.0);
  Queue queue;
  const Jacobi<double> jacobi(queue, a.assemble(queue));
  EXPECT_LT(cg(queue, a, jacobi, b, u, {.tolerance = 1e-13, .max_iterations = 5000}).relative, 1e-11);
  u.resize(2 * b.size(), 1.0);
  const auto square = product<double>(
      make_element_sum<double>(mesh, make_space(mesh, order, 2), fem::Pointwise<WaveError<D>>{}, fine), u);
  return std::sqrt(std::accumulate(square.begin() + std::ssize(b), square.end(), 0.0));
}

void expect_slope(double coarse, double fine, int n, int m, int order, std::string_view what) {
  const double slope = std::log(coarse / fine) / std::log(static_cast<double>(m) / n);
  EXPECT_GT(slope, order + 0.5) << what << " order " << order << ": " << coarse << " and " << fine;
}

TEST(PeriodicConvergence, IsOfOrderPPlusOneInThePlane) {
  const int coarse[] = {16, 8, 6, 4};
  for (const Cell cell : {Cell::triangle, Cell::quad})
    for (int order = 1; order <= 4; ++order) {
      const int n = coarse[order - 1];
      const auto error = [&](int m) {
        return error_round<2>(wavy_box(cell, {m, m, 1}, all_round, std::min(order, 4)), order);
      };
      expect_slope(error(n), error(2 * n), n, 2 * n, order, name(cell));
    }
}

// Triangles on the left meet quads in the middle and, round the outside, at the periodic side.
TEST(PeriodicConvergence, IsOfOrderPPlusOneOnTrianglesWithQuads) {
  const int coarse[] = {16, 8, 6, 4};
  for (int order = 1; order <= 4; ++order) {
    const int n = coarse[order - 1];
    const auto error = [&](int m) {
      return error_round<2>(cut_left_half(wavy_box(Cell::quad, {m, m, 1}, all_round, order)), order);
    };
    expect_slope(error(n), error(2 * n), n, 2 * n, order, "mixed");
  }
}

TEST(PeriodicConvergence, IsOfOrderPPlusOneInSpace) {
  struct Case {
    Cell cell;
    int order, coarse, fine;
  };
  for (const Case& c : {Case{Cell::hex, 1, 6, 12},
                        {Cell::hex, 2, 4, 8},
                        {Cell::hex, 3, 3, 6},
                        {Cell::tet, 1, 8, 16},
                        {Cell::tet, 2, 4, 8},
                        {Cell::tet, 3, 4, 7}}) {
    const auto error = [&](int n) { return error_round<3>(wavy_box(c.cell, {n, n, n}, all_round, c.order), c.order); };
    expect_slope(error(c.coarse), error(c.fine), c.coarse, c.fine, c.order, name(c.cell));
  }
}

}  // namespace
}  // namespace millrace::testing
