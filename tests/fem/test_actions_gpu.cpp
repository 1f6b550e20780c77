// The unfused actions on a GPU give what the plain ones of the host give, and together the element operator.
#include "fem_gpu_tools.hpp"
#include "millrace/fem/basis_actions_cuda.hpp"

namespace millrace::testing {
namespace {

enum class What { interp, interp_transpose, grad, grad_transpose };

template <class T>
void act(What what, Queue& queue, const TensorProduct& basis, ElementFields fields, Vectors<const T> in, Vectors<T> out,
         Write write) {
  if (what == What::interp) interp<T>(queue, basis, fields, in, out, write);
  if (what == What::interp_transpose) interp_transpose<T>(queue, basis, fields, in, out, write);
  if (what == What::grad) grad<T>(queue, basis, fields, in, out, write);
  if (what == What::grad_transpose) grad_transpose<T>(queue, basis, fields, in, out, write);
}

template <class T>
void expect_actions_as_host(const TensorBasis& line, ElementFields fields) {
  const TensorProduct basis{line, 3};
  const std::int64_t num = fields.num_elem * fields.comps;
  Queue host, there(Device::gpu());
  for (const What what : {What::interp, What::interp_transpose, What::grad, What::grad_transpose})
    for (const Write write : {Write::set, Write::add}) {
      const bool of_grad = what == What::grad || what == What::grad_transpose;
      std::int64_t num_in = num * basis.num_nodes(), num_out = num * basis.num_points() * (of_grad ? 3 : 1);
      if (what == What::interp_transpose || what == What::grad_transpose) std::swap(num_in, num_out);
      const auto in = random_vector<T>(num_in, 5);
      std::vector<T> expected = random_vector<T>(num_out, 6);
      if (write == Write::set) expected.assign(expected.size(), std::numeric_limits<T>::quiet_NaN());
      const Array<T> from = on_gpu(in);
      Array<T> to = on_gpu(expected);
      act<T>(what, host, basis, fields, in, expected, write);
      act<T>(what, there, basis, fields, from, to, write);
      there.wait();
      const std::vector<T> found = to.to_vector();
      double largest = 1;  // magnitudes of a sum are within a small factor of it
      for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
      const double bound = 64 * (line.order + 1 + 2 * line.num_points) * static_cast<double>(epsilon<T>) * largest;
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), bound)
            << "action " << static_cast<int>(what) << ", order " << line.order << ", points " << line.num_points
            << ", entry " << i;
    }
  std::vector<T> weights(static_cast<std::size_t>(fields.num_elem * basis.num_points()));
  Array<T> weights_there = on_gpu(weights);
  weight<T>(host, basis, fields.num_elem, weights);
  weight<T>(there, basis, fields.num_elem, weights_there);
  there.wait();
  const std::vector<T> found = weights_there.to_vector();
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(weights[i]), 4 * epsilon<T> * weights[i]);
}

/// y = A x, every action by itself.
template <class T, class P>
std::vector<T> apply_unfused_there(const ElementOperator<T>& a, const P& physics, const std::vector<T>& x) {
  if constexpr (build::cuda) {
    const ElementData<T>& data = a.data();
    Queue queue(Device::gpu());
    const auto g = cuda::make_restriction_on_gpu(Device::gpu(), data.offsets.span(), data.num_elem, data.num_nodes,
                                                 data.comps, data.comp_stride);
    const TensorProduct basis{*data.basis.tensor, 3};
    const ElementFields fields{data.num_elem, data.comps};
    const std::int64_t num = std::int64_t{data.num_elem} * data.comps;
    const Array<T> from = on_gpu(x), stored = data.factors.to(Device::gpu());
    Array<T> u(Device::gpu(), num * data.nodes()), value(Device::gpu(), num * basis.num_points()),
        gradient(Device::gpu(), num * basis.num_points() * 3), y = on_gpu(x);  // constrained nodes keep x
    cuda::restrict_to_elements(queue, g, from.data(), u.data());
    if (P::uses_value) interp<T>(queue, basis, fields, u, value);
    if (P::uses_grad) grad<T>(queue, basis, fields, u, gradient);
    cuda::apply_at_points(queue, physics, data.num_elem, data.comps, basis.num_points(), stored.data(), value.data(),
                          gradient.data());
    if (P::uses_value) interp_transpose<T>(queue, basis, fields, value, u);
    if (P::uses_grad) grad_transpose<T>(queue, basis, fields, gradient, u, P::uses_value ? Write::add : Write::set);
    cuda::sum_elements(queue, g, u.data(), y.data(), Write::set);
    queue.wait();
    return y.to_vector();
  } else {
    return x;
  }
}

template <class T, class P, class Form>
void expect_unfused(const P& physics, const Form& form, int order) {
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  const Space space = make_space(mesh, order, P::comps);
  const auto a = make_element_operator<T>(mesh, space, physics, {.constrained = space.outer_nodes});
  const auto x = random_vector<T>(a.shape().cols, 9);
  const std::vector<T> expected = product(a, x), found = apply_unfused_there(a, form, x);
  double largest = 1;
  for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), 8 * rounding(a, largest))
        << "order " << order << ", entry " << i;
  EXPECT_TRUE(same_bits<T>(found, apply_unfused_there(a, form, x)));
}

template <class T>
class GpuActions : public OnGpu {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuActions, Reals);

TYPED_TEST(GpuActions, AsOnTheHost) {
  for (int order = 1; order <= 8; ++order)
    for (const Quadrature& rule : {gauss(order + 2), gauss(order + 1), gauss_lobatto(order + 1)}) {
      expect_actions_as_host<TypeParam>(make_tensor_basis(order, rule), {37, 1});
      expect_actions_as_host<TypeParam>(make_tensor_basis(order, rule), {5, 3});
    }
  expect_actions_as_host<TypeParam>(make_tensor_basis(2, gauss(4)), {0, 1});
}

TYPED_TEST(GpuActions, MakeTheElementOperator) {
  for (const int order : {1, 2, 4, 7}) {
    expect_unfused<TypeParam>(fem::Mass<3>{}, fem::Mass<3>{}, order);
    expect_unfused<TypeParam>(fem::Diffusion<3>{}, fem::Diffusion<3>{}, order);
    expect_unfused<TypeParam>(fem::Helmholtz<3>{}, fem::Helmholtz<3>{}, order);
  }
  expect_unfused<TypeParam>(fem::VectorDiffusion<3>{}, fem::Diffusion<3>{}, 3);
}

using GpuActionErrors = OnGpu;
TEST_F(GpuActionErrors, SayWhatAGpuTakes) {
  Queue there(Device::gpu());
  const TensorBasis line = make_tensor_basis(2, gauss(6));
  const TensorProduct basis{line, 3};
  Array<double> u(Device::gpu(), basis.num_nodes()), v(Device::gpu(), basis.num_points());
  const auto text = error_of<Unsupported>([&] { interp<double>(there, basis, {1}, u, v); });
  EXPECT_NE(text.find("order 2, with 6 points a direction"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
