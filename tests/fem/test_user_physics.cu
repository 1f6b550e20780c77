// A physics of a user that nvcc compiled: fused and unfused on a GPU as on the host, with members that keep their
// values, on hexes and tets, with stored and recomputed factors.
#include "fem/fem_gpu_tools.hpp"
#include "millrace/fem/fields.hpp"
#include "millrace/fem/linearise.hpp"
#include "millrace/fem/user_physics_cuda.cuh"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/gmres.hpp"

namespace millrace::testing {
namespace {

/// No member has a default, and none is in a stored factor: only the object given knows them.
struct Anisotropic {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  double reaction, diffusion[3];
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = T(reaction) * u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = T(diffusion[d]) * (T(1) + x[0]) * grad[0][d];
  }
};

/// Of two unknowns, and not symmetric.
struct Reaction {
  static constexpr int dim = 3, comps = 2;
  double rate = 3;
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = u[0] + T(rate) * u[1];
    v[1] = x[0] * u[1];
    for (int d = 0; d < 3; ++d) flux[0][d] = grad[0][d], flux[1][d] = T(2) * grad[1][d];
  }
};

/// A mass whose density is not in the stored factor; it can be recomputed at the points.
struct Density {
  static constexpr int dim = 3, comps = 1, num_stored = 1;
  static constexpr bool uses_value = true, uses_grad = false, symmetric = true;
  double rho;
  template <class T>
  MILLRACE_HD void store(const fem::PointGeometry<T, 3>& g, T* stored) const {
    stored[0] = g.weight * g.det;
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const fem::PointValue<T, 3, 1>& u, fem::PointValue<T, 3, 1>& v) const {
    v.value[0] = T(rho) * stored[0] * u.value[0];
  }
  template <class T>
  MILLRACE_HD void apply_with(const fem::PointCofactors<T>& g, const fem::PointValue<T, 3, 1>& u,
                              fem::PointValue<T, 3, 1>& v) const {
    v.value[0] = T(rho) * g.weight * g.det * u.value[0];
  }
};

/// Not linear in u, with a coefficient by group and a given field.
struct Saturation {
  static constexpr int dim = 3, comps = 1, num_coefficients = 1, num_given = 1;
  fem::ByGroup k;
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& f, Visit&& visit) {
    visit(f.k);
  }
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, 3>& at, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    using std::exp;
    v[0] = exp(u[0]) * at.given[0] + at.x[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = at.coefficient[0] * (T(1) + u[0] * u[0]) * grad[0][d];
    for (int d = 0; d < 3; ++d) v[0] += at.given_grad[0][d] * grad[0][d];
  }
};

using Tested = ElementOrders<1, 2, 3, 4, 7>;

class GpuUserPhysics : public OnGpu {
 protected:
  template <class P>
  void expect_same(const Mesh& mesh, int order, const P& physics, const ElementOptions& given, Evaluation evaluation,
                   const std::string& what) {
    const Space space = make_space(mesh, order, P::comps);
    for (const Accumulation accumulation : {Accumulation::deterministic, Accumulation::atomic}) {
      ElementOptions options = given;
      options.accumulation = accumulation;
      options.constrained = space.all_boundary_nodes;
      const auto host = make_element_operator<double>(mesh, space, physics, options);
      const auto there = make_element_operator<double, Tested>(Device::gpu(), mesh, space, physics, options);
      EXPECT_EQ(there.evaluation(), evaluation) << what;
      const auto x = random_vector<double>(host.shape().cols, 5), old = random_vector<double>(host.shape().cols, 6);
      std::vector<double> expected = old;
      Queue queue;
      host.apply(queue, {.alpha = 2, .x = x, .beta = -3, .y = expected});
      const std::vector<double> found = apply_on_gpu<double>(there, x, 2, -3, old);
      double largest = 1;
      for (const double v : expected) largest = std::max(largest, std::abs(v));
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 32 * rounding(host, largest)) << what << ", entry " << i;
    }
  }
};

TEST_F(GpuUserPhysics, FusedOnHexes) {
  const fem::Pointwise<Anisotropic> physics{{3, {1, 0.5, 10}}};
  for (const int order : {1, 2, 3, 4, 7})
    for (const Points& points : {Points{}, Points::on_nodes()})
      expect_same(warped_box(Cell::hex, order < 4 ? 3 : 2, 2), order, physics, {.points = points}, Evaluation::fused,
                  join("hexes, order ", order));
}

TEST_F(GpuUserPhysics, FusedOnTets) {
  const fem::Pointwise<Anisotropic> physics{{3, {1, 0.5, 10}}};
  for (const int order : {1, 2, 3})
    expect_same(warped_box(Cell::tet, 2, 1), order, physics, {}, Evaluation::fused, join("tets, order ", order));
}

TEST_F(GpuUserPhysics, Unfused) {
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  expect_same(mesh, 3, fem::Pointwise<Anisotropic>{{3, {1, 0.5, 10}}}, {.evaluation = Evaluation::unfused},
              Evaluation::unfused, "asked for");
  expect_same(mesh, 3, fem::Pointwise<Reaction>{{5}}, {}, Evaluation::unfused, "two components");
}

TEST_F(GpuUserPhysics, RecomputedFactors) {
  for (const int order : {1, 2, 4})
    for (const int geometry : {1, 2})
      for (const GeometricFactors factors : {GeometricFactors::stored, GeometricFactors::recomputed})
        expect_same(warped_box(Cell::hex, 3, geometry), order, Density{2.5}, {.factors = factors}, Evaluation::fused,
                    join("density, order ", order, ", geometry of order ", geometry));
}

TEST_F(GpuUserPhysics, DerivativeAtAState) {
  Queue queue;
  for (const Cell cell : {Cell::hex, Cell::tet})
    for (const Evaluation evaluation : {Evaluation::fused, Evaluation::unfused}) {
      Mesh mesh = warped_box(cell, 3, 1);
      for (Index e = 0; e < mesh.num_cells(); ++e) mesh.blocks[0].tag.span()[e] = e % 2;
      const Space space = make_space(mesh, 2), linear = make_space(mesh, 1);
      const fem::Pointwise<Saturation> physics{{{{0, 2.0}, {1, 5.0}}}};
      ElementOperator<double> host(mesh, space,
                                   make_gpu_point_kernel<double, ElementOrders<2>>(fem::linearise(physics)),
                                   {.evaluation = evaluation, .constrained = space.all_boundary_nodes});
      host.set_given(queue, 0, linear, random_vector<double>(linear.num_nodes, 1));
      host.update(queue, random_vector<double>(space.num_nodes, 2));
      const auto there = host.to(Device::gpu());
      EXPECT_EQ(there.evaluation(), evaluation);
      const auto x = random_vector<double>(space.num_nodes, 5), old = random_vector<double>(space.num_nodes, 6);
      std::vector<double> expected = old;
      host.apply(queue, {.alpha = 2, .x = x, .beta = -3, .y = expected});
      const std::vector<double> found = apply_on_gpu<double>(there, x, 2, -3, old);
      double largest = 1;
      for (const double v : expected) largest = std::max(largest, std::abs(v));
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 32 * rounding(host, largest)) << name(cell) << ", entry " << i;
    }
}

/// The fields are set where the operator is: state and given fields of other orders, fused and unfused.
TEST_F(GpuUserPhysics, FieldsAreKeptOnTheGpu) {
  Queue queue, gpu(Device::gpu());
  for (const Cell cell : {Cell::hex, Cell::tet})
    for (const Evaluation evaluation : {Evaluation::fused, Evaluation::unfused})
      for (const int given_order : {1, 2, 5}) {  // 5: more nodes than points along a line
        Mesh mesh = warped_box(cell, 3, 1);
        for (Index e = 0; e < mesh.num_cells(); ++e) mesh.blocks[0].tag.span()[e] = e % 2;
        const Space space = make_space(mesh, 2), other = make_space(mesh, given_order);
        const fem::Pointwise<Saturation> physics{{{{0, 2.0}, {1, 5.0}}}};
        ElementOperator<double> host(mesh, space,
                                     make_gpu_point_kernel<double, ElementOrders<2>>(fem::linearise(physics)),
                                     {.evaluation = evaluation, .constrained = space.all_boundary_nodes});
        ElementOperator<double> there = host.to(Device::gpu());
        const auto given = random_vector<double>(other.num_nodes, 1), state = random_vector<double>(space.num_nodes, 2);
        host.set_given(queue, 0, other, given);
        host.update(queue, state);
        there.set_given(gpu, 0, other, on_gpu(given));
        there.update(gpu, on_gpu(state));
        const auto x = random_vector<double>(space.num_nodes, 5);
        std::vector<double> expected(x.size());
        host.apply(queue, {.x = x, .y = expected});
        const std::vector<double> found = apply_on_gpu<double>(there, x, 1, 0, x);
        expect_same_diagonal(host, there, join(name(cell)));
        double largest = 1;
        for (const double v : expected) largest = std::max(largest, std::abs(v));
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_NEAR(found[i], expected[i], 64 * rounding(host, largest)) << name(cell) << ' ' << given_order;
      }
}

/// Newton's method for -div((1 + u^2) grad u) + exp(u) = ... with all vectors on the GPU, as on the host.
TEST_F(GpuUserPhysics, NewtonOnTheGpu) {
  Mesh mesh = warped_box(Cell::hex, 3, 1);
  for (Index e = 0; e < mesh.num_cells(); ++e) mesh.blocks[0].tag.span()[e] = e % 2;
  const Space space = make_space(mesh, 2);
  const fem::Pointwise<Saturation> physics{{{{0, 2.0}, {1, 5.0}}}};
  const ElementOptions options{.constrained = space.all_boundary_nodes};
  const std::vector<double> given(static_cast<std::size_t>(space.num_nodes), 0.5);
  const auto solve = [&](Device device) {
    Queue queue(device);
    auto form = make_nonlinear_form<double, ElementOrders<2>>(device, mesh, space, physics, options);
    EXPECT_EQ(form.device(), device);
    const auto n = static_cast<std::int64_t>(space.num_nodes);
    const auto fill = [&](double value) { return Array<double>(n, value).to(device); };
    form.set_given(queue, 0, space, Array<double>(std::span<const double>(given)).to(device));
    Array<double> u = fill(0), r = fill(0);
    std::vector<double> sizes;
    for (int newton = 0; newton < 6; ++newton) {
      form.residual(queue, u, r);
      queue.wait();
      double square = 0;
      for (const double entry : r.to_vector()) square += entry * entry;
      sizes.push_back(std::sqrt(square));
      const auto& jacobian = form.linearise(queue, u);
      Array<double> step = fill(0);
      const Jacobi<double> jacobi(queue, jacobian);
      EXPECT_TRUE(gmres(queue, jacobian, jacobi, r, step, {.tolerance = 1e-10, .max_iterations = 500}).ok());
      std::vector<double> next = u.to_vector();
      const std::vector<double> change = step.to_vector();
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= change[i];
      u = Array<double>(std::span<const double>(next)).to(device);
    }
    EXPECT_LT(sizes.back(), 1e-9 * sizes.front());
    return u.to_vector();
  };
  const std::vector<double> host = solve(Device::host()), there = solve(Device::gpu());
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_NEAR(there[i], host[i], 1e-9) << i;
}

TEST_F(GpuUserPhysics, OrdersThatWereNotCompiledAreNamed) {
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  const Space space = make_space(mesh, 3);
  const auto text = error_of<Unsupported>(
      [&] { make_element_operator<double, ElementOrders<1, 2>>(Device::gpu(), mesh, space, Density{1}); });
  EXPECT_NE(text.find("compiled values are: 1 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
