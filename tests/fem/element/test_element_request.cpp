// Requests and options of an element operator: alpha and beta, several vectors, threads, recomputed factors, errors.
#include "fem/fem_tools.hpp"

namespace millrace::testing {
namespace {

struct Problem {
  Mesh mesh;
  Space space;
};
Problem hexes(int order, int n = 3) {
  Mesh mesh = warped_box(Cell::hex, n, 2);
  Space space = make_space(mesh, order);
  return {std::move(mesh), std::move(space)};
}

TEST(ElementRequest, AlphaBetaAndSeveralVectors) {
  const auto [mesh, space] = hexes(2);
  const ElementOptions dirichlet{.constrained = space.all_boundary_nodes};
  const auto a = make_element_operator<double>(mesh, space, fem::Helmholtz<3>{}, dirichlet);
  const std::int64_t n = a.shape().rows;
  const auto x = random_vector<double>(2 * n, 3);
  auto y = random_vector<double>(2 * n, 4);
  const auto before = y;
  Queue queue;
  a.apply(queue,
          {.alpha = -2, .x = {Device::host(), x.data(), n, 2}, .beta = 0.5, .y = {Device::host(), y.data(), n, 2}});
  for (std::size_t k = 0; k < 2; ++k) {
    const auto first = static_cast<std::ptrdiff_t>(k) * n;
    const auto plain = product(a, std::vector<double>(x.begin() + first, x.begin() + first + n));
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_NEAR(y[k * plain.size() + i], -2 * plain[i] + 0.5 * before[k * plain.size() + i], 1e-13);
  }
}

TEST(ElementRequest, ConstrainedNodesActAsTheIdentity) {
  const auto [mesh, space] = hexes(3, 2);
  const ElementOptions dirichlet{.constrained = space.all_boundary_nodes};
  const auto a = make_element_operator<double>(mesh, space, fem::Diffusion<3>{}, dirichlet);
  auto x = random_vector<double>(space.num_nodes, 9);
  const auto y = product(a, x);
  for (const Index n : space.all_boundary_nodes)
    EXPECT_EQ(y[static_cast<std::size_t>(n)], x[static_cast<std::size_t>(n)]);
  for (const Index n : space.all_boundary_nodes) x[static_cast<std::size_t>(n)] = 1e30;  // they touch no other row
  const auto z = product(a, x);
  for (Index n = 0; n < space.num_nodes; ++n) {
    if (std::binary_search(space.all_boundary_nodes.begin(), space.all_boundary_nodes.end(), n)) continue;
    EXPECT_EQ(z[static_cast<std::size_t>(n)], y[static_cast<std::size_t>(n)]);
  }
}

TEST(ElementRequest, SameBitsTwiceAndForAnyNumberOfThreads) {
  for (const Cell cell : {Cell::hex, Cell::tet}) {
    const Mesh mesh = warped_box(cell, cell == Cell::hex ? 9 : 5, 1);
    const Space space = make_space(mesh, 3);
    for (const GeometricFactors factors : {GeometricFactors::stored, GeometricFactors::recomputed}) {
      const auto a = make_element_operator<double>(mesh, space, fem::Diffusion<3>{}, {.factors = factors});
      const auto x = random_vector<double>(space.num_nodes, 5);
      const auto one = product(a, x, 1);
      for (const int threads : {1, 2, 3, 7})
        EXPECT_TRUE(same_bits<double>(one, product(a, x, threads))) << name(cell) << ' ' << threads << " threads";
    }
  }
}

TEST(ElementRequest, MatrixAndDiagonalHaveTheSameBitsForAnyNumberOfThreads) {
  const auto [mesh, space] = hexes(2, 6);
  const auto a = make_element_operator<double>(mesh, space, fem::Helmholtz<3>{});
  Queue one(Device::host(), 1), three(Device::host(), 3);
  EXPECT_TRUE(same_bits<double>(a.assemble(one).vals.span(), a.assemble(three).vals.span()));
  std::vector<double> d(static_cast<std::size_t>(space.num_nodes)), e = d;
  a.diagonal(one, d);
  a.diagonal(three, e);
  EXPECT_TRUE(same_bits<double>(d, e));
}

TEST(ElementRequest, RecomputedEqualsStored) {
  for (const Cell cell : all_cells)
    for (const int geometry_order : {1, 2, 4}) {
      const Mesh mesh = warped_box(cell, 2, geometry_order);
      const Space space = make_space(mesh, 3);
      const auto x = random_vector<double>(space.num_nodes, 5);
      const auto run = [&](GeometricFactors factors) {
        const ElementOptions options{.factors = factors};
        return dim(cell) == 2 ? product(make_element_operator<double>(mesh, space, fem::Helmholtz<2>{}, options), x)
                              : product(make_element_operator<double>(mesh, space, fem::Helmholtz<3>{}, options), x);
      };
      const auto stored = run(GeometricFactors::stored), made = run(GeometricFactors::recomputed);
      EXPECT_TRUE(same_bits<double>(stored, made)) << name(cell) << " of order " << geometry_order;
    }
}

TEST(ElementRequest, TrafficCountsWhatIsStored) {
  const auto [mesh, space] = hexes(4, 2);
  const auto stored = make_element_operator<double>(mesh, space, fem::Diffusion<3>{});
  const auto made =
      make_element_operator<double>(mesh, space, fem::Diffusion<3>{}, {.factors = GeometricFactors::recomputed});
  const double offsets = 8 * 125 * 4, vectors = 2.0 * 8 * space.num_nodes;
  EXPECT_EQ(stored.traffic().matrix, offsets + 8 * 6 * 216 * 8);
  EXPECT_EQ(made.traffic().matrix, offsets + 8 * 27 * 4 + mesh.num_points() * 3 * 8);
  EXPECT_EQ(stored.traffic().vectors, vectors);
}

TEST(ElementRequest, SaysWhatDoesNotFit) {
  const auto [mesh, space] = hexes(1, 2);
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::Mass<2>{}); }),
            "element operator: the physics is written for 2 dimensions, the mesh has 3");
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::VectorMass<3>{}); }),
            "element operator: the physics has 3 components, the space 1");
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::Mass<3>{}, {.constrained = {27}}); }),
            "element operator: constrained node 27 is outside 0..26");
  const Mesh other = make_box(Cell::hex, {3, 2, 2});
  EXPECT_EQ(error_of([&] { make_element_operator<double>(other, space, fem::Mass<3>{}); }),
            "element operator: the space has 8 hex elements, the mesh 12 hex cells; make the space on this mesh");
}

TEST(ElementRequest, NamesAnInvertedElement) {
  Mesh mesh = make_box(Cell::quad, {3, 1, 1});
  const Space space = make_space(mesh, 2);
  std::swap(mesh.blocks[0].nodes_of(1)[0], mesh.blocks[0].nodes_of(1)[1]);
  std::swap(mesh.blocks[0].nodes_of(1)[2], mesh.blocks[0].nodes_of(1)[3]);
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::Mass<2>{}); }),
            "element geometry: the map of quad 1 has a Jacobian that is not positive at a quadrature point; mend the "
            "mesh or turn the element");
}

struct Reaction {  // a user's physics with a branch: |x| decides
  static constexpr int dim = 2, comps = 1;
  static constexpr bool uses_grad = false;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[2], T* v, T (*)[2]) const {
    v[0] = x[0] < T(0.5) ? u[0] : T(3) * u[0];
  }
};

TEST(ElementRequest, ServesAPhysicsWithBranches) {
  const Mesh mesh = make_box(Cell::quad, {4, 4, 1});
  const Space space = make_space(mesh, 3);
  const auto a = make_element_operator<double>(mesh, space, fem::Pointwise<Reaction>{});
  const std::vector<double> ones(static_cast<std::size_t>(space.num_nodes), 1.0);
  EXPECT_NEAR(dot(ones, product(a, ones)), 2.0, 1e-13);
}

}  // namespace
}  // namespace millrace::testing
