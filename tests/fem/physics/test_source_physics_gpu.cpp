// Physics given as source text on a GPU: what the same physics gives that was compiled with the program.
#include "cache_folder.hpp"
#include "fem/fem_gpu_tools.hpp"
#include "fem/physics/source_texts.hpp"
#include "millrace/fem/source_physics.hpp"

namespace millrace::testing {
namespace {

// As in layers_source and convection_source.
struct Layers {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  double factor = 2;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = T(factor) * (T(1) + x[0]) * grad[0][d];
  }
};
struct Wind {
  template <class T>
  void operator()(const T* x, T* velocity) const {
    velocity[0] = x[1], velocity[1] = -x[0], velocity[2] = T(0.5);
  }
};

template <class T>
class GpuSourcePhysics : public OnGpu {
 protected:
  template <class P>
  void expect_same(const PhysicsSource& source, const P& physics, int order, Evaluation evaluation,
                   ElementOptions options = {}) {
    const Mesh mesh = warped_box(Cell::hex, order < 4 ? 3 : 2, 2);
    const Space space = make_space(mesh, order, P::comps);
    options.constrained = space.all_boundary_nodes;
    const auto host = make_element_operator<T>(mesh, space, physics, options);
    const auto a = make_element_operator<T>(Device::gpu(), mesh, space, source, options);
    EXPECT_EQ(a.evaluation(), evaluation);
    EXPECT_EQ(a.can_transpose(), host.can_transpose());
    EXPECT_EQ(a.traffic().total(), host.traffic().total());
    expect_same_diagonal(host, a, source.name);
    const auto x = random_vector<T>(a.shape().cols, 7), old = random_vector<T>(a.shape().cols, 8);
    std::vector<T> expected = old;
    Queue queue;
    host.apply(queue, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = expected});
    const std::vector<T> found = apply_on_gpu<T>(a, x, T{2}, T{-3}, old);
    if (a.data().accumulation == Accumulation::deterministic) {
      EXPECT_TRUE(same_bits<T>(found, apply_on_gpu<T>(a, x, T{2}, T{-3}, old)));
    }
    double largest = 1;
    for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), 16 * rounding(host, largest))
          << source.name << ", order " << order << ", entry " << i;
  }
  CacheFolder folder_;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuSourcePhysics, Reals);

TYPED_TEST(GpuSourcePhysics, AsCompiledWithTheProgram) {
  const auto on_nodes = Points::on_nodes();
  for (const int order : {1, 2, 3, 8}) {
    this->expect_same(diffusion_source, fem::Diffusion<3>{}, order, Evaluation::fused);
    this->expect_same(layers_source, fem::Pointwise<Layers>{}, order, Evaluation::fused, {.points = on_nodes});
  }
  this->expect_same(layers_source, fem::Pointwise<Layers>{}, 2, Evaluation::fused,
                    {.accumulation = Accumulation::atomic});
  this->expect_same(layers_source, fem::Pointwise<Layers>{}, 2, Evaluation::unfused,
                    {.evaluation = Evaluation::unfused});
  this->expect_same(convection_source, fem::ConvectionDiffusion<3, fem::Constant, Wind>{}, 3, Evaluation::fused);
  this->expect_same(elasticity_source, fem::Elasticity<3>{}, 2, Evaluation::unfused);  // three components
  this->expect_same(diffusion_source, fem::Diffusion<3>{}, 2, Evaluation::unfused, {.points = {.num = 3}});
}

TYPED_TEST(GpuSourcePhysics, TakesParametersAsBytes) {
  PhysicsSource source = layers_source;
  const fem::Pointwise<Layers> physics{{0.25}};
  source.parameters.resize(sizeof(physics));
  std::memcpy(source.parameters.data(), &physics, sizeof(physics));
  this->expect_same(source, physics, 2, Evaluation::fused);
  source.parameters.resize(3);
  const auto text = error_of([&] { this->expect_same(source, physics, 2, Evaluation::fused); });
  EXPECT_NE(text.find("has 8 bytes, the parameters 3"), std::string::npos) << text;
}

TYPED_TEST(GpuSourcePhysics, TheSecondStartFindsItInTheCache) {
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  const Space space = make_space(mesh, 2);
  if constexpr (build::cuda) {
    const cuda::RtcCounts before = cuda::rtc_counts();
    for (int start = 0; start < 3; ++start)
      make_element_operator<TypeParam>(Device::gpu(), mesh, space, diffusion_source);
    const cuda::RtcCounts after = cuda::rtc_counts();
    EXPECT_EQ(after.compiled - before.compiled, 1);
    EXPECT_EQ(after.from_cache - before.from_cache, 2);
    EXPECT_EQ(this->folder_.num_files(), 1);
  }
}

using GpuSourceErrors = OnGpu;
TEST_F(GpuSourceErrors, SayWhatIsWrong) {
  const CacheFolder folder;
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  const Space space = make_space(mesh, 2);
  const auto recomputed = error_of<Unsupported>([&] {
    make_element_operator<double>(Device::gpu(), mesh, space, diffusion_source,
                                  {.factors = GeometricFactors::recomputed});
  });
  EXPECT_NE(recomputed.find("GeometricFactors::stored"), std::string::npos) << recomputed;
  Mesh inverted = make_box(Cell::hex, {2, 1, 1});
  deform(inverted, [](const Point& x) { return Point{-x[0], x[1], x[2]}; });
  const Space other = make_space(inverted, 1);
  const auto text = error_of([&] { make_element_operator<double>(Device::gpu(), inverted, other, diffusion_source); });
  EXPECT_NE(text.find("the map of hex 0 has a Jacobian that is not positive"), std::string::npos) << text;
  const auto a = make_element_operator<double>(Device::gpu(), mesh, space, diffusion_source);
  EXPECT_THROW(a.to(Device::host()), Unsupported);
}

}  // namespace
}  // namespace millrace::testing
