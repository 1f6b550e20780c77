// Element operators on a GPU: what is laid out anew for it, and the physics that are compiled for it.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/fem/element_data.hpp"

namespace millrace::cuda {

/// Brings the arrays of `data`, which lie on a GPU, into the order of the fused kernel; host_offsets: the same as
/// data.offsets. An Unsupported says what the kernel takes.
template <class T>
void prepare_elements(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                      std::span<const Index> host_offsets);

/// y = alpha A x + beta y. Physics: of one component, applied to each. Its coefficients are in the stored factors;
/// where factors are recomputed, they are the bytes of `physics`.
template <class T, class Physics>
void apply_elements(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, const Apply<T>& request);

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

/// PointKernel::recomputes_on_gpu of a physics: it is as compiled there, with constant coefficients.
template <class P>
inline constexpr bool recomputes_on_gpu = false;
template <int C>
inline constexpr bool recomputes_on_gpu<fem::Mass<3, fem::Constant, C>> = true;
template <int C>
inline constexpr bool recomputes_on_gpu<fem::Diffusion<3, fem::Constant, C>> = true;
template <>
inline constexpr bool recomputes_on_gpu<fem::Helmholtz<3>> = true;

/// PointKernel::apply_on_gpu of a physics.
template <class T, class P>
auto gpu_apply_of() -> decltype(PointKernel<T>::apply_on_gpu) {
  using Form = typename GpuForm<P>::Physics;
  if constexpr (build::cuda && !std::is_void_v<Form>)
    return cuda::apply_elements<T, Form>;
  else
    return nullptr;
}

}  // namespace millrace
