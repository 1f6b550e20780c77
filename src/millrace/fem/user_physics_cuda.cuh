// For users who compile their own physics with nvcc: with this header, make_element_operator with a device compiles it
// into the fused kernels of hexes and tets and into the unfused one, from the same source as on the host.
#pragma once

#include "millrace/fem/element/at_points_cuda.cuh"
#include "millrace/fem/element_operator.hpp"
#include "millrace/fem/hex/recomputed.cuh"
#include "millrace/fem/nonlinear_form.hpp"
#include "millrace/fem/tet/launch.cuh"

namespace millrace {

/// Compiles a physics in three dimensions for a GPU, and has `kernel`, which is one of it, applied there: fused where
/// it has one component, for the orders that are named, and unfused for all. With an apply_with (physics/point.hpp)
/// factors of hexes can be recomputed, too, at twice the time to compile. Members of the physics keep their values.
template <class Orders = AllElementOrders, class T, fem::Physics P>
void compile_for_gpu(const P& physics, PointKernel<T>& kernel) {
  static_assert(P::dim == 3, "a physics on a GPU is written for three dimensions");
  kernel.gpu_physics = physics_to_bytes(physics);
  GpuFunctions<T>& functions = kernel.on_gpu;
  functions.points = cuda::apply_groups_at_points<T, P, P::comps>;
  if constexpr (requires { P::num_fields; })
    if constexpr (P::num_fields > 0) functions.set_fields = cuda::set_fields_of<T, P>;
  if constexpr (P::comps == 1) {
    functions.hexes = cuda::apply_hexes_stored<T, P, Orders>;
    functions.tets = cuda::apply_tets_stored<T, P, Orders>;
    if constexpr (can_recompute<P>) {
      functions.straight_hexes = cuda::apply_hexes_recomputed<false, T, P, Orders>;
      functions.curved_hexes = cuda::apply_hexes_recomputed<true, T, P, Orders>;
    }
  }
}

/// As make_point_kernel, for the host and for a GPU. A program that compiles little with nvcc calls this there, and
/// everything else (ElementOperator(mesh, space, kernel).to(gpu)) in C++.
template <class T, class Orders = AllElementOrders, fem::Physics P>
PointKernel<T> make_gpu_point_kernel(const P& physics) {
  PointKernel<T> kernel = make_point_kernel<T>(physics);
  compile_for_gpu<Orders>(physics, kernel);
  return kernel;
}

/// The operator of one's own physics on a device: make_element_operator<double>(Device::gpu(), mesh, space, physics).
/// To compile less, name the orders: make_element_operator<double, ElementOrders<2, 4>>(...). Fused where the physics
/// has one component; `evaluation` tells.
template <class T, class Orders = AllElementOrders, fem::Physics P>
ElementOperator<T> make_element_operator(Device device, const Mesh& mesh, const Space& space, const P& physics,
                                         const ElementOptions& options = {}) {
  if (!device.on_host() && P::comps == 1 && options.evaluation == Evaluation::fused)
    Orders::check("order of elements with this physics on a GPU", space.order);
  return ElementOperator<T>(mesh, space, make_gpu_point_kernel<T, Orders>(physics), options).to(device);
}

/// The form of a physics that is not linear, and its derivative, on a device: as make_nonlinear_form.
template <class T, class Orders = AllElementOrders, class F>
NonlinearForm<T> make_nonlinear_form(Device device, const Mesh& mesh, const Space& space,
                                     const fem::Pointwise<F>& physics, const ElementOptions& options = {}) {
  return NonlinearForm<T>(mesh, space, make_gpu_point_kernel<T, Orders>(physics),
                          make_gpu_point_kernel<T, Orders>(fem::linearise(physics)), options)
      .to(device);
}

}  // namespace millrace
