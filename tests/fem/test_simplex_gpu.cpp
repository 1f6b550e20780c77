// Element operators of tets on a GPU give what the host gives, in every order, and the same bits twice.
#include "fem_tools.hpp"

namespace millrace::testing {
namespace {

template <class T>
Array<T> there(const std::vector<T>& host) {
  return Array<T>(std::span<const T>(host)).to(Device::gpu());
}

/// y = alpha A x + beta y on the device of the operator.
template <class T>
std::vector<T> apply(const ElementOperator<T>& a, const std::vector<T>& x, T alpha, T beta, const std::vector<T>& y0) {
  Queue queue(a.device());
  const Array<T> from = there(x);
  Array<T> to = there(y0);
  a.apply(queue, {.alpha = alpha, .x = from, .beta = beta, .y = to});
  queue.wait();
  return to.to_vector();
}

template <class T, class P>
void expect_same_as_host(const P& physics, int order, const ElementOptions& given, int cells, const std::string& what) {
  const Mesh mesh = warped_box(Cell::tet, cells, 1);
  const Space space = make_space(mesh, order, P::comps);
  Queue host;
  for (const Sum sum : {Sum::deterministic, Sum::atomic})
    for (const bool dirichlet : {false, true}) {
      ElementOptions options = given;
      options.sum = sum;
      if (dirichlet) options.constrained = space.outer_nodes;
      const auto a = make_element_operator<T>(mesh, space, physics, options);
      const ElementOperator<T> moved = a.to(Device::gpu());
      EXPECT_EQ(moved.traffic().total(), a.traffic().total()) << what;  // what fills up is not counted
      const auto x = random_vector<T>(a.shape().cols, 7), old = random_vector<T>(a.shape().cols, 8);
      const std::vector<T> nothing(x.size(), std::numeric_limits<T>::quiet_NaN());
      std::vector<T> expected(nothing), scaled(old);
      a.apply(host, {.x = x, .y = expected});
      a.apply(host, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = scaled});
      double largest = 1;  // of the result; magnitudes of a row are within a small factor of it here
      for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
      const double bound = 8 * rounding(a, largest);
      const auto found = apply<T>(moved, x, T{1}, T{0}, nothing), again = apply<T>(moved, x, T{1}, T{0}, nothing);
      const auto found_scaled = apply<T>(moved, x, T{2}, T{-3}, old);
      if (sum == Sum::deterministic) EXPECT_TRUE(same_bits<T>(found, again)) << what;
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), bound) << what << ", entry " << i;
        ASSERT_NEAR(static_cast<double>(found_scaled[i]), static_cast<double>(scaled[i]), 4 * bound)
            << what << ", entry " << i;
      }
    }
}

template <class T>
class GpuSimplices : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuSimplices, Reals);

TYPED_TEST(GpuSimplices, MassAsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    expect_same_as_host<TypeParam>(fem::Mass<3>{}, order, {}, order < 4 ? 4 : 2, join("mass, order ", order));
}

TYPED_TEST(GpuSimplices, DiffusionAsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, order, {}, order < 4 ? 4 : 2, join("diffusion, order ", order));
}

TYPED_TEST(GpuSimplices, HelmholtzAsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    expect_same_as_host<TypeParam>(fem::Helmholtz<3>{}, order, {}, order < 4 ? 3 : 1, join("helmholtz, order ", order));
}

TYPED_TEST(GpuSimplices, AnyRuleAndComponents) {
  for (int order = 1; order <= 6; ++order)
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, order, {.points = {.degree = 2 * order - 2}}, 2,
                                   join("diffusion with fewer points, order ", order));
  for (const int degree : {9, 12, 16})
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, 2, {.points = {.degree = degree}}, 2,
                                   join("diffusion, degree ", degree));
  expect_same_as_host<TypeParam>(fem::VectorMass<3>{}, 3, {}, 2, "vector mass");
  expect_same_as_host<TypeParam>(fem::VectorDiffusion<3>{}, 4, {}, 2, "vector diffusion");
}

/// Enough elements that every thread block of a resident grid takes several groups, the last of them not full.
TYPED_TEST(GpuSimplices, ManyElements) {
  expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, 1, {}, 33, "diffusion on 215622 tets");
  expect_same_as_host<TypeParam>(fem::Mass<3>{}, 5, {}, 13, "mass of order 5 on 13182 tets");
  expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, 6, {}, 12, "diffusion of order 6 on 10368 tets");
}

TEST(GpuSimplexErrors, SayWhatAGpuTakes) {
  const Mesh tets = warped_box(Cell::tet, 2, 1);
  const auto a =
      make_element_operator<double>(tets, make_space(tets, 2), fem::Mass<3>{}, {.factors = Factors::recomputed});
  const auto text = error_of<Unsupported>([&] { a.to(Device::gpu()); });
  EXPECT_NE(text.find("tet elements of order 2 with recomputed factors"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
