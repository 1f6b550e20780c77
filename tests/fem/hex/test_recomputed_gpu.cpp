// Factors that a GPU recomputes give what stored ones give; and the Jacobian along a line, by the host.
#include "fem/fem_gpu_tools.hpp"
#include "millrace/fem/basis/geometry.hpp"
#include "millrace/fem/hex/trilinear_map.hpp"

namespace millrace::testing {
namespace {

const ElementOptions recomputed{.factors = GeometricFactors::recomputed};

/// A coefficient that is not the same everywhere.
struct Rise {
  template <class T>
  MILLRACE_HD T operator()(const T* x) const {
    return T(1) + x[0];
  }
};

TEST(HexLine, IsTheJacobianOfTheMap) {
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  const CellBlock& block = mesh.only_block();
  const int Q = 5;
  const Quadrature line = gauss(Q);
  const auto place = [&](int q) { return line.points[static_cast<std::size_t>(q)] - 0.5; };
  const ElementMap map(Cell::hex, 1, tensor(line, 3));
  std::vector<double> work(static_cast<std::size_t>(map.work_size()));
  for (Index e = 0; e < block.num_cells(); ++e) {
    const ElementPoints expected = map.evaluate(mesh.points.data(), block.nodes_of(e), work.data());
    double numbers[fem::hex_map_size];
    const auto nodes = block.nodes_of(e);
    for (int i = 0; i < 3; ++i) {
      double of[8];
      for (int n = 0; n < 8; ++n) of[n] = mesh.points.data()[3 * nodes[static_cast<std::size_t>(n)] + i];
      fem::find_hex_map(of);
      for (int n = 0; n < 8; ++n) numbers[3 * n + i] = of[n];
    }
    const auto expect_line = [&](const auto& along, const auto& number) {  // number(c): of the c-th point
      for (int c = 0; c < Q; ++c) {
        double jacobian[3][3];
        if (2 * c + 1 == Q)
          along.evaluate_middle(jacobian);
        else
          along.evaluate(place(c), jacobian);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            ASSERT_NEAR(jacobian[i][j], expected.jacobians[(i * 3 + j) * Q * Q * Q + number(c)],
                        32 * epsilon<double>)  // sums of 8 coordinates up to 1
                << "element " << e << ", entry " << i << ' ' << j;
      }
    };
    for (int a = 0; a < Q; ++a)
      for (int b = 0; b < Q; ++b) {
        expect_line(fem::HexLine<double, 0, 1>::from(numbers, place(a), place(b)),
                    [&](int c) { return (c * Q + b) * Q + a; });
        expect_line(fem::HexLine<double, 0, 2>::from(numbers, place(a), place(b)),
                    [&](int c) { return (b * Q + c) * Q + a; });
        expect_line(fem::HexLine<double, 1, 2>::from(numbers, place(a), place(b)),
                    [&](int c) { return (b * Q + a) * Q + c; });
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

// Straight elements have maps there instead of nodes and their numbers; what fills up groups of them is not counted.
TYPED_TEST(GpuRecomputed, TrafficOfMaps) {
  for (const int curved : {1, 2})
    for (const int order : {1, 3}) {
      const Mesh mesh = warped_box(Cell::hex, 2, curved);
      const auto a = make_element_operator<TypeParam>(mesh, make_space(mesh, order), fem::Mass<3>{}, recomputed);
      const auto nodes = static_cast<double>(a.data().cell_nodes.bytes() + a.data().points.bytes());
      const double maps = static_cast<double>(a.data().num_elem) * fem::hex_map_size * sizeof(TypeParam);
      EXPECT_EQ(a.to(Device::gpu()).traffic().total(), a.traffic().total() + (curved == 1 ? maps - nodes : 0))
          << "geometry of order " << curved << ", order " << order;
    }
}

using GpuRecomputedErrors = OnGpu;
TEST_F(GpuRecomputedErrors, SayWhichPhysicsCan) {
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  const auto a = make_element_operator<double>(mesh, make_space(mesh, 2), fem::Mass<3, Rise>{}, recomputed);
  const auto text = error_of<Unsupported>([&] { a.to(Device::gpu()); });
  EXPECT_NE(text.find("with constant coefficients"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
