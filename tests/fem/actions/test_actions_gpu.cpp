// The unfused actions on a GPU give what the plain ones of the host give.
#include "fem/fem_gpu_tools.hpp"
#include "millrace/fem/basis_actions.hpp"

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

using GpuActionErrors = OnGpu;
TEST_F(GpuActionErrors, SayWhatAGpuTakes) {
  Queue there(Device::gpu());
  const TensorBasis line = make_tensor_basis(2, gauss(6));
  const TensorProduct basis{line, 3};
  Array<double> u(Device::gpu(), basis.num_nodes()), v(Device::gpu(), basis.num_points());
  const auto text = error_of<Unsupported>([&] { interp<double>(there, basis, {1}, u, v); });
  EXPECT_NE(text.find("order 2, with 6 points per direction"), std::string::npos) << text;
}

}  // namespace
}  // namespace millrace::testing
