// What the tests of element operators on a GPU share: an operator there gives what the one on the host gives.
#pragma once

#include "fem/fem_tools.hpp"
#include "on_gpu.hpp"

namespace millrace::testing {

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  }
};

/// y = alpha A x + beta y on the device of the operator.
template <class T>
std::vector<T> apply_on_gpu(const ElementOperator<T>& a, const std::vector<T>& x, T alpha, T beta,
                            const std::vector<T>& y0) {
  Queue queue(a.device());
  const Array<T> from = on_gpu(x);
  Array<T> to = on_gpu(y0);
  a.apply(queue, {.alpha = alpha, .x = from, .beta = beta, .y = to});
  queue.wait();
  return to.to_vector();
}

/// The diagonal on the GPU is that on the host.
template <class T>
void expect_same_diagonal(const ElementOperator<T>& host, const ElementOperator<T>& there, const std::string& what) {
  Queue queue, gpu(Device::gpu());
  std::vector<T> expected(static_cast<std::size_t>(host.shape().rows));
  host.diagonal(queue, expected);
  Array<T> found(Device::gpu(), host.shape().rows);
  there.diagonal(gpu, found);
  const std::vector<T> numbers = found.to_vector();
  double largest = 1;
  for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_NEAR(static_cast<double>(numbers[i]), static_cast<double>(expected[i]), 8 * rounding(host, largest))
        << what << ", entry " << i << " of the diagonal";
}

/// With both ways to sum, with and without constrained nodes, with alpha and beta; the same bits twice by the
/// deterministic one; and the diagonal. `noise`: how much larger rounding errors may be for recomputed factors.
template <class T, class P>
void expect_gpu_as_host(const Mesh& mesh, const Space& space, const P& physics, const ElementOptions& given,
                        const std::string& what, double noise = 1) {
  Queue host;
  for (const Accumulation accumulation : {Accumulation::deterministic, Accumulation::atomic})
    for (const bool dirichlet : {false, true}) {
      ElementOptions options = given;
      options.accumulation = accumulation;
      if (dirichlet) options.constrained = space.all_boundary_nodes;
      const auto a = make_element_operator<T>(mesh, space, physics, options);
      const ElementOperator<T> moved = a.to(Device::gpu());
      if (a.data().kind == GeometricFactors::stored) {                    // others lie there as maps of elements
        EXPECT_EQ(moved.traffic().total(), a.traffic().total()) << what;  // what fills up is not counted
      }
      if (a.data().kind == GeometricFactors::stored && dirichlet) expect_same_diagonal(a, moved, what);
      const auto x = random_vector<T>(a.shape().cols, 7), old = random_vector<T>(a.shape().cols, 8);
      const std::vector<T> nothing(x.size(), std::numeric_limits<T>::quiet_NaN());
      std::vector<T> expected(nothing), scaled(old);
      a.apply(host, {.x = x, .y = expected});
      a.apply(host, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = scaled});
      double largest = 1;  // of the result; magnitudes of a row are within a small factor of it here
      for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
      const double bound = 8 * noise * rounding(a, largest);
      const auto found = apply_on_gpu<T>(moved, x, T{1}, T{0}, nothing);
      const auto again = apply_on_gpu<T>(moved, x, T{1}, T{0}, nothing);
      const auto found_scaled = apply_on_gpu<T>(moved, x, T{2}, T{-3}, old);
      if (accumulation == Accumulation::deterministic) {
        EXPECT_TRUE(same_bits<T>(found, again)) << what;
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), bound) << what << ", entry " << i;
        ASSERT_NEAR(static_cast<double>(found_scaled[i]), static_cast<double>(scaled[i]), 4 * bound)
            << what << ", entry " << i;
      }
    }
}
template <class T, class P>
void expect_gpu_as_host(const Mesh& mesh, const P& physics, int order, const ElementOptions& given,
                        const std::string& what, double noise = 1) {
  expect_gpu_as_host<T>(mesh, make_space(mesh, order, P::comps), physics, given, what, noise);
}

}  // namespace millrace::testing
