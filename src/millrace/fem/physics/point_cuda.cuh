// A physics at all points of all elements on a GPU: what it keeps there, and what it does with value and gradient.
// Between actions through memory; NVRTC compiles this file as well (source_physics.hpp).
#pragma once

#include "millrace/fem/physics/point.hpp"
#include "millrace/fem/physics/point_map.hpp"

namespace millrace::cuda {

constexpr int point_threads = 256;  // of a thread block

// Mapping  one thread per point of an element, and of a group of Physics::comps among the components of the space.
// Traffic  stored factors, values and gradients, the last two read and written.
// Result   repeatable.
template <class T, class Physics>
__global__ void __launch_bounds__(point_threads)
    apply_physics_at_points(const __grid_constant__ Physics physics, std::int64_t size, int num_groups, int num_points,
                            const T* __restrict__ stored, T* __restrict__ value, T* __restrict__ grad) {
  constexpr int S = Physics::num_stored, C = Physics::comps, D = Physics::dim;
  const std::int64_t i = blockIdx.x * std::int64_t{point_threads} + threadIdx.x;
  if (i >= size) return;
  const std::int64_t group = i / num_points, q = i % num_points;
  T r_stored[S];
#pragma unroll
  for (int s = 0; s < S; ++s) r_stored[s] = stored[(group / num_groups * S + s) * num_points + q];
  fem::PointValue<T, D, C> u, v;
  if constexpr (Physics::uses_value)
#pragma unroll
    for (int c = 0; c < C; ++c) u.value[c] = value[(group * C + c) * num_points + q];
  if constexpr (Physics::uses_grad)
#pragma unroll
    for (int c = 0; c < C * D; ++c) u.grad[c / D][c % D] = grad[(group * C * D + c) * num_points + q];
  physics.apply(static_cast<const T*>(r_stored), u, v);
  if constexpr (Physics::uses_value)
#pragma unroll
    for (int c = 0; c < C; ++c) value[(group * C + c) * num_points + q] = v.value[c];
  if constexpr (Physics::uses_grad)
#pragma unroll
    for (int c = 0; c < C * D; ++c) grad[(group * C * D + c) * num_points + q] = v.grad[c / D][c % D];
}

// Mapping  one thread per point of an element, of fields first .. first + num - 1.
// Traffic  stored factors read and written, values and gradients read.
// Result   repeatable.
template <class T, class Physics>
__global__ void __launch_bounds__(point_threads)
    set_fields_at_points(const __grid_constant__ Physics physics, std::int64_t size, int num_points, int first, int num,
                         const T* __restrict__ value, const T* __restrict__ grad, T* __restrict__ stored) {
  constexpr int S = Physics::num_stored, D = Physics::dim;
  const std::int64_t i = blockIdx.x * std::int64_t{point_threads} + threadIdx.x;
  if (i >= size) return;
  const std::int64_t e = i / num_points, q = i % num_points;
  T r_stored[S], r_slope[D];
#pragma unroll
  for (int s = 0; s < S; ++s) r_stored[s] = stored[(e * S + s) * num_points + q];
#pragma unroll  // so that the numbers stay in registers
  for (int f = 0; f < Physics::num_fields; ++f) {
    if (f < first || f >= first + num) continue;
    const std::int64_t field = e * num + f - first;
#pragma unroll
    for (int d = 0; d < D; ++d) r_slope[d] = grad[(field * D + d) * num_points + q];
    physics.set_field(f, value[field * num_points + q], static_cast<const T*>(r_slope), r_stored);
  }
#pragma unroll
  for (int s = 0; s < S; ++s) stored[(e * S + s) * num_points + q] = r_stored[s];
}

// Mapping  one thread per point of an element.
// Traffic  nodes of the geometry by element, tables of the map (from a cache), stored once.
// Result   repeatable; *first_bad, which comes as the maximum of Index, is the first element whose determinant is not
//          positive somewhere.
template <class T, class Physics>
__global__ void __launch_bounds__(point_threads)
    store_physics_at_points(const __grid_constant__ Physics physics, const __grid_constant__ PointMap map,
                            T* __restrict__ stored, Index* first_bad) {
  constexpr int S = Physics::num_stored, D = Physics::dim;
  const std::int64_t i = blockIdx.x * std::int64_t{point_threads} + threadIdx.x, e = i / map.num_points;
  if (e >= map.num_elem) return;
  const int q = static_cast<int>(i % map.num_points), table = map.num_nodes * map.num_points;
  fem::PointGeometry<double, D> g{};
#pragma unroll 1
  for (int n = 0; n < map.num_nodes; ++n) {
    const double* place = map.points + std::int64_t{map.cell_nodes[e * map.num_nodes + n]} * D;
    const int entry = n * map.num_points + q;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      g.x[k] += map.values[entry] * place[k];
#pragma unroll
      for (int j = 0; j < D; ++j) g.jacobian[k][j] += map.grads[j * table + entry] * place[k];
    }
  }
  fem::invert(g);
  g.weight = map.weights[q];
  g.element = static_cast<int>(e);
  g.point = q;
  g.group = map.groups[e];
  if (!(g.det > 0)) atomicMin(first_bad, static_cast<Index>(e));
  double r_numbers[S];
  physics.store(g, r_numbers);
#pragma unroll
  for (int s = 0; s < S; ++s) stored[(e * S + s) * map.num_points + q] = static_cast<T>(r_numbers[s]);
}

}  // namespace millrace::cuda
