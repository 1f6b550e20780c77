// Element operators action by action on a GPU: every physics as on the host, also those of somebody else.
#include "fem/fem_gpu_tools.hpp"
#include "fem/physics/external_points.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuByActions : public OnGpu {
 protected:
  template <class P>
  void expect(const P& physics, int order, const char* what, ElementOptions options = {}) {
    options.evaluation = Evaluation::unfused;
    for (const bool on_nodes : {false, true}) {
      if (on_nodes) options.points = Points::on_nodes();
      expect_gpu_as_host<T>(warped_box(Cell::hex, order < 4 ? 3 : 2, 2), physics, order, options,
                            join(what, ", order ", order, on_nodes ? " on nodes" : ""));
    }
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuByActions, Reals);

struct Hill {
  template <class T>
  T operator()(const T* x) const {
    return T(1) + x[0] * x[1];
  }
};

TYPED_TEST(GpuByActions, EveryPhysicsAsOnTheHost) {
  for (const int order : {1, 2, 3}) {
    this->expect(fem::Mass<3, Hill>{}, order, "mass");
    this->expect(fem::Diffusion<3>{{2}}, order, "diffusion");
    this->expect(fem::Helmholtz<3>{{1}, {-3}}, order, "helmholtz");
    this->expect(fem::VectorMass<3>{}, order, "vector mass");
    this->expect(fem::VectorDiffusion<3>{}, order, "vector diffusion");
    this->expect(fem::ConvectionDiffusion<3, Hill>{{}, {{1, -2, 0.5}}}, order, "convection-diffusion");
    this->expect(fem::Elasticity<3, fem::Constant, Hill>{{0.7}, {}}, order, "elasticity");
  }
  this->expect(fem::Elasticity<3>{}, 8, "elasticity");
  this->expect(fem::Mass<3>{}, 2, "mass with order + 1 points", {.points = {.num = 3}});
}

// No fused kernel: actions come by themselves, several vectors at once, with alpha, beta, and a dot product.
TYPED_TEST(GpuByActions, ComeByThemselves) {
  using T = TypeParam;
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  const Space space = make_space(mesh, 2, 3);
  const auto a = make_element_operator<T>(mesh, space, fem::Elasticity<3>{}, {.constrained = space.all_boundary_nodes});
  const auto moved = a.to(Device::gpu());
  EXPECT_EQ(a.evaluation(), Evaluation::fused);
  EXPECT_EQ(moved.evaluation(), Evaluation::unfused);
  EXPECT_FALSE(moved.fuses_dot());
  const auto diffusion = make_element_operator<T>(mesh, space, fem::VectorDiffusion<3>{}).to(Device::gpu());
  EXPECT_EQ(diffusion.evaluation(), Evaluation::fused);
  const std::int64_t n = a.shape().rows;
  const auto x = random_vector<T>(2 * n, 3);
  auto y = random_vector<T>(2 * n, 4);
  const Array<T> there = on_gpu(x);
  Array<T> result = on_gpu(y), found(Device::gpu(), 2);
  Queue host, queue(Device::gpu());
  a.apply(host, {.alpha = -2, .x = {Device::host(), x.data(), n, 2}, .beta = 3, .y = {Device::host(), y.data(), n, 2}});
  moved.apply(
      queue,
      {.alpha = -2, .x = {there, 2}, .beta = 3, .y = {result, 2}, .dot = DotWith::result, .dot_result = found.data()});
  queue.wait();
  const std::vector<T> got = result.to_vector(), dots = found.to_vector();
  double largest = 1;
  for (const T& v : y) largest = std::max(largest, std::abs(static_cast<double>(v)));
  for (std::size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(y[i]), 32 * rounding(a, largest)) << i;
  const std::vector<T> first(got.begin(), got.begin() + n);
  const double expected = dot(first, first);
  EXPECT_NEAR(static_cast<double>(dots[0]), expected, rounding(a, expected));
}

/// What external_diffusion reads, stored by the host: J^-1 and the volume.
struct Stored {
  static constexpr int dim = 3, comps = 1, num_stored = 10;
  static constexpr bool uses_value = false, uses_grad = true, symmetric = true;
  double k = 2;
  template <class T>
  void store(const fem::PointGeometry<T, 3>& g, T* stored) const {
    for (int i = 0; i < 9; ++i) stored[i] = g.inverse[i / 3][i % 3];
    stored[9] = g.weight * g.det;
  }
  template <class T>
  void apply(const T*, const fem::PointValue<T, 3, 1>&, fem::PointValue<T, 3, 1>& v) const {
    for (T& number : v.grad[0]) number = T(0);  // the function for a GPU is all there is
  }
};

using GpuExternalPhysics = OnGpu;
TEST_F(GpuExternalPhysics, IsAFunctionThatKnowsNothingOfOurs) {
  if constexpr (build::cuda) {
    const Mesh mesh = warped_box(Cell::hex, 3, 1);
    const Space space = make_space(mesh, 3);
    const ElementOptions options{.constrained = space.all_boundary_nodes};
    PointKernel<double> kernel = make_point_kernel<double>(Stored{2});
    kernel.on_gpu.points = external_diffusion;
    const auto a = ElementOperator<double>(mesh, space, kernel, options).to(Device::gpu());
    EXPECT_EQ(a.evaluation(), Evaluation::unfused);
    const auto b = make_element_operator<double>(mesh, space, fem::Diffusion<3>{{2}}, options);
    const auto x = random_vector<double>(space.num_nodes, 5);
    const std::vector<double> expected = product(b, x), found = apply_on_gpu<double>(a, x, 1, 0, x);
    double largest = 1;
    for (const double v : expected) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(found[i], expected[i], 8 * rounding(b, largest)) << i;
  }
}

using GpuByActionErrors = OnGpu;
TEST_F(GpuByActionErrors, SayWhatActionsTake) {
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  const Space space = make_space(mesh, 2);
  const auto text_of = [&](const ElementOptions& options) {
    const auto a = make_element_operator<double>(mesh, space, fem::Mass<3>{}, options);
    return error_of<Unsupported>([&] { a.to(Device::gpu()); });
  };
  const auto recomputed = text_of({.factors = GeometricFactors::recomputed, .evaluation = Evaluation::unfused});
  EXPECT_NE(recomputed.find("GeometricFactors::stored"), std::string::npos) << recomputed;
  const auto points = text_of({.points = {.num = 6}, .evaluation = Evaluation::unfused});
  EXPECT_NE(points.find("order 2, with 6 points per direction"), std::string::npos) << points;
}

}  // namespace
}  // namespace millrace::testing
