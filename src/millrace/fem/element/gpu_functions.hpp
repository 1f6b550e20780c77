// Element operators on a GPU: the functions that the rooms of hexes, tets and actions define, and which of them serve a
// built-in physics.
#pragma once

#include <span>

#include "millrace/base/operator.hpp"
#include "millrace/fem/element/data.hpp"
#include "millrace/fem/element/orders.hpp"
#include "millrace/fem/physics/built_in.hpp"

namespace millrace::cuda {

// Each of these brings the arrays of `data`, which lie on a GPU, into the order of its kernels; host_offsets: the same
// as data.offsets. An Unsupported says what the kernels take.
template <class T>
void prepare_hexes(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                   std::span<const Index> host_offsets);
template <class T>
void prepare_tets(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                  std::span<const Index> host_offsets);
template <class T>
void prepare_unfused(Queue& queue, ElementData<T>& data, std::span<const Index> host_offsets);

// Factors of the fused kernels by element, [num_elem, num_stored, points], and back into their order. Of stored ones.
template <class T>
void hex_factors_by_element(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, T* to);
template <class T>
void group_hex_factors(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics, const T* by_element);
template <class T>
void tet_factors_by_element(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, T* to);
template <class T>
void group_tet_factors(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics, const T* by_element);

/// Nodal fields as they lie in a vector of unknowns on a GPU.
template <class T>
struct NodalFieldsOnGpu {
  const ElementBasis& basis;  // of the order of the fields, at the points of the operator
  const Index* offsets;       // [num_elem, nodes] there: number n of the node, or ~n
  int comps;
  std::int64_t comp_stride;
  const T* values;
};
/// Fields first, first + 1, ... of the physics at the points.
template <class T>
void set_fields(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics, int first,
                const NodalFieldsOnGpu<T>& fields);
/// y = the diagonal, 1 at constrained nodes, of an operator with stored factors.
template <class T>
void diagonal(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, T* y);
/// y = 0 at constrained nodes.
template <class T>
void clear_constrained(Queue& queue, const ElementData<T>& data, T* y);

/// y = alpha A x + beta y, one kernel per action.
template <class T>
void apply_unfused(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                   const ApplyRequest<T>& request);

// GpuFunctions of a physics of one component, which is applied to each component of the space. Its state is
// PointKernel::gpu_bytes(). Orders: ElementOrders to compile. Those of FusedPhysics and PointPhysics are compiled in
// the library.
template <class T, class Physics, class Orders>
void apply_hexes_stored(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                        const ApplyRequest<T>& request);
template <bool curved, class T, class Physics, class Orders>
void apply_hexes_recomputed(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                            const ApplyRequest<T>& request);
template <class T, class Physics, class Orders>
void apply_tets_stored(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                       const ApplyRequest<T>& request);

/// A physics in space at all points, in place: value [num_elem, comps, points], grad [num_elem, comps, 3, points],
/// stored [num_elem, num_stored, points]. comps: a multiple of those of the physics, which is applied to each group.
template <class T, class Physics>
void apply_at_points(Queue& queue, const Physics& physics, std::int64_t num_elem, int comps, int num_points,
                     const T* stored, T* value, T* grad);
/// GpuFunctions::points: C components, by as many groups of those of the physics.
template <class T, class Physics, int C>
void apply_groups_at_points(Queue& queue, const void* bytes, std::int64_t num_elem, int num_points, const T* stored,
                            T* value, T* grad) {
  apply_at_points(queue, physics_from_bytes<Physics>(bytes), num_elem, C, num_points, stored, value, grad);
}

}  // namespace millrace::cuda

namespace millrace {

/// Sets what a GPU does with a physics, as far as the library has kernels for it.
template <class T, class P>
void set_gpu_functions(const P& physics, PointKernel<T>& kernel) {
  if constexpr (build::cuda) {
    using Fused = FusedForm<P>;
    using AtPoints = PointForm<P>;
    GpuFunctions<T>& functions = kernel.on_gpu;
    if constexpr (!std::is_void_v<AtPoints>) {
      kernel.gpu_physics = physics_to_bytes(physics.form());
      functions.points = cuda::apply_groups_at_points<T, AtPoints, P::comps>;
    }
    if constexpr (!std::is_void_v<Fused>) {
      functions.hexes = cuda::apply_hexes_stored<T, Fused, AllElementOrders>;
      functions.tets = cuda::apply_tets_stored<T, Fused, AllElementOrders>;
      if constexpr (can_recompute<P>) {
        functions.straight_hexes = cuda::apply_hexes_recomputed<false, T, Fused, AllElementOrders>;
        functions.curved_hexes = cuda::apply_hexes_recomputed<true, T, Fused, AllElementOrders>;
      }
    }
  }
}

}  // namespace millrace
