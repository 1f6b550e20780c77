// The arguments of all fused kernels of hexes, and what all of them do at a point and at the end of a thread block.
// NVRTC compiles this file as well.
#pragma once

#include "millrace/base/async_copy.cuh"
#include "millrace/fem/basis/line_table.cuh"
#include "millrace/fem/hex/node_entities.hpp"
#include "millrace/fem/hex/tuning.hpp"
#include "millrace/fem/physics/point.hpp"

namespace millrace::cuda {

/// P nodes and Q points per direction.
template <class T, int P, int Q, class Physics>
struct HexArgs {
  Index num_elem;
  const Index* offsets;         // [num_elem, P, P, P], negative where constrained
  const EntityNodes* entities;  // [num_elem, 27]: the same nodes by entity; null: there are none
  const T* factors;  // [num_elem / E, num_stored, Q, E, Q, Q]: v, then u and x; neighbouring threads read neighbours
  const T* x;
  T* y;
  T* contributions;  // [num_elem, P, P, P]: what elements add to nodes they share; null: atomic sums into y
  T* block_sums;     // [thread blocks]: parts of <x, A x>; null: not wanted, as for lines with gradients
  T alpha, beta;
  const std::uint8_t* merges;  // [num_elem], FaceMerge; null: no face is merged
  T face_beta;                 // of y at nodes inside a face that was merged
  Physics physics;
  LineTable<T, Q, P, 1> interp;
  LineTable<T, Q, Q, -1> derive;  // at the points, of what has values there
};

/// An entity by one load.
__device__ inline EntityNodes load_entity(const EntityNodes* entity) {
  const int2 words = __ldg(reinterpret_cast<const int2*>(entity));
  EntityNodes loaded;
  loaded.first = words.x;
  for (int d = 0; d < 3; ++d) loaded.step[d] = static_cast<std::int8_t>(words.y >> (8 * d));
  loaded.before = static_cast<std::uint8_t>(words.y >> 24);
  return loaded;
}

/// What a point adds to <x, A x>, which is the sum over all points of what goes into the physics times what comes out.
template <class Physics, class T>
__device__ __forceinline__ T point_product(const fem::PointValue<T, 3, 1>& u, const fem::PointValue<T, 3, 1>& v) {
  T sum{};
  if constexpr (Physics::uses_value) sum = u.value[0] * v.value[0];
  if constexpr (Physics::uses_grad)
#pragma unroll
    for (int d = 0; d < 3; ++d) sum = fma(u.grad[0][d], v.grad[0][d], sum);
  return sum;
}

/// The physics at a point with stored factors, which lie `step` apart: value and gradient in place. Returns
/// point_product.
template <class T, class Physics>
__device__ __forceinline__ T apply_at_point(const Physics& physics, const T* factors, int step, T& value, T& x, T& y,
                                            T& z) {
  T r_stored[Physics::num_stored];
#pragma unroll
  for (int s = 0; s < Physics::num_stored; ++s) r_stored[s] = __ldcs(factors + s * step);
  fem::PointValue<T, 3, 1> u, v;
  u.value[0] = value;
  if constexpr (Physics::uses_grad) u.grad[0][0] = x, u.grad[0][1] = y, u.grad[0][2] = z;
  physics.apply(r_stored, u, v);
  value = Physics::uses_value ? v.value[0] : T{};
  if constexpr (Physics::uses_grad) x = v.grad[0][0], y = v.grad[0][1], z = v.grad[0][2];
  return point_product<Physics>(u, v);
}

/// Asks the L2 cache for some bytes, a multiple of 16.
__device__ inline void prefetch(const void* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
}

/// The sum over a thread block of any size from a warp on, in a fixed order. s_sums: one number per thread, no
/// longer in use. (base/warp.cuh has the same, but NVRTC cannot read it.)
template <class T>
__device__ void write_block_sum(T value, T* s_sums, T* block_sums) {
  __syncthreads();
  s_sums[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  T sum{};
  for (unsigned i = threadIdx.x; i < blockDim.x; i += 32) sum += s_sums[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = sum;
}

}  // namespace millrace::cuda
