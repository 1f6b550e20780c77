// Sums of real operators with complex factors: equal to their matrix, and a plane wave with losses comes out with the
// order that theory says.
#include "millrace/fem/complex_operator.hpp"

#include "fem/fem_tools.hpp"
#include "millrace/fem/element_sum.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/gmres.hpp"

namespace millrace::testing {
namespace {

using Cplx = std::complex<double>;

std::vector<Cplx> random_complex(std::int64_t n, std::uint64_t seed) {
  const auto re = random_vector<double>(n, seed), im = random_vector<double>(n, seed + 1);
  std::vector<Cplx> x;
  for (std::size_t i = 0; i < re.size(); ++i) x.emplace_back(re[i], im[i]);
  return x;
}

Cplx complex_dot(const std::vector<Cplx>& a, const std::vector<Cplx>& b, bool conjugate) {
  Cplx sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (conjugate ? std::conj(a[i]) : a[i]) * b[i];
  return sum;
}

struct Waves {
  explicit Waves(Cell cell, int order = 2, int n = 3)
      : mesh(warped_box(cell, n, std::min(order, 2), 0.05)), space(make_space(mesh, order)) {
    if (dim(cell) == 2)
      make<2>();
    else
      make<3>();
  }
  template <int D>
  void make() {
    stiffness.emplace_back(make_element_operator<double>(mesh, space, fem::Diffusion<D>{}));
    mass.emplace_back(make_element_operator<double>(mesh, space, fem::Mass<D>{}));
  }
  /// (1 + 0.1 i) K - k^2 M
  ComplexOperator<double> helmholtz(Cplx k, std::vector<Index> constrained = {}, Cplx first = 1) const {
    ComplexOperator<double> a(std::move(constrained));
    a.add(first, stiffness[0]);
    a.add(-k * k, mass[0]);
    return a;
  }
  Mesh mesh;
  Space space;
  std::vector<ElementOperator<double>> stiffness, mass;
};

TEST(ComplexOperator, EqualsItsMatrix) {
  Queue queue;
  for (const Cell cell : all_cells) {
    const Waves waves(cell);
    for (const bool dirichlet : {false, true}) {
      const auto a =
          waves.helmholtz({3, 0.5}, dirichlet ? waves.space.all_boundary_nodes : std::vector<Index>{}, {1, 0.1});
      const Csr<Cplx> matrix = a.assemble(queue);
      const std::int64_t n = a.shape().rows;
      const auto x = random_complex(n, 1);
      auto y = random_complex(n, 5), diagonal = y;
      const auto before = y;
      const Cplx alpha(2, -1), beta(0.5, 3);
      a.apply(queue, {.alpha = alpha, .x = x, .beta = beta, .y = y});
      a.diagonal(queue, diagonal);
      for (Index r = 0; r < matrix.num_rows; ++r) {
        const auto i = static_cast<std::size_t>(r);
        Cplx sum = 0;
        for (Offset k = matrix.row_begin(r); k < matrix.row_begin(r + 1); ++k) {
          const Index c = matrix.cols.data()[k];
          if (k > matrix.row_begin(r)) {
            EXPECT_LT(matrix.cols.data()[k - 1], c);
          }
          sum += matrix.vals.data()[k] * x[static_cast<std::size_t>(c)];
          if (c == r) {
            EXPECT_LT(std::abs(diagonal[i] - matrix.vals.data()[k]), 1e-12);
          }
        }
        EXPECT_LT(std::abs(y[i] - (alpha * sum + beta * before[i])), 1e-12) << name(cell) << ", row " << r;
      }
      for (const Index node : waves.space.all_boundary_nodes)
        EXPECT_EQ(diagonal[static_cast<std::size_t>(node)] == Cplx(1), dirichlet);
    }
  }
}

TEST(ComplexOperator, TransposesAndSeveralVectors) {
  Queue queue;
  const Waves waves(Cell::quad);
  const auto a = waves.helmholtz({3, 0.5}, waves.space.all_boundary_nodes, {1, 0.1});
  ASSERT_TRUE(a.can_transpose());
  const std::int64_t n = a.shape().rows;
  const auto u = random_complex(n, 1), v = random_complex(n, 3);
  std::vector<Cplx> au(u.size()), atv(u.size()), ahv(u.size()), both(2 * u.size()), two(u);
  a.apply(queue, {.x = u, .y = au});
  a.apply(queue, {.x = v, .y = atv, .op = Op::transpose});
  a.apply(queue, {.x = v, .y = ahv, .op = Op::conjugate_transpose});
  EXPECT_LT(std::abs(complex_dot(v, au, false) - complex_dot(atv, u, false)), 1e-11);
  EXPECT_LT(std::abs(complex_dot(v, au, true) - complex_dot(ahv, u, true)), 1e-11);
  two.insert(two.end(), v.begin(), v.end());
  a.apply(queue, {.x = {Device::host(), two.data(), n, 2}, .y = {Device::host(), both.data(), n, 2}});
  EXPECT_TRUE(std::equal(au.begin(), au.end(), both.begin()));
}

TEST(ComplexOperator, SaysWhatDoesNotFit) {
  const Waves waves(Cell::quad), other(Cell::quad, 1);
  ComplexOperator<double> a;
  a.add(1, waves.stiffness[0]);
  EXPECT_EQ(error_of([&] { a.add(1, other.mass[0]); }),
            "complex operator: a part is 16 x 16; those before are 49 x 49");
  const auto constrained = make_element_operator<double>(waves.mesh, waves.space, fem::Mass<2>{}, {.constrained = {3}});
  const auto sum = make_element_sum<double>(waves.mesh, waves.space, fem::Mass<2>{}, {.constrained = {3}});
  const std::string reason =
      "complex operator: a part has constrained nodes, whose identity would be scaled and summed; make it without and "
      "name their entries when this operator is made";
  EXPECT_EQ(error_of([&] { a.add(1, constrained); }), reason);
  EXPECT_EQ(error_of([&] { a.add(1, sum); }), reason);
  ComplexOperator<double> b({49});
  EXPECT_EQ(error_of([&] { b.add(1, waves.mass[0]); }), "complex operator: constrained entry 49 is outside 0..48");
  const Identity<double> identity(waves.mass[0]);
  a.add(2, identity);
  Queue queue;
  EXPECT_EQ(error_of([&] { a.assemble(queue); }), "assemble: a part of the complex operator has no matrix");
}

/// -div grad u = k^2 u has the solution exp(i k d . x), |d| = 1, which fades where k has an imaginary part.
double error_of_wave(Cell cell, int order, int n) {
  Queue queue;
  const Cplx k(4, 0.7);
  const Waves waves(cell, order, n);
  const Space& space = waves.space;
  const auto wave = [&](Index node) {
    const double* x = space.place(node);
    return std::exp(Cplx(0, 1) * k * (space.dim == 2 ? 0.6 * x[0] + 0.8 * x[1] : (x[0] + 2 * x[1] + 2 * x[2]) / 3));
  };
  const std::int64_t num = space.num_nodes;
  std::vector<Cplx> u(static_cast<std::size_t>(num)), b(u.size());
  for (const Index node : space.all_boundary_nodes) u[static_cast<std::size_t>(node)] = wave(node);
  waves.helmholtz(k).apply(queue, {.alpha = -1, .x = u, .y = b});
  for (const Index node : space.all_boundary_nodes) b[static_cast<std::size_t>(node)] = wave(node);
  const auto a = waves.helmholtz(k, space.all_boundary_nodes);
  const SolveReport report = gmres(queue, a, Jacobi<Cplx>(queue, a.assemble(queue)), b, u,
                                   {.tolerance = 1e-11, .max_iterations = 2000, .restart = 300});
  EXPECT_TRUE(report.ok()) << report.reason;
  std::vector<Cplx> mass_error(u.size());
  for (Index node = 0; node < num; ++node) u[static_cast<std::size_t>(node)] -= wave(node);
  ComplexOperator<double> mass;
  mass.add(1, waves.mass[0]);
  mass.apply(queue, {.x = u, .y = mass_error});
  return std::sqrt(complex_dot(u, mass_error, true).real());
}

TEST(ComplexOperator, PlaneWaveHasTheOrderOfTheory) {
  const auto expect_order = [](Cell cell, int order, int coarse, int fine) {
    const double first = error_of_wave(cell, order, coarse), second = error_of_wave(cell, order, fine);
    EXPECT_GT(std::log(first / second) / std::log(double(fine) / coarse), order + 0.5)
        << name(cell) << " order " << order << ": " << first << " and " << second;
  };
  for (const Cell cell : {Cell::triangle, Cell::quad}) {
    expect_order(cell, 1, 8, 16);
    expect_order(cell, 2, 5, 10);
    expect_order(cell, 3, 4, 8);
  }
  for (const Cell cell : {Cell::tet, Cell::hex}) {
    expect_order(cell, 1, 5, 10);
    expect_order(cell, 2, 3, 6);
  }
}

}  // namespace
}  // namespace millrace::testing
