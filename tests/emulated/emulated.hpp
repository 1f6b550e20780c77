// An operator of hexes as it lies on a GPU, and its kernels in the emulator.
#pragma once

#include "fem/fem_tools.hpp"
#include "millrace/fem/element/factors.hpp"
#include "millrace/fem/hex/launch.cuh"

namespace millrace::emulated {

template <class T>
void prepare_elements(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                      std::span<const Index> host_offsets);

}  // namespace millrace::emulated

namespace millrace::testing {

/// The arrays of an operator as the fused kernel wants them. They stay on the host.
template <class T, class P>
ElementData<T> prepare_emulated(const ElementOperator<T>& a) {
  const ElementOperator<T> copy = a.to(Device::host());
  auto data = std::move(const_cast<ElementData<T>&>(copy.data()));
  PointKernel<T> kernel = a.physics();
  kernel.recomputes_on_gpu = recomputes_on_gpu<P>;
  data.factors = factors_by_element(a.data());
  Queue host;
  emulated::prepare_elements(host, data, kernel, a.data().offsets.span());
  return data;
}

/// With both ways to sum, with and without constrained nodes, with alpha and beta, threads in both orders; and <x, A x>
/// where the kernel leaves it. `noise`: how much larger rounding errors may be for recomputed factors.
template <class T, class P>
void expect_emulated_as_host(const Mesh& mesh, const Space& space, const P& physics, const ElementOptions& given,
                             const std::string& what, double noise = 1) {
  using Form = typename GpuForm<P>::Physics;
  Queue host;
  for (const Accumulation accumulation : {Accumulation::deterministic, Accumulation::atomic})
    for (const bool dirichlet : {false, true}) {
      ElementOptions options = given;
      options.accumulation = accumulation;
      if (dirichlet) options.constrained = space.all_boundary_nodes;
      emulator::backwards = dirichlet;
      const auto a = make_element_operator<T>(mesh, space, physics, options);
      const ElementData<T> data = prepare_emulated<T, P>(a);
      const auto x = random_vector<T>(a.shape().cols, 7), old = random_vector<T>(a.shape().cols, 8);
      const std::vector<T> nothing(x.size(), std::numeric_limits<T>::quiet_NaN());
      std::vector<T> expected(nothing), scaled(old), found(nothing), found_scaled(old);
      a.apply(host, {.x = x, .y = expected});
      a.apply(host, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = scaled});
      T product{};
      ApplyRequest<T> request{.x = x, .y = found};
      if (data.computes_dot) request.dot = DotWith::x, request.dot_result = &product;
      emulated::apply_elements<T, Form>(host, data, a.physics(), request);
      emulated::apply_elements<T, Form>(host, data, a.physics(),
                                        {.alpha = T{2}, .x = x, .beta = T{-3}, .y = found_scaled});
      double largest = 1, expected_product = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double term = static_cast<double>(x[i]) * static_cast<double>(expected[i]);
        largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
        expected_product += term, size += std::abs(term);
      }
      const double bound = 8 * noise * rounding(a, largest);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), bound) << what << ", entry " << i;
        ASSERT_NEAR(static_cast<double>(found_scaled[i]), static_cast<double>(scaled[i]), 4 * bound)
            << what << ", entry " << i;
      }
      if (data.computes_dot) {
        EXPECT_NEAR(static_cast<double>(product), expected_product, 8 * noise * rounding(a, size)) << what;
      }
    }
}
template <class T, class P>
void expect_emulated_as_host(const Mesh& mesh, const P& physics, int order, const ElementOptions& given,
                             const std::string& what, double noise = 1) {
  expect_emulated_as_host<T>(mesh, make_space(mesh, order, P::comps), physics, given, what, noise);
}

}  // namespace millrace::testing
