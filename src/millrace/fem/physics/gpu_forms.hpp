// Element operators on a GPU: what is laid out anew for it, and the physics that are compiled for it.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/element/data.hpp"
#include "millrace/fem/physics/point_kernel.hpp"

namespace millrace::cuda {

/// Brings the arrays of `data`, which lie on a GPU, into the order of the fused kernel; host_offsets: the same as
/// data.offsets. An Unsupported says what the kernel takes.
template <class T>
void prepare_elements(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                      std::span<const Index> host_offsets);

/// The same for an operator that is applied action by action.
template <class T>
void prepare_actions(Queue& queue, ElementData<T>& data, std::span<const Index> host_offsets);
/// y = alpha A x + beta y, a kernel an action.
template <class T>
void apply_by_actions(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                      const ApplyRequest<T>& request);

/// PointKernel::apply_points_on_gpu of a built-in physics: C components of what `Form` does to some, with all
/// coefficients in the stored factors.
template <class T, class Form, int C>
void apply_form_at_points(Queue& queue, const void*, std::int64_t num_elem, int num_points, const T* stored, T* value,
                          T* grad) {
  apply_at_points(queue, Form{}, num_elem, C, num_points, stored, value, grad);
}

/// y = alpha A x + beta y. Physics: of one component, applied to each. Its coefficients are in the stored factors;
/// where factors are recomputed, they are the bytes of `physics`.
template <class T, class Physics>
void apply_elements(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                    const ApplyRequest<T>& request);

}  // namespace millrace::cuda

namespace millrace {

/// The fused kernel that serves a physics whose factors are stored; without one, `Physics` is void.
template <class P>
struct GpuForm {
  using Physics = void;
};
template <class Rho, int C>
struct GpuForm<fem::Mass<3, Rho, C>> {
  using Physics = fem::Mass<3>;
};
template <class Mu, int C>
struct GpuForm<fem::Diffusion<3, Mu, C>> {
  using Physics = fem::Diffusion<3>;
};
template <class Mu, class Beta>
struct GpuForm<fem::Helmholtz<3, Mu, Beta>> {
  using Physics = fem::Helmholtz<3>;
};

/// The physics compiled for the points alone that serves another one; without one, `Physics` is void.
template <class P>
struct PointForm : GpuForm<P> {};
template <class Mu, class Velocity>
struct PointForm<fem::ConvectionDiffusion<3, Mu, Velocity>> {
  using Physics = fem::ConvectionDiffusion<3>;
};
template <class Lambda, class Mu>
struct PointForm<fem::Elasticity<3, Lambda, Mu>> {
  using Physics = fem::Elasticity<3>;
};

/// PointKernel::recomputes_on_gpu of a physics: it is as compiled there, with constant coefficients.
template <class P>
inline constexpr bool recomputes_on_gpu = false;
template <int C>
inline constexpr bool recomputes_on_gpu<fem::Mass<3, fem::Constant, C>> = true;
template <int C>
inline constexpr bool recomputes_on_gpu<fem::Diffusion<3, fem::Constant, C>> = true;
template <>
inline constexpr bool recomputes_on_gpu<fem::Helmholtz<3>> = true;

/// Sets what a GPU does with the physics P, as far as it was compiled for one.
template <class T, class P>
void set_gpu_functions(PointKernel<T>& kernel) {
  if constexpr (build::cuda) {
    using Fused = typename GpuForm<P>::Physics;
    using AtPoints = typename PointForm<P>::Physics;
    if constexpr (!std::is_void_v<Fused>) kernel.apply_on_gpu = cuda::apply_elements<T, Fused>;
    if constexpr (!std::is_void_v<AtPoints>)
      kernel.apply_points_on_gpu = cuda::apply_form_at_points<T, AtPoints, P::comps>;
    kernel.recomputes_on_gpu = recomputes_on_gpu<P>;
  }
}

}  // namespace millrace
