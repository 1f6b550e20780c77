// What the fused kernels of tets share: their arguments, gather and scatter, and the physics at a point.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/fem/physics/point.hpp"
#include "millrace/fem/tet/layout.hpp"

namespace millrace::cuda {

/// Numbers of the unknown that a physics uses at a point: its value, its three derivatives, or both in this order.
template <class Physics>
inline constexpr int tet_comps = (Physics::uses_value ? 1 : 0) + (Physics::uses_grad ? 3 : 0);

template <class T, class Physics>
struct TetArgs {
  Index num_elem;
  int num_points, num_tiles;
  const Index* offsets;        // [num_elem, nodes], negative where constrained
  const T* factors;            // FactorLayout
  const T* tables;             // tensor_core_tables or plain_tables
  const Index* shared_number;  // [nodes]: number among those that others share, -1 inside
  int num_shared;
  const T* x;
  T* y;
  T* contributions;  // [num_elem, num_shared]: what elements add to nodes they share; null: atomic sums into y
  T alpha, beta;
  Physics physics;

  __device__ T gather(Index e, int num_nodes, int node) const {
    const Index n = e < num_elem && node < num_nodes ? offsets[std::int64_t{e} * num_nodes + node] : -1;
    return n >= 0 ? x[n] : T{};
  }
  __device__ void scatter(Index e, int num_nodes, int node, T value) const {
    if (e >= num_elem || node >= num_nodes) return;
    const Index n = offsets[std::int64_t{e} * num_nodes + node];
    if (n < 0) return;
    if (!contributions) {
      atomicAdd(y + n, alpha * value);
      return;
    }
    const Index number = shared_number[node];
    if (number >= 0)
      contributions[std::int64_t{e} * num_shared + number] = alpha * value;
    else
      update(y[n], alpha, value, beta);
  }
};

/// The physics, in place, on the numbers of one point.
template <class T, class Physics, int C>
__device__ __forceinline__ void apply_at_point(const Physics& physics, const T* stored, T (&number)[C]) {
  constexpr int first = Physics::uses_value ? 1 : 0;
  fem::PointValue<T, 3, 1> u, v;
  if constexpr (Physics::uses_value) u.value[0] = number[0];
  if constexpr (Physics::uses_grad)
#pragma unroll
    for (int d = 0; d < 3; ++d) u.grad[0][d] = number[first + d];
  physics.apply(stored, u, v);
  if constexpr (Physics::uses_value) number[0] = v.value[0];
  if constexpr (Physics::uses_grad)
#pragma unroll
    for (int d = 0; d < 3; ++d) number[first + d] = v.grad[0][d];
}

}  // namespace millrace::cuda
