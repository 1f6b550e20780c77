// What NVRTC finds around a physics given as source text: its type inside one of fixed size, so that the host knows the
// arguments of a kernel without knowing the physics.
#pragma once

#include "millrace/fem/hex/kernel.cuh"
#include "millrace/fem/physics.hpp"
#include "millrace/fem/physics/point_cuda.cuh"

namespace millrace::cuda {

/// The bytes of a physics, in the arguments of a kernel.
struct alignas(16) SourceBytes {
  static constexpr int max = 256;
  unsigned char bytes[max];
};

template <class P>
struct SourcePhysics : SourceBytes {
  static_assert(sizeof(P) <= max, "a physics given as source text has at most 256 bytes of members");
  static constexpr int dim = P::dim, comps = P::comps, num_stored = P::num_stored;
  static constexpr bool uses_value = P::uses_value, uses_grad = P::uses_grad;

  __device__ const P& physics() const { return *reinterpret_cast<const P*>(bytes); }
  template <class T>
  __device__ void store(const fem::PointGeometry<T, dim>& g, T* stored) const {
    physics().store(g, stored);
  }
  template <class T>
  __device__ void apply(const T* stored, const fem::PointValue<T, dim, comps>& u,
                        fem::PointValue<T, dim, comps>& v) const {
    physics().apply(stored, u, v);
  }
};

/// Is it a physics for a space of C components?
template <class P, int C>
inline constexpr bool fits = false;
template <fem::Physics P, int C>
inline constexpr bool fits<P, C> = P::dim == 3 && P::comps == C;

/// P, or anything that compiles where a check of P has failed: its message shall be the only one.
template <class P, bool good>
struct Checked {
  using type = P;
};
template <class P>
struct Checked<P, false> {
  using type = fem::Mass<3>;
};

/// What the host must know of a compiled physics: `millrace_facts` of its program.
struct SourceFacts {
  int dim, comps, num_stored, uses_value, uses_grad, symmetric, num_bytes;
};

}  // namespace millrace::cuda
