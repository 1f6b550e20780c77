// Loads, boundary terms and constraints on a GPU give what the host gives, and the same bits twice.
#include "fem/fem_gpu_tools.hpp"
#include "fem/forms_tools.hpp"
#include "millrace/fem/boundary.hpp"
#include "millrace/fem/dirichlet.hpp"
#include "millrace/fem/load.hpp"
#include "millrace/precond/chebyshev_smoother.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/sum_operator.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuForms : public OnGpu {};
using FormReals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuForms, FormReals);

template <int D>
struct LoadOfTwo {
  static constexpr int dim = D, comps = 2;
  template <class T>
  MILLRACE_HD void operator()(const T* x, T* value, T (*flux)[unsigned(D)]) const {
    value[0] = std::exp(x[0]), value[1] = x[1] - x[0];
    for (int k = 0; k < D; ++k) flux[0][k] = x[k], flux[1][k] = std::cos(x[k]);
  }
};

template <class T, int D>
void expect_load_as_on_the_host(Cell cell, int order, const Points& points) {
  Mesh mesh = curved_box(cell, 3, 2);
  tag_halves(mesh);
  const Space space = make_space(mesh, order, 2);
  Queue host, gpu(Device::gpu());
  const auto old = random_vector<T>(space.num_dofs(), 1);
  for (const Groups& groups : {Groups{}, Groups{"left"}}) {
    const LoadOptions options{points, groups};
    std::vector<T> expected = old;
    add_load<T>(host, mesh, space, LoadOfTwo<D>{}, expected, options);
    Array<T> found = on_gpu(old), again = on_gpu(old);
    add_load<T>(gpu, mesh, space, LoadOfTwo<D>{}, found, options);
    add_load<T>(gpu, mesh, space, LoadOfTwo<D>{}, again, options);
    const auto values = found.to_vector();
    EXPECT_TRUE(same_bits<T>(values, again.to_vector()));
    const double bound = 64 * (order + 3) * D * double{epsilon<T>};
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(double{values[i]}, double{expected[i]}, bound) << name(cell) << ' ' << order << ", entry " << i;
  }
}

TYPED_TEST(GpuForms, Loads) {
  for (const int order : {1, 2, 4, 8}) {
    expect_load_as_on_the_host<TypeParam, 3>(Cell::hex, order, {});
    expect_load_as_on_the_host<TypeParam, 3>(Cell::hex, order, {.num = order + 1});
  }
  for (const int order : {1, 3, 5}) {
    expect_load_as_on_the_host<TypeParam, 3>(Cell::tet, order, {});
    expect_load_as_on_the_host<TypeParam, 2>(Cell::triangle, order, {});
    expect_load_as_on_the_host<TypeParam, 2>(Cell::quad, order, {});         // made on the host
    expect_load_as_on_the_host<TypeParam, 3>(Cell::hex, order, {.num = 9});  // as well
  }
}

TYPED_TEST(GpuForms, BoundaryTermsAndConstraints) {
  using T = TypeParam;
  for (const Cell cell : {Cell::hex, Cell::tet}) {
    const Mesh mesh = curved_box(cell, 3, 2);
    const Space space = make_space(mesh, 2);
    const Boundary end = make_boundary(mesh, space, {"x1", "z0"});
    Queue host, gpu(Device::gpu());
    const auto old = random_vector<T>(space.num_dofs(), 1), x = random_vector<T>(space.num_dofs(), 2);
    std::vector<T> expected = old;
    const auto slope = [](const Point& at, const Point& n) { return at[0] * n[1] + n[2]; };
    add_boundary_load<T>(host, end, slope, expected);
    Array<T> found = on_gpu(old);
    add_boundary_load<T>(gpu, end, slope, found);
    const double eps = double{epsilon<T>};
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(double{found.to_vector()[i]}, double{expected[i]}, 4 * eps);

    const auto stiffness = make_element_operator<T>(mesh, space, fem::Diffusion<3>{});
    const BoundaryOperator<T> robin(end, [](const Point& at) { return 1 + at[0]; });
    const auto stiffness_there = stiffness.to(Device::gpu());
    const auto robin_there = robin.to(Device::gpu());
    const SumOperator<T> a(stiffness, robin), a_there(stiffness_there, robin_there);
    Dirichlet g(mesh, space);
    g.set("x0", [](const Point& at) { return 1 + at[1]; });
    const ConstrainedOperator<T> p(a, g.entries()), p_there(a_there, g.entries());
    const double bound = 4 * rounding(stiffness, 20.0);
    std::vector<T> y = old, b = old;
    p.apply(host, {.alpha = T{2}, .x = x, .beta = T{-1}, .y = y});
    const Array<T> x_there = on_gpu(x);
    Array<T> y_there = on_gpu(old), b_there = on_gpu(old);
    p_there.apply(gpu, {.alpha = T{2}, .x = x_there, .beta = T{-1}, .y = y_there});
    lift(host, a, g, b);
    lift(gpu, a_there, g, b_there);
    gpu.wait();
    const auto y_found = y_there.to_vector(), b_found = b_there.to_vector();
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(double{y_found[i]}, double{y[i]}, bound) << i;
      ASSERT_NEAR(double{b_found[i]}, double{b[i]}, bound) << i;
    }

    // preconditioners from the host's diagonal, and from that of the operator on the GPU
    const Jacobi<T> jacobi = Jacobi<T>(host, p).to(Device::gpu()), other(gpu, p_there);
    Array<T> first(Device::gpu(), std::ssize(x)), second(Device::gpu(), std::ssize(x));
    jacobi.apply(gpu, {.x = x_there, .y = first});
    other.apply(gpu, {.x = x_there, .y = second});
    gpu.wait();
    const auto one = first.to_vector(), two = second.to_vector();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(double{one[i]}, double{two[i]}, 64 * eps * std::abs(one[i]));
    Array<T> u = on_gpu(std::vector<T>(x.size(), T{0}));
    const ChebyshevSmoother<T> smoother(gpu, p_there, Jacobi<T>(gpu, p_there));
    EXPECT_TRUE(cg(gpu, p_there, smoother, b_there, u, {.tolerance = sizeof(T) == 4 ? 1e-4 : 1e-10}).ok());
  }
}

}  // namespace
}  // namespace millrace::testing
