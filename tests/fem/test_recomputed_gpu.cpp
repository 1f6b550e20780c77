// Factors that a GPU recomputes give what stored ones give; and the Jacobian along a line, by the host.
#include "fem_gpu_tools.hpp"
#include "millrace/fem/geometry.hpp"
#include "millrace/fem/hex_line.hpp"

namespace millrace::testing {
namespace {

const ElementOptions recomputed{.factors = Factors::recomputed};

/// A coefficient that is not the same everywhere.
struct Slope {
  template <class T>
  MILLRACE_HD T operator()(const T* x) const {
    return T(1) + x[0];
  }
};

TEST(HexLine, IsTheJacobianOfTheMap) {
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  const CellBlock& block = mesh.only_block();
  const int Q = 4;
  const Quadrature line = gauss(Q);
  const ElementMap map(Cell::hex, 1, tensor(line, 3));
  std::vector<double> work(static_cast<std::size_t>(map.work_size()));
  for (Index e = 0; e < block.num_cells(); ++e) {
    const ElementPoints expected = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
    double corners[24];
    const auto nodes = block.nodes_of(e);
    for (int n = 0; n < 24; ++n)
      corners[n] = mesh.points.data()[3 * nodes[static_cast<std::size_t>(n / 3)] + n % 3] -
                   mesh.points.data()[3 * nodes[0] + n % 3];
    for (int y = 0; y < Q; ++y)
      for (int x = 0; x < Q; ++x) {
        const auto along = fem::HexLine<double>::from(corners, line.points[static_cast<std::size_t>(x)],
                                                      line.points[static_cast<std::size_t>(y)]);
        for (int z = 0; z < Q; ++z) {
          double jacobian[3][3];
          along.evaluate(line.points[static_cast<std::size_t>(z)], jacobian);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              ASSERT_NEAR(jacobian[i][j], expected.jacobians[(i * 3 + j) * Q * Q * Q + (z * Q + y) * Q + x],
                          32 * epsilon<double>)  // sums of 8 coordinates up to 1
                  << "element " << e << ", entry " << i << ' ' << j;
        }
      }
  }
}

template <class T>
class GpuRecomputed : public OnGpu {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuRecomputed, Reals);

// The coordinates of an element enter with their rounding errors, which its inverse size and the curvature of its map
// enlarge: a factor of 8 for these coarse meshes.
constexpr double noise = 8;

TYPED_TEST(GpuRecomputed, StraightElements) {
  for (int order = 1; order <= 8; ++order)
    for (const Points& points : {Points{}, Points::on_nodes()}) {
      ElementOptions options = recomputed;
      options.points = points;
      const Mesh mesh = warped_box(Cell::hex, order < 4 ? 4 : 2, 1);
      const auto text = [&](const char* what) { return join(what, ", order ", order); };
      expect_gpu_as_host<TypeParam>(mesh, fem::Mass<3>{{2.5}}, order, options, text("mass"), noise);
      expect_gpu_as_host<TypeParam>(mesh, fem::Diffusion<3>{{0.5}}, order, options, text("diffusion"), noise);
      expect_gpu_as_host<TypeParam>(mesh, fem::Helmholtz<3>{{1.5}, {-3}}, order, options, text("helmholtz"), noise);
    }
}

TYPED_TEST(GpuRecomputed, CurvedElementsAndComponents) {
  for (const int curved : {2, 3, 4})
    for (const int order : {1, 3}) {
      const Mesh mesh = warped_box(Cell::hex, 2, curved);
      const std::string what = join("on curved elements of order ", curved, ", order ", order);
      expect_gpu_as_host<TypeParam>(mesh, fem::Mass<3>{}, order, recomputed, "mass " + what, noise);
      expect_gpu_as_host<TypeParam>(mesh, fem::Diffusion<3>{}, order, recomputed, "diffusion " + what, noise);
    }
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  expect_gpu_as_host<TypeParam>(mesh, fem::VectorMass<3>{{3}}, 2, recomputed, "vector mass", noise);
  expect_gpu_as_host<TypeParam>(mesh, fem::VectorDiffusion<3>{{3}}, 2, recomputed, "vector diffusion", noise);
}

using GpuRecomputedErrors = OnGpu;
TEST_F(GpuRecomputedErrors, SayWhichPhysicsCan) {
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  const auto a = make_element_operator<double>(mesh, make_space(mesh, 2), fem::Mass<3, Slope>{}, recomputed);
  const auto text = error_of<Unsupported>([&] { a.to(Device::gpu()); });
  EXPECT_NE(text.find("with constant coefficients"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
