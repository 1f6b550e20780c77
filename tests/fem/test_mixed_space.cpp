// Spaces and operators on triangles beside quads, and on blocks of one shape and two orders of geometry.
#include "fem/mixed_tools.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/cg.hpp"

namespace millrace::testing {
namespace {

/// Each node where every element that has it sees it.
void expect_nodes_where_elements_see_them(const Mesh& mesh, const Space& space) {
  std::vector<bool> seen(static_cast<std::size_t>(space.num_nodes));
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const CellBlock& block = mesh.blocks[b];
    const Restriction& r = space.blocks[b].restriction;
    Quadrature nodes;
    nodes.dim = space.dim;
    nodes.points = reference_nodes(block.cell, space.order, NodeKind::fem);
    nodes.weights.assign(nodes.points.size() / static_cast<std::size_t>(space.dim), 0);
    const ElementMap map(block.cell, block.order, nodes);
    std::vector<double> work(static_cast<std::size_t>(map.work_size()));
    for (Index e = 0; e < r.num_elem; ++e) {
      const ElementPoints at = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
      for (int n = 0; n < at.num_points; ++n) {
        const auto node = static_cast<Index>(r.entry(e, 0, n));
        seen[static_cast<std::size_t>(node)] = true;
        for (int d = 0; d < space.dim; ++d)
          ASSERT_NEAR(at.places[d * at.num_points + n], space.place(node)[d], 1e-13)
              << name(block.cell) << " order " << space.order << " element " << e << " node " << n;
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

TEST(MixedSpace, EdgesOfTrianglesAndQuadsHaveTheSameNodes) {
  for (int order = 1; order <= 8; ++order) {
    const auto along = [&](Cell cell, int edge) {  // distances of the nodes from the edge's first vertex
      const std::vector<double> points = reference_nodes(cell, order, NodeKind::fem);
      const std::vector<int> nodes = edge_nodes(cell, order, edge);
      const auto x = [&](int n, int d) { return points[static_cast<std::size_t>(2 * n + d)]; };
      std::vector<double> t;
      for (const int n : nodes) {
        const double length = std::hypot(x(nodes.back(), 0) - x(nodes.front(), 0), x(nodes.back(), 1) - x(nodes[0], 1));
        t.push_back(std::hypot(x(n, 0) - x(nodes.front(), 0), x(n, 1) - x(nodes.front(), 1)) / length);
      }
      return t;
    };
    const std::vector<double> line = gauss_lobatto(order + 1).points;
    for (const Cell cell : {Cell::triangle, Cell::quad})
      for (int edge = 0; edge < num_edges(cell); ++edge) {
        const std::vector<double> t = along(cell, edge);
        ASSERT_EQ(t.size(), line.size());
        for (std::size_t n = 0; n < t.size(); ++n)
          EXPECT_NEAR(t[n], line[n], 4e-16) << name(cell) << " edge " << edge << " order " << order;
      }
  }
}

TEST(MixedSpace, CountsAndPlacesNodes) {
  for (int order = 1; order <= 8; ++order)
    for (const int geometry : {1, 2, 4}) {
      const Mesh mesh = mixed_box(4, geometry);
      const Space space = make_space(mesh, order);
      ASSERT_EQ(space.blocks.size(), 2u);
      // As many as of quads alone: cutting a quad adds an edge, and two insides for one.
      EXPECT_EQ(space.num_nodes, (4 * order + 1) * (4 * order + 1)) << order;
      EXPECT_EQ(std::ssize(space.all_boundary_nodes), 16 * order);
      expect_nodes_where_elements_see_them(mesh, space);
      const std::int32_t left[] = {1}, lower[] = {3};
      EXPECT_EQ(std::ssize(boundary_nodes(space, left)), 4 * order + 1);   // triangles alone
      EXPECT_EQ(std::ssize(boundary_nodes(space, lower)), 4 * order + 1);  // both
    }
}

TEST(MixedSpace, TwoGeometryOrdersOfOneShape) {
  for (const Cell cell : all_cells) {
    const bool plane = dim(cell) == 2;
    Mesh mesh = make_box(cell, {2, 2, 2});
    const Mesh fine = elevate(mesh, 2);
    // The first half of the cells from the fine mesh, whose vertices have the same numbers here.
    const Index half = mesh.num_cells() / 2;
    const auto part = [&](const CellBlock& block, Index first, Index last) {
      const int n = block.nodes_per_cell();
      return CellBlock{block.cell, block.order,
                       Array<Index>(std::span<const Index>(block.nodes.data() + first * n,
                                                           static_cast<std::size_t>((last - first) * n))),
                       Array<std::int32_t>(last - first, 0)};
    };
    Mesh both;
    both.dim = mesh.dim;
    both.points = fine.points.clone();
    both.blocks.push_back(part(fine.blocks[0], 0, half));
    both.blocks.push_back(part(mesh.blocks[0], half, mesh.num_cells()));
    for (int order = 1; order <= 4; ++order) {
      const Space space = make_space(both, order);
      EXPECT_EQ(space.num_nodes, std::pow(2 * order + 1, plane ? 2 : 3)) << name(cell);
      expect_nodes_where_elements_see_them(both, space);
    }
  }
}

/// sum of all entries of A 1.
template <class P>
double total(const Mesh& mesh, const Space& space, const P& physics, const ElementOptions& options) {
  const std::vector<double> y = product<double>(make_element_sum<double>(mesh, space, physics, options),
                                                std::vector<double>(static_cast<std::size_t>(space.num_nodes), 1.0));
  return std::accumulate(y.begin(), y.end(), 0.0);
}

TEST(MixedSpace, MassIsTheAreaAndLinearFunctionsHaveNoResidual) {
  for (int order = 1; order <= 8; ++order)
    for (const int geometry : {1, 3}) {
      const Mesh mesh = mixed_box(4, geometry);
      const Space space = make_space(mesh, order);
      const ElementOptions rules = fine_rules(std::max(order, geometry));
      EXPECT_NEAR(total(mesh, space, fem::Mass<2>{}, rules), 1, 1e-13);
      // Of an isoparametric element x and y are in the space, and the flux of a linear function leaves nothing inside.
      const Space iso = make_space(mesh, std::max(order, geometry));
      const auto stiffness = make_element_sum<double>(mesh, iso, fem::Diffusion<2>{}, rules);
      const auto linear = values_at_nodes<double>(iso, [](const double* x, int) { return 1 + 2 * x[0] - 3 * x[1]; });
      const std::vector<double> residual = product<double>(stiffness, linear);
      for (Index n = 0; n < iso.num_nodes; ++n)
        if (!std::binary_search(iso.all_boundary_nodes.begin(), iso.all_boundary_nodes.end(), n)) {
          ASSERT_NEAR(residual[static_cast<std::size_t>(n)], 0, 1e-11) << "order " << order << " node " << n;
        }
      const auto constant = product<double>(stiffness, std::vector<double>(linear.size(), 1.0));
      for (const double r : constant) ASSERT_NEAR(r, 0, 1e-11);
    }
}

/// (u_h - q)^2 where q = x^p + x y^(p - 1) - 2 y^p, which the space holds on straight cells.
struct OffPolynomial {
  static constexpr int dim = 2, comps = 2;
  static constexpr bool uses_grad = false;
  int p = 1;
  static double value(const double* x, int p) {
    return std::pow(x[0], p) + x[0] * std::pow(x[1], p - 1) - 2 * std::pow(x[1], p);
  }
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[2], T* v, T (*)[2]) const {
    const double place[] = {static_cast<double>(x[0]), static_cast<double>(x[1])};
    const T error = u[0] - static_cast<T>(value(place, p));
    v[1] = error * error;
  }
};

TEST(MixedSpace, HoldsPolynomialsOfItsOrder) {
  for (int order = 1; order <= 8; ++order) {
    const Mesh mesh = cut_left_half(make_box(Cell::quad, {4, 4, 1}));
    const Space pair = make_space(mesh, order, 2);
    const auto u = values_at_nodes<double>(
        pair, [&](const double* x, int c) { return c == 0 ? OffPolynomial::value(x, order) : 1.0; });
    const auto square = product<double>(
        make_element_sum<double>(mesh, pair, fem::Pointwise<OffPolynomial>{{order}}, fine_rules(order)), u);
    EXPECT_LT(std::sqrt(std::abs(std::accumulate(square.begin(), square.end(), 0.0))), 1e-13) << order;
  }
}

template <class T>
void expect_sum_as_its_matrix(int comps) {
  const Mesh mesh = mixed_box(4, 2);
  const Space space = make_space(mesh, 3, comps);
  ElementOptions options;
  options.constrained = space.all_boundary_nodes;
  const auto check = [&](const auto& a) {
    Queue queue(Device::host(), 2);
    const Csr<T> matrix = a.assemble(queue);
    std::vector<T> diagonal(static_cast<std::size_t>(space.num_dofs()));
    a.diagonal(queue, diagonal);
    const auto x = values_at_nodes<T>(space, [](const double* at, int c) { return std::cos(7 * at[0] + at[1] + c); });
    const auto y = product<T>(a, x);
    const double bound = 2 * rounding(a.parts()[1], max_row(matrix));
    for (Index r = 0; r < matrix.num_rows; ++r) {
      double sum = 0;
      for (Offset k = matrix.row_begin(r); k < matrix.row_begin(r + 1); ++k) {
        const Index column = matrix.cols.data()[k];
        sum += static_cast<double>(matrix.vals.data()[k]) * static_cast<double>(x[static_cast<std::size_t>(column)]);
        if (column == r) {
          ASSERT_NEAR(matrix.vals.data()[k], diagonal[static_cast<std::size_t>(r)], bound);
        }
      }
      ASSERT_NEAR(y[static_cast<std::size_t>(r)], sum, bound) << r;
    }
    for (const Index n : space.all_boundary_nodes)
      for (int c = 0; c < comps; ++c) {
        const auto r = static_cast<Index>(space.entry(n, c));
        ASSERT_EQ(matrix.row_begin(r + 1) - matrix.row_begin(r), 1);
        EXPECT_EQ(matrix.vals.data()[matrix.row_begin(r)], T{1});  // once, although triangles and quads meet here
        EXPECT_EQ(diagonal[static_cast<std::size_t>(r)], T{1});
        EXPECT_EQ(y[static_cast<std::size_t>(r)], x[static_cast<std::size_t>(r)]);
      }
    // y = alpha A x + beta y, several vectors at once, the same bits on more threads
    std::vector<T> two(2 * x.size()), out(2 * x.size(), T{1});
    std::copy(x.begin(), x.end(), two.begin());
    const auto n = std::ssize(x);
    Queue host(Device::host(), 3);
    a.apply(host, {.alpha = T{2},
                   .x = {Device::host(), two.data(), n, 2},
                   .beta = T{-1},
                   .y = {Device::host(), out.data(), n, 2}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(out[i], 2 * y[i] - 1, 4 * bound + 4 * static_cast<double>(epsilon<T>));
      ASSERT_EQ(out[x.size() + i], T{-1});
    }
    EXPECT_EQ(product<T>(a, x, 3), y);
    EXPECT_TRUE(a.can_transpose());
    EXPECT_GT(a.traffic().matrix, a.parts()[0].traffic().matrix);
    EXPECT_EQ(a.traffic().vectors, a.parts()[0].traffic().vectors);
    EXPECT_EQ(product<T>(a.to(Device::host()), x), y);
  };
  if (comps == 1)
    check(make_element_sum<T>(mesh, space, fem::Helmholtz<2>{}, options));
  else
    check(make_element_sum<T>(mesh, space, fem::Elasticity<2>{}, options));
}

TEST(ElementSum, IsItsMatrix) {
  expect_sum_as_its_matrix<double>(1);
  expect_sum_as_its_matrix<double>(2);
  expect_sum_as_its_matrix<float>(1);
}

TEST(ElementSum, RefusesWhatDoesNotBelongTogether) {
  const Mesh mesh = mixed_box(2, 1);
  const Space space = make_space(mesh, 2);
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::Mass<2>{}); }),
            "this needs a space with one kind of element; this one has 4 triangle and 2 quad elements; name a block "
            "(ElementOptions::block), or add up all of them (make_element_sum)");
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::Mass<2>{}, {.block = 2}); }),
            "space: block 2 was asked for; there are 0 to 1");
  EXPECT_EQ(error_of([] { ElementSum<double>({}); }), "element sum: no operators were given; at least 1 is needed");
  std::vector<ElementOperator<double>> parts;
  for (const int b : {0, 1})
    parts.push_back(make_element_operator<double>(mesh, space, fem::Mass<2>{}, {.constrained = {0}, .block = b}));
  EXPECT_EQ(error_of([&] { ElementSum<double>(std::move(parts)); }),
            "element sum: operator 1 has the identity at constrained nodes; only the first may have it "
            "(ElementOptions::identity)");
  EXPECT_EQ(error_of([&] { make_space(mesh, 9); }), "space: order 9 was asked for; orders of a triangle are 1 to 8");
  Mesh tets = make_box(Cell::tet, {1, 1, 1}), hexes = make_box(Cell::hex, {1, 1, 1});
  tets.blocks.push_back(std::move(hexes.blocks[0]));
  EXPECT_EQ(
      error_of([&] { make_space(tets, 2); }),
      "space: the mesh has 6 tets, 1 hex; tets and hexes share no faces, and the pyramids between them are missing "
      "here; accepted are tets, hexes, and in the plane triangles with quads");
}

double exact(const double* x) { return std::sin(M_PI * x[0]) * std::sin(M_PI * x[1]); }

struct MixedLoad {
  static constexpr int dim = 2, comps = 1;
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[2], T* v, T (*)[2]) const {
    v[0] = static_cast<T>(2 * M_PI * M_PI * exact(x)) * u[0];
  }
};
struct MixedError {
  static constexpr int dim = 2, comps = 2;
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[2], T* v, T (*)[2]) const {
    v[1] = (u[0] - static_cast<T>(exact(x))) * (u[0] - static_cast<T>(exact(x)));
  }
};

double poisson_error(int order, int n) {
  const Mesh mesh = mixed_box(n, std::min(order, 4), 0.05);
  const Space space = make_space(mesh, order);
  ElementOptions dirichlet = fine_rules(order);
  dirichlet.constrained = space.all_boundary_nodes;
  const auto k = make_element_sum<double>(mesh, space, fem::Diffusion<2>{}, dirichlet);
  std::vector<double> b =
      product<double>(make_element_sum<double>(mesh, space, fem::Pointwise<MixedLoad>{}, fine_rules(order)),
                      std::vector<double>(static_cast<std::size_t>(space.num_nodes), 1.0));
  for (const Index node : space.all_boundary_nodes) b[static_cast<std::size_t>(node)] = 0;
  std::vector<double> u(b.size(), 0.0);
  Queue queue;
  const Jacobi<double> jacobi(queue, k.assemble(queue));
  EXPECT_LT(cg(queue, k, jacobi, b, u, {.tolerance = 1e-13, .max_iterations = 5000}).relative, 1e-11);
  const Space pair = make_space(mesh, order, 2);
  u.resize(2 * b.size(), 1.0);
  const auto square =
      product<double>(make_element_sum<double>(mesh, pair, fem::Pointwise<MixedError>{}, fine_rules(order)), u);
  return std::sqrt(std::accumulate(square.begin() + std::ssize(b), square.end(), 0.0));
}

TEST(MixedConvergence, PoissonIsOfOrderPPlusOne) {
  const int coarse[] = {8, 6, 4, 4};
  for (int order = 1; order <= 4; ++order) {
    const int n = coarse[order - 1];
    const double first = poisson_error(order, n), second = poisson_error(order, 2 * n);
    EXPECT_GT(std::log2(first / second), order + 0.6) << "order " << order << ": " << first << " and " << second;
  }
}

}  // namespace
}  // namespace millrace::testing
