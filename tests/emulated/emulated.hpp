// An operator of hexes as it lies on a GPU, and its kernels in the emulator.
#pragma once

#include "fem/fem_tools.hpp"
#include "millrace/fem/element/factors.hpp"
#include "millrace/fem/hex/launch.cuh"

namespace millrace::emulated {

template <class T>
void prepare_hexes(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                   std::span<const Index> host_offsets);
template <bool curved, class T, class Physics, class Orders>
void apply_hexes_recomputed(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                            const ApplyRequest<T>& request);

}  // namespace millrace::emulated

namespace millrace::testing {

/// A physics as a GPU applies it: by its form, or, as one that a user compiles, itself.
template <class P>
auto physics_on_gpu(const P& physics) {
  if constexpr (std::is_void_v<FusedForm<P>>)
    return physics;
  else
    return physics.form();
}

/// The kernels of the emulator for a physics on the host.
template <class Orders, class T, class P>
PointKernel<T> emulated_kernel(PointKernel<T> kernel, const P& physics) {
  using Form = decltype(physics_on_gpu(physics));
  kernel.gpu_physics = physics_to_bytes(physics_on_gpu(physics));
  kernel.on_gpu.hexes = emulated::apply_hexes_stored<T, Form, Orders>;
  if constexpr (can_recompute<P>) {
    kernel.on_gpu.straight_hexes = emulated::apply_hexes_recomputed<false, T, Form, Orders>;
    kernel.on_gpu.curved_hexes = emulated::apply_hexes_recomputed<true, T, Form, Orders>;
  }
  return kernel;
}

/// The arrays of an operator as the fused kernel wants them. They stay on the host.
template <class T>
ElementData<T> prepare_emulated(const ElementOperator<T>& a, const PointKernel<T>& kernel) {
  const ElementOperator<T> copy = a.to(Device::host());
  auto data = std::move(const_cast<ElementData<T>&>(copy.data()));
  data.factors = factors_by_element(a.data());
  Queue host;
  emulated::prepare_hexes(host, data, kernel, a.data().offsets.span());
  return data;
}

/// With both ways to sum, with and without constrained nodes, with alpha and beta, threads in both orders; and <x, A x>
/// where the kernel computes it. `noise`: how much larger rounding errors may be for recomputed factors.
template <class T, class Orders = AllElementOrders, class P>
void expect_emulated_as_host(const Mesh& mesh, const Space& space, const P& physics, const ElementOptions& given,
                             const std::string& what, double noise = 1) {
  Queue host;
  for (const Accumulation accumulation : {Accumulation::deterministic, Accumulation::atomic})
    for (const bool dirichlet : {false, true}) {
      ElementOptions options = given;
      options.accumulation = accumulation;
      if (dirichlet) options.constrained = space.all_boundary_nodes;
      emulator::backwards = dirichlet;
      const auto a = make_element_operator<T>(mesh, space, physics, options);
      const PointKernel<T> kernel = emulated_kernel<Orders>(a.physics(), physics);
      const ElementData<T> data = prepare_emulated<T>(a, kernel);
      const auto apply = data.kind == GeometricFactors::stored ? kernel.on_gpu.hexes
                         : data.map.num_nodes() == 8           ? kernel.on_gpu.straight_hexes
                                                               : kernel.on_gpu.curved_hexes;
      const auto x = random_vector<T>(a.shape().cols, 7), old = random_vector<T>(a.shape().cols, 8);
      const std::vector<T> nothing(x.size(), std::numeric_limits<T>::quiet_NaN());
      std::vector<T> expected(nothing), scaled(old), found(nothing), found_scaled(old);
      a.apply(host, {.x = x, .y = expected});
      a.apply(host, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = scaled});
      T product{};
      ApplyRequest<T> request{.x = x, .y = found};
      if (data.hex.computes_dot) request.dot = DotWith::x, request.dot_result = &product;
      apply(host, data, kernel, request);
      apply(host, data, kernel, {.alpha = T{2}, .x = x, .beta = T{-3}, .y = found_scaled});
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
      if (data.hex.computes_dot) {
        EXPECT_NEAR(static_cast<double>(product), expected_product, 8 * noise * rounding(a, size)) << what;
      }
    }
}
template <class T, class Orders = AllElementOrders, class P>
void expect_emulated_as_host(const Mesh& mesh, const P& physics, int order, const ElementOptions& given,
                             const std::string& what, double noise = 1) {
  expect_emulated_as_host<T, Orders>(mesh, make_space(mesh, order, P::comps), physics, given, what, noise);
}

}  // namespace millrace::testing
