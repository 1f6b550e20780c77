// Forms that are not linear: the derivative is the residual's, Newton's method converges quadratically, and solutions
// have the order that theory says.
#include "millrace/fem/nonlinear_form.hpp"

#include "fem/mixed_tools.hpp"
#include "millrace/fem/norms.hpp"
#include "millrace/precond/incomplete.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace::testing {
namespace {

/// sin(pi x) sin(pi y) [sin(pi z)] + shift, and its gradient.
template <int D, class T>
T known_solution(const T* x, T* gradient) {
  using std::cos, std::sin;
  T u = T(1);
  for (int d = 0; d < D; ++d) u = u * sin(x[d] * T(M_PI));
  for (int d = 0; d < D; ++d) {
    gradient[d] = cos(x[d] * T(M_PI)) * T(M_PI);
    for (int e = 0; e < D; ++e)
      if (e != d) gradient[d] = gradient[d] * sin(x[e] * T(M_PI));
  }
  return u + T(0.25);
}

/// f = -div((1 + w^2) grad w) for the known w.
template <int D>
struct HeatSource {
  template <class T>
  MILLRACE_HD T operator()(const T* x) const {
    T slope[unsigned(D)], square = T(0);
    const T w = known_solution<D>(x, slope);
    for (int d = 0; d < D; ++d) square += slope[d] * slope[d];
    return (T(1) + w * w) * (w - T(0.25)) * T(D * M_PI * M_PI) - T(2) * w * square;
  }
};

/// ((1 + u^2) grad u, grad v) - (f, v)
template <int D>
struct UnevenHeat {
  static constexpr int dim = D, comps = 1, num_coefficients = 1;
  HeatSource<D> source{};
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& f, Visit&& visit) {
    visit(f.source);
  }
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, D>& at, const T* u, const T (*grad)[unsigned(D)], T* v,
                              T (*flux)[unsigned(D)]) const {
    for (int d = 0; d < D; ++d) flux[0][d] = (T(1) + u[0] * u[0]) * grad[0][d];
    v[0] = -at.coefficient[0];
  }
};

/// The derivative of an energy: (grad u / sqrt(1 + |grad u|^2), grad v) + (exp(u), v).
template <int D>
struct MinimalSurface {
  static constexpr int dim = D, comps = 1;
  static constexpr bool symmetric = true;
  template <class T>
  MILLRACE_HD void operator()(const T*, const T* u, const T (*grad)[unsigned(D)], T* v, T (*flux)[unsigned(D)]) const {
    using std::exp, std::sqrt;
    T square = T(1);
    for (int d = 0; d < D; ++d) square += grad[0][d] * grad[0][d];
    const T over = T(1) / sqrt(square);
    for (int d = 0; d < D; ++d) flux[0][d] = over * grad[0][d];
    v[0] = exp(u[0]);
  }
};

/// Components that depend on each other, and on a given field g: (u_c u_0 + grad g . grad u_c, v_c) + (u_c grad u_0,
/// grad v_c).
template <int D>
struct Mixed {
  static constexpr int dim = D, comps = 2, num_given = 1;
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, D>& at, const T* u, const T (*grad)[unsigned(D)], T* v,
                              T (*flux)[unsigned(D)]) const {
    for (int c = 0; c < 2; ++c) {
      v[c] = u[c] * u[0] * at.given[0];
      for (int d = 0; d < D; ++d) {
        v[c] += at.given_grad[0][d] * grad[c][d];
        flux[c][d] = u[c] * grad[0][d];
      }
    }
  }
};

template <class F>
void in_dim_of(Cell cell, F&& f) {
  if (dim(cell) == 2)
    f.template operator()<2>();
  else
    f.template operator()<3>();
}

std::vector<double> residual_at(const NonlinearForm<double>& form, const std::vector<double>& u,
                                const std::vector<double>& direction = {}, double h = 0) {
  Queue queue;
  std::vector<double> moved = u, r(u.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < direction.size(); ++i) moved[i] += h * direction[i];
  form.residual(queue, moved, r);
  return r;
}

/// Differences over h and 2 h, exact for polynomials up to degree 4 along the direction. d is 0 where constrained.
void expect_derivative(NonlinearForm<double>& form, double h, double tolerance, const std::string& what) {
  Queue queue;
  const auto n = form.num_dofs();
  const auto u = random_vector<double>(n, 1);
  auto d = random_vector<double>(n, 2);
  const ElementData<double>& data = form.jacobian().parts()[0].data();
  for (const Index node : data.constrained.span())
    for (int c = 0; c < data.comps; ++c) d[static_cast<std::size_t>(node + c * data.comp_stride)] = 0;
  const auto derivative = product(form.linearise(queue, u), d);
  const auto p1 = residual_at(form, u, d, h), m1 = residual_at(form, u, d, -h), p2 = residual_at(form, u, d, 2 * h),
             m2 = residual_at(form, u, d, -2 * h);
  double largest = 0;
  for (const double y : derivative) largest = std::max(largest, std::abs(y));
  for (std::size_t i = 0; i < d.size(); ++i)
    ASSERT_NEAR(derivative[i], (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h), tolerance * largest) << what;
}

TEST(NonlinearForm, DerivativeIsThatOfTheResidual) {
  Queue queue;
  for (const Cell cell : all_cells)
    for (const int order : {1, 2, 3})
      in_dim_of(cell, [&]<int D>() {
        const std::string what = join(name(cell), " order ", order);
        const Mesh mesh = warped_box(cell, 2, 2);
        const Space space = make_space(mesh, order), pair = make_space(mesh, order, 2), linear = make_space(mesh, 1);
        auto heat = make_nonlinear_form<double>(mesh, space, fem::Pointwise<UnevenHeat<D>>{},
                                                {.constrained = space.boundary.front().nodes});
        expect_derivative(heat, 1, 1e-11, what + " heat");
        auto surface = make_nonlinear_form<double>(mesh, space, fem::Pointwise<MinimalSurface<D>>{});
        expect_derivative(surface, 1e-4, 1e-6, what + " surface");
        auto mixed = make_nonlinear_form<double>(mesh, pair, fem::Pointwise<Mixed<D>>{});
        mixed.set_given(queue, 0, linear, random_vector<double>(linear.num_nodes, 5));
        expect_derivative(mixed, 1, 1e-11, what + " mixed");
      });
}

TEST(NonlinearForm, DerivativeIsSymmetricWhereItShouldBe) {
  Queue queue;
  for (const Cell cell : all_cells)
    in_dim_of(cell, [&]<int D>() {
      const Mesh mesh = warped_box(cell, 2, 2);
      const Space space = make_space(mesh, 2);
      const auto u = random_vector<double>(space.num_nodes, 1), a = random_vector<double>(space.num_nodes, 2),
                 b = random_vector<double>(space.num_nodes, 3);
      auto surface = make_nonlinear_form<double>(mesh, space, fem::Pointwise<MinimalSurface<D>>{});
      auto heat = make_nonlinear_form<double>(mesh, space, fem::Pointwise<UnevenHeat<D>>{});
      const auto& j = surface.linearise(queue, u);
      EXPECT_TRUE(j.can_transpose());
      EXPECT_NEAR(dot(a, product(j, b)), dot(b, product(j, a)),
                  rounding(j.parts()[0], max_row(j.assemble(queue))) * static_cast<double>(u.size()));
      const auto& k = heat.linearise(queue, u);
      EXPECT_FALSE(k.can_transpose());
      EXPECT_GT(std::abs(dot(a, product(k, b)) - dot(b, product(k, a))), 1e-3);
    });
}

TEST(NonlinearForm, MatrixAndDiagonalOfTheDerivative) {
  Queue queue;
  for (const Cell cell : all_cells)
    in_dim_of(cell, [&]<int D>() {
      const Mesh mesh = warped_box(cell, 2, 2);
      const Space space = make_space(mesh, 2);
      auto form = make_nonlinear_form<double>(mesh, space, fem::Pointwise<UnevenHeat<D>>{},
                                              {.constrained = space.all_boundary_nodes});
      const auto& j = form.linearise(queue, random_vector<double>(space.num_nodes, 1));
      const Csr<double> matrix = j.assemble(queue);
      const auto x = random_vector<double>(space.num_nodes, 4), y = product(j, x);
      std::vector<double> diagonal(x.size());
      j.diagonal(queue, diagonal);
      const double bound = rounding(j.parts()[0], max_row(matrix));
      for (Index r = 0; r < matrix.num_rows; ++r) {
        double sum = 0;
        for (Offset k = matrix.row_begin(r); k < matrix.row_begin(r + 1); ++k) {
          const Index c = matrix.cols.data()[k];
          sum += matrix.vals.data()[k] * x[static_cast<std::size_t>(c)];
          if (c == r) {
            EXPECT_NEAR(diagonal[static_cast<std::size_t>(r)], matrix.vals.data()[k], bound);
          }
        }
        EXPECT_NEAR(y[static_cast<std::size_t>(r)], sum, bound);
      }
    });
}

/// Linear, with a coefficient.
struct Plain {
  static constexpr int dim = 2, comps = 1, num_coefficients = 1;
  fem::Constant k{};
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& f, Visit&& visit) {
    visit(f.k);
  }
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, 2>& at, const T* u, const T (*grad)[2], T* v, T (*flux)[2]) const {
    v[0] = at.x[0] * u[0];
    for (int d = 0; d < 2; ++d) flux[0][d] = at.coefficient[0] * grad[0][d];
  }
};

TEST(NonlinearForm, DerivativeOfALinearOneIsItself) {
  Queue queue;
  const Mesh mesh = warped_box(Cell::quad, 3, 2);
  const Space space = make_space(mesh, 3);
  auto form = make_nonlinear_form<float>(mesh, space, fem::Pointwise<Plain>{{{2.5}}});
  const auto x = random_vector<float>(space.num_nodes, 1);
  const auto& j = form.linearise(queue, random_vector<float>(space.num_nodes, 2));
  std::vector<float> r(x.size());
  form.residual(queue, x, r);
  const auto y = product(j, x);
  const double bound = rounding(j.parts()[0], max_row(j.assemble(queue)));
  for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(y[i], r[i], bound);
}

/// Several elements side by side, or one after another.
template <bool lanes>
struct Quotient {
  static constexpr int dim = 3, comps = 1, num_given = 1;
  static constexpr bool takes_lanes = lanes;
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, 3>& at, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    const T k = T(1) / (T(2) + u[0] * u[0]);
    v[0] = at.given[0] * u[0] * u[0] - at.x[1] * T(3);
    for (int d = 0; d < 3; ++d) flux[0][d] = k * grad[0][d] + at.given_grad[0][d];
  }
};

TEST(NonlinearForm, SideBySideOrOneAfterAnother) {
  Queue queue;
  const Mesh mesh = warped_box(Cell::hex, 3, 2);
  const Space space = make_space(mesh, 2);
  const auto u = random_vector<double>(space.num_nodes, 1), x = random_vector<double>(space.num_nodes, 2);
  std::vector<double> residuals[2], products[2];
  const auto run = [&](auto form, std::size_t which) {
    form.set_given(queue, 0, space, x);
    residuals[which] = residual_at(form, u);
    products[which] = product(form.linearise(queue, u), x);
    return rounding(form.jacobian().parts()[0], max_row(form.jacobian().assemble(queue)));
  };
  run(make_nonlinear_form<double>(mesh, space, fem::Pointwise<Quotient<false>>{}), 0);
  const double bound = run(make_nonlinear_form<double>(mesh, space, fem::Pointwise<Quotient<true>>{}), 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(residuals[0][i], residuals[1][i], bound);
    EXPECT_NEAR(products[0][i], products[1][i], bound);
  }
}

TEST(NonlinearForm, ConstrainedNodesCountButHaveNoResidual) {
  Queue queue;
  const Mesh mesh = warped_box(Cell::triangle, 3, 1);
  const Space space = make_space(mesh, 2, 2), linear = make_space(mesh, 1);
  const auto given = random_vector<double>(linear.num_nodes, 5);
  auto unbound = make_nonlinear_form<double>(mesh, space, fem::Pointwise<Mixed<2>>{});
  auto form =
      make_nonlinear_form<double>(mesh, space, fem::Pointwise<Mixed<2>>{}, {.constrained = space.all_boundary_nodes});
  unbound.set_given(queue, 0, linear, given);
  form.set_given(queue, 0, linear, given);
  const auto u = random_vector<double>(form.num_dofs(), 1);
  auto expected = residual_at(unbound, u);
  for (const Index n : space.all_boundary_nodes)
    for (int c = 0; c < 2; ++c) {
      const auto at = static_cast<std::size_t>(n + c * space.num_nodes);
      EXPECT_NE(expected[at], 0);
      expected[at] = 0;
    }
  EXPECT_TRUE(same_bits<double>(expected, residual_at(form, u)));
}

TEST(NonlinearForm, SameBitsForAnyNumberOfThreads) {
  const Mesh mesh = warped_box(Cell::tet, 4, 1);
  const Space space = make_space(mesh, 2);
  const auto u = random_vector<double>(space.num_nodes, 1), x = random_vector<double>(space.num_nodes, 2);
  std::vector<double> first, residual(x.size()), of_first;
  for (const int threads : {1, 2, 5}) {
    Queue queue(Device::host(), threads);
    auto form = make_nonlinear_form<double>(mesh, space, fem::Pointwise<UnevenHeat<3>>{});
    const auto y = product(form.linearise(queue, u), x, threads);
    form.residual(queue, u, residual);
    if (threads == 1) first = y, of_first = residual;
    EXPECT_TRUE(same_bits<double>(first, y));
    EXPECT_TRUE(same_bits<double>(of_first, residual));
  }
}

struct NewtonRun {
  double error = 0;               // in L2
  std::vector<double> residuals;  // norms, one a step
};

/// Until the residual is below `end`; every step is solved to `tolerance`.
template <int D>
NewtonRun solve_by_newton(const Mesh& mesh, int order, double end, double tolerance) {
  Queue queue;
  const Space space = make_space(mesh, order);
  ElementOptions dirichlet = fine_rules(order);
  dirichlet.constrained = space.all_boundary_nodes;
  auto form = make_nonlinear_form<double>(mesh, space, fem::Pointwise<UnevenHeat<D>>{}, dirichlet);
  std::vector<double> u(static_cast<std::size_t>(space.num_nodes), 0.25), r(u.size()), step(u.size());
  NewtonRun run;
  for (int k = 0; k < 12; ++k) {
    form.residual(queue, u, r);
    run.residuals.push_back(std::sqrt(dot(r, r)));
    if (run.residuals.back() < end) break;
    const ElementSum<double>& j = form.linearise(queue, u);
    std::fill(step.begin(), step.end(), 0.0);
    const SolveReport report = gmres(queue, j, ilu0(queue, j.assemble(queue)), r, step,
                                     {.tolerance = tolerance, .max_iterations = 400, .restart = 100});
    EXPECT_TRUE(report.ok()) << report.reason;
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= step[i];
  }
  run.error = l2_error(queue, {mesh, space, u}, [](const Point& x) {
    double unused[3];
    return known_solution<D>(x.data(), unused);
  });
  return run;
}

Mesh newton_mesh(Cell cell, int n, int order) { return warped_box(cell, n, std::min(order, 3), 0.05); }

TEST(NonlinearForm, NewtonConvergesQuadratically) {
  for (const Cell cell : all_cells)
    for (const int order : {1, 2, 3})
      in_dim_of(cell, [&]<int D>() {
        const auto norms = solve_by_newton<D>(newton_mesh(cell, D == 2 ? 4 : 2, order), order, 1e-13, 1e-10).residuals;
        ASSERT_GE(norms.size(), 4u);
        EXPECT_LT(norms.back(), 1e-12) << name(cell) << " order " << order;
        // |r_next| <= C |r|^2 with one C for all steps, above the rounding that norms of 1e-7 square to.
        for (std::size_t k = 1; k < norms.size(); ++k)
          if (norms[k - 1] < 1) {
            EXPECT_LT(norms[k], 50 * norms[k - 1] * norms[k - 1] + 1e-13)
                << name(cell) << " order " << order << ", step " << k;
          }
      });
}

TEST(NonlinearForm, SolutionsHaveTheOrderOfTheory) {
  const auto expect_order = []<int D>(Cell cell, int order, int coarse, int fine) {
    const double first = solve_by_newton<D>(newton_mesh(cell, coarse, order), order, 1e-9, 1e-5).error,
                 second = solve_by_newton<D>(newton_mesh(cell, fine, order), order, 1e-9, 1e-5).error;
    EXPECT_GT(std::log(first / second) / std::log(double(fine) / coarse), order + 0.5)
        << name(cell) << " order " << order << ": " << first << " and " << second;
  };
  for (const Cell cell : {Cell::triangle, Cell::quad}) {
    expect_order.operator()<2>(cell, 1, 6, 12);
    expect_order.operator()<2>(cell, 2, 4, 8);
    expect_order.operator()<2>(cell, 3, 3, 6);
  }
  for (const Cell cell : {Cell::tet, Cell::hex}) {
    expect_order.operator()<3>(cell, 1, 4, 7);
    expect_order.operator()<3>(cell, 2, 2, 4);
    expect_order.operator()<3>(cell, 3, 2, 3);
  }
}

TEST(NonlinearForm, TrianglesBesideQuads) {
  Queue queue;
  const Mesh mesh = mixed_box(4, 2, 0.05);
  const Space pair = make_space(mesh, 2, 2), linear = make_space(mesh, 1);
  const auto given = random_vector<double>(linear.num_nodes, 5);
  auto mixed =
      make_nonlinear_form<double>(mesh, pair, fem::Pointwise<Mixed<2>>{}, {.constrained = pair.boundary.front().nodes});
  mixed.set_given(queue, 0, linear, given);
  expect_derivative(mixed, 1, 1e-11, "triangles beside quads");
  const auto r =
      residual_at(mixed, random_vector<double>(pair.num_dofs(), 1), random_vector<double>(pair.num_dofs(), 2), 1);
  for (const Index node : pair.boundary.front().nodes)
    for (const int c : {0, 1}) EXPECT_EQ(r[static_cast<std::size_t>(pair.entry(node, c))], 0);
  for (const int order : {1, 2, 3}) {
    const NewtonRun coarse = solve_by_newton<2>(mixed_box(4, order, 0.05), order, 1e-12, 1e-8),
                    fine = solve_by_newton<2>(mixed_box(8, order, 0.05), order, 1e-12, 1e-8);
    EXPECT_LT(fine.residuals.back(), 1e-12);
    EXPECT_GT(std::log2(coarse.error / fine.error), order + 0.5) << coarse.error << ' ' << fine.error;
  }
}

}  // namespace
}  // namespace millrace::testing
