// Element operators on a GPU give what the host gives, in every order, and the same bits twice.
#include "fem_gpu_tools.hpp"

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
  const Mesh mesh = warped_box(Cell::hex, cells, 1);
  const Space space = make_space(mesh, order, P::comps);
  Queue host;
  for (const Sum sum : {Sum::deterministic, Sum::atomic})
    for (const bool dirichlet : {false, true}) {
      ElementOptions options = given;
      options.sum = sum;
      if (dirichlet) options.constrained = space.outer_nodes;
      const auto a = make_element_operator<T>(mesh, space, physics, options);
      const ElementOperator<T> moved = a.to(Device::gpu());
      const auto x = random_vector<T>(a.shape().cols, 7), old = random_vector<T>(a.shape().cols, 8);
      const std::vector<T> nothing(x.size(), std::numeric_limits<T>::quiet_NaN());
      const std::vector<T> ones(x.size(), T{1});
      std::vector<T> expected(nothing), scaled(old);
      a.apply(host, {.x = x, .y = expected});
      a.apply(host, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = scaled});
      double largest = 1;  // of the result; magnitudes of a row are within a small factor of it here
      for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
      const double bound = 8 * rounding(a, largest);
      const auto found = apply<T>(moved, x, T{1}, T{0}, nothing), again = apply<T>(moved, x, T{1}, T{0}, nothing);
      const auto found_scaled = apply<T>(moved, x, T{2}, T{-3}, old);
      EXPECT_TRUE(sum == Sum::atomic || same_bits<T>(found, again)) << what;
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), bound) << what << ", entry " << i;
        ASSERT_NEAR(static_cast<double>(found_scaled[i]), static_cast<double>(scaled[i]), 4 * bound + 1e-6 * largest)
            << what << ", entry " << i;
      }
    }
}

template <class T>
class GpuElements : public OnGpu {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuElements, Reals);

TYPED_TEST(GpuElements, MassAsOnTheHost) {
  for (int order = 1; order <= 8; ++order) {
    expect_same_as_host<TypeParam>(fem::Mass<3>{}, order, {}, order < 4 ? 4 : 2, join("mass, order ", order));
    expect_same_as_host<TypeParam>(fem::Mass<3>{}, order, {.points = Points::on_nodes()}, 2,
                                   join("mass on nodes, order ", order));
  }
}

TYPED_TEST(GpuElements, DiffusionAsOnTheHost) {
  for (int order = 1; order <= 8; ++order) {
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, order, {}, order < 4 ? 4 : 2, join("diffusion, order ", order));
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, order, {.points = Points::on_nodes()}, order < 4 ? 3 : 2,
                                   join("diffusion on nodes, order ", order));
  }
}

TYPED_TEST(GpuElements, HelmholtzAndComponents) {
  for (const int order : {1, 2, 5, 8}) {
    expect_same_as_host<TypeParam>(fem::Helmholtz<3>{}, order, {}, 2, join("helmholtz, order ", order));
    expect_same_as_host<TypeParam>(fem::Helmholtz<3>{}, order, {.points = Points::on_nodes()}, 2,
                                   join("helmholtz on nodes, order ", order));
  }
  expect_same_as_host<TypeParam>(fem::VectorMass<3>{}, 3, {}, 2, "vector mass");
  expect_same_as_host<TypeParam>(fem::VectorDiffusion<3>{}, 3, {}, 2, "vector diffusion");
}

// <x, A x> beside an application: from the elements themselves, or (with beta, or <y, y>) after it.
TYPED_TEST(GpuElements, DotProducts) {
  using T = TypeParam;
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  Queue queue(Device::gpu());
  for (const int order : {1, 2, 4, 7})
    for (const bool on_nodes : {false, true})
      for (const Sum sum : {Sum::deterministic, Sum::atomic}) {
        const Space space = make_space(mesh, order);
        ElementOptions options{.sum = sum, .constrained = space.outer_nodes};
        if (on_nodes) options.points = Points::on_nodes();
        const auto a = make_element_operator<T>(mesh, space, fem::Diffusion<3>{}, options).to(Device::gpu());
        const Array<T> x = there(random_vector<T>(a.shape().cols, 5)), old = there(random_vector<T>(a.shape().cols, 6));
        for (const DotWith with : {DotWith::x, DotWith::result})
          for (const T beta : {T{0}, T{2}}) {
            Array<T> y = old.clone(), found(Device::gpu(), 2);
            a.apply(queue, {.alpha = T{3}, .x = x, .beta = beta, .y = y, .dot = with, .dot_result = found.data()});
            queue.wait();
            const std::vector<T> xs = x.to_vector(), ys = y.to_vector();
            const double expected = dot(with == DotWith::x ? xs : ys, ys);
            double size = 0;
            for (std::size_t i = 0; i < xs.size(); ++i)
              size += std::abs(static_cast<double>(ys[i]) * std::max(1., std::abs(static_cast<double>(ys[i]))));
            EXPECT_NEAR(static_cast<double>(found.to_vector()[0]), expected, rounding(a, size))
                << "order " << order << ", beta " << beta;
          }
      }
}

using GpuElementErrors = OnGpu;
TEST_F(GpuElementErrors, SayWhatAGpuTakes) {
  const Mesh hexes = warped_box(Cell::hex, 2, 1);
  const auto text_of = [](const auto& a) { return error_of<Unsupported>([&] { a.to(Device::gpu()); }); };
  const auto b = make_element_operator<double>(hexes, make_space(hexes, 9), fem::Mass<3>{});
  EXPECT_NE(text_of(b).find("order 1 to 8"), std::string::npos) << text_of(b);
  const Mesh quads = make_box(Cell::quad, {2, 2, 1});
  const auto d = make_element_operator<double>(quads, make_space(quads, 2), fem::Diffusion<2>{});
  EXPECT_NE(text_of(d).find("not compiled for a GPU"), std::string::npos) << text_of(d);
}

}  // namespace
}  // namespace millrace::testing
