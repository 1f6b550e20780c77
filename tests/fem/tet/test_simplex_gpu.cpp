// Element operators of tets on a GPU give what the host gives, in every order, and the same bits twice.
#include "fem/fem_gpu_tools.hpp"

namespace millrace::testing {
namespace {

template <class T, class P>
void expect_tets_as_host(const P& physics, int order, const ElementOptions& options, int cells,
                         const std::string& what) {
  expect_gpu_as_host<T>(warped_box(Cell::tet, cells, 1), physics, order, options, what);
}

template <class T>
class GpuSimplices : public OnGpu {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuSimplices, Reals);

TYPED_TEST(GpuSimplices, MassAsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    expect_tets_as_host<TypeParam>(fem::Mass<3>{}, order, {}, order < 4 ? 4 : 2, join("mass, order ", order));
}

TYPED_TEST(GpuSimplices, DiffusionAsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    expect_tets_as_host<TypeParam>(fem::Diffusion<3>{}, order, {}, order < 4 ? 4 : 2, join("diffusion, order ", order));
}

TYPED_TEST(GpuSimplices, HelmholtzAsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    expect_tets_as_host<TypeParam>(fem::Helmholtz<3>{}, order, {}, order < 4 ? 3 : 1, join("helmholtz, order ", order));
}

TYPED_TEST(GpuSimplices, AnyRuleAndComponents) {
  for (int order = 1; order <= 6; ++order)
    expect_tets_as_host<TypeParam>(fem::Diffusion<3>{}, order, {.points = {.degree = 2 * order - 2}}, 2,
                                   join("diffusion with fewer points, order ", order));
  for (const int degree : {9, 12, 16})
    expect_tets_as_host<TypeParam>(fem::Diffusion<3>{}, 2, {.points = {.degree = degree}}, 2,
                                   join("diffusion, degree ", degree));
  expect_tets_as_host<TypeParam>(fem::VectorMass<3>{}, 3, {}, 2, "vector mass");
  expect_tets_as_host<TypeParam>(fem::VectorDiffusion<3>{}, 4, {}, 2, "vector diffusion");
}

/// Enough elements that every thread block of a resident grid takes several groups, the last of them not full.
TYPED_TEST(GpuSimplices, ManyElements) {
  expect_tets_as_host<TypeParam>(fem::Diffusion<3>{}, 1, {}, 33, "diffusion on 215622 tets");
  expect_tets_as_host<TypeParam>(fem::Mass<3>{}, 5, {}, 13, "mass of order 5 on 13182 tets");
  expect_tets_as_host<TypeParam>(fem::Diffusion<3>{}, 6, {}, 12, "diffusion of order 6 on 10368 tets");
}

TYPED_TEST(GpuSimplices, CurvedElements) {
  for (const int order : {2, 3})
    expect_gpu_as_host<TypeParam>(warped_box(Cell::tet, 2, order), fem::Diffusion<3>{}, order, {},
                                  join("diffusion on curved tets, order ", order));
}

using GpuSimplexErrors = OnGpu;
TEST_F(GpuSimplexErrors, SayWhatAGpuTakes) {
  const Mesh tets = warped_box(Cell::tet, 2, 1);
  const auto a = make_element_operator<double>(tets, make_space(tets, 2), fem::Mass<3>{},
                                               {.factors = GeometricFactors::recomputed});
  const auto text = error_of<Unsupported>([&] { a.to(Device::gpu()); });
  EXPECT_NE(text.find("tet elements of order 2 with recomputed factors"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
